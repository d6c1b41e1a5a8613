package push

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"ssnail-kit/mega65/hw"
	"ssnail-kit/mega65/monitor"
)

// frame is what the receiver's frame will return to.
type frame int

const (
	frameFresh frame = iota // what runs now
	frameOld                // what ran before the program that was pushed last
	frameNone               // nothing: a program from elsewhere, whose memory is overwritten
)

// bootLimit is the longest that a machine may take from reset to BASIC.
const bootLimit = 12 * time.Second

// booted waits after a reset until BASIC is there, or as long as that may take;
// a disk that starts a program by itself is no error.
func (s *session) booted(ctx context.Context) error {
	const basic = 0x64 // $D030 while BASIC 65 waits
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	ready := 0
	for end := s.c.Now().Add(bootLimit); s.c.Now().Before(end); {
		r, err := s.c.Registers(ctx)
		if err != nil {
			return err
		}
		b, err := s.c.Read(ctx, hw.IOMEGA65+hw.VICROMBank&0xFFF, 1)
		if err != nil {
			return err
		}
		if ready++; r.Hypervisor || lowMapped(r) || b[0] != basic {
			ready = 0
		}
		if ready == 3 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	s.log("BASIC does not show itself within %v; going on", bootLimit)
	return nil
}

// lowMapped tells whether the memory map hides bank 0 at $0000-$1FFF, as the
// DOS does while it works.
func lowMapped(r monitor.Registers) bool { return r.MapLow>>12&1 != 0 }

// takeOver halts the machine where it can be continued later, and starts the
// receiver.
func (s *session) takeOver(ctx context.Context) error {
	r, err := s.quiet(ctx)
	if err != nil {
		return err
	}
	old, err := s.oldFrame(ctx, r)
	if err != nil {
		return err
	}
	if err := s.rx.install(ctx); err != nil {
		return err
	}
	at := func(name string) uint32 { return s.rx.at(name) }
	if s.frame == frameOld {
		if err := s.c.Set(ctx, at("frame_sp"), old...); err != nil {
			return err
		}
		return s.rx.start(ctx, "rx_again")
	}
	var v []byte // frame_kind, frame_pc, frame_map, as they lie
	v = append(v, 0)
	if s.frame == frameNone {
		v[0] = 1
	}
	v = binary.LittleEndian.AppendUint16(v, r.PC)
	v = binary.LittleEndian.AppendUint16(v, r.MapLow)
	v = binary.LittleEndian.AppendUint16(v, r.MapHigh)
	if err := s.c.Set(ctx, at("frame_kind"), v...); err != nil {
		return err
	}
	return s.rx.start(ctx, "rx_fresh")
}

// quiet halts the CPU outside the hypervisor and with bank 0's low memory
// visible.
func (s *session) quiet(ctx context.Context) (monitor.Registers, error) {
	var r monitor.Registers
	for end := s.c.Now().Add(s.c.Limit()); ; {
		err := s.c.Halt(ctx)
		if err == nil {
			r, err = s.c.Registers(ctx)
		}
		if err != nil || !r.Hypervisor && !lowMapped(r) {
			return r, err
		}
		if s.c.Now().After(end) {
			where := "in the hypervisor"
			if !r.Hypervisor {
				where = "with other memory at $0000"
			}
			return r, fmt.Errorf("the machine stays %s (PC $%04X): leave the Freezer or wait for the disk, or use --reset", where, r.PC)
		}
		if err := s.c.Run(ctx); err != nil {
			return r, err
		}
	}
}

// oldFrame decides what to return to one day. A program that was pushed is
// replaced, and the frame from before it stays. Another program in bank 0 is
// overwritten, so there is nothing to return to. It returns the stack pointer of
// an old frame.
func (s *session) oldFrame(ctx context.Context, r monitor.Registers) (sp []byte, err error) {
	home := s.rx.at("FRAME_HOME")
	rombank, err := s.c.Read(ctx, hw.IOMEGA65+hw.VICROMBank&0xFFF, 1)
	if err != nil {
		return nil, err
	}
	port, err := s.c.Read(ctx, hw.CPUPortData, 1)
	if err != nil || !inRAM(r, rombank[0], port[0]) {
		return nil, err
	}
	b, err := s.c.Read(ctx, home, int(s.rx.frameBytes()))
	if err != nil {
		return nil, err
	}
	code := s.rx.prg.PRG[2+s.rx.at("frame_code")-uint32(s.rx.prg.Load):]
	s.frame = frameOld
	for i := 3; i < int(s.rx.offset("frame_name")); i++ { // behind the address of the program
		if b[i] != code[i] {
			s.frame = frameNone
		}
	}
	name, active := s.rx.offset("frame_name"), s.rx.offset("frame_active")
	if string(b[name:name+4]) != "SSFR" || b[active] != 1 {
		s.frame = frameNone
	}
	if s.frame == frameNone {
		s.log("a program runs that cannot be continued: quitting what is pushed now will reset the machine")
		return nil, nil
	}
	o := s.rx.offset("frame_sp")
	return b[o : o+2], nil
}

// inRAM tells whether the PC stands in bank 0, where programs are, rather than in
// a part of the ROM: what MAP, $D030 or the CPU port show there.
func inRAM(r monitor.Registers, rombank, port byte) bool {
	mapped := r.MapLow >> 12
	if r.PC >= 0x8000 {
		mapped = r.MapHigh >> 12
	}
	switch block := r.PC >> 13; {
	case r.PC < hw.Mailbox, mapped>>(block&3)&1 != 0:
		return false
	case r.PC < 0x8000:
		return true
	case r.PC < 0xA000:
		return rombank&0x08 == 0
	case r.PC < 0xC000: // port 3: a C64's BASIC
		return rombank&0x10 == 0 && port&3 != 3
	case r.PC < 0xD000:
		return rombank&0x20 == 0
	}
	return false
}

// offset is a frame variable's place in the frame.
func (r *receiver) offset(name string) uint32 { return r.at(name) - r.at("frame_code") }

func (r *receiver) frameBytes() uint32 { return r.offset("frame_end") }

// home is where a frame variable lies while another program runs.
func (r *receiver) home(name string) uint32 { return r.at("FRAME_HOME") + r.offset(name) }

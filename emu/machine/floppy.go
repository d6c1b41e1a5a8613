package machine

import (
	"bytes"
	"fmt"

	"ssnail-kit/mega65/hw"
)

const (
	diskBytes  = 819_200
	sectorSize = 512
	// A sector of a mounted image comes from the SD card: about half a
	// millisecond with the controller's overhead.
	diskTicks   = hw.ClockHz / 2000
	spinUpTicks = hw.ClockHz
	stepTicks   = hw.ClockHz / 1000 * 8
)

type drive struct {
	image          []byte // nil: empty
	writeProtected bool
	fromCard       bool // a file of the SD folder, which stays as it is
}

// floppy is the F011 on mounted D81 images.
type floppy struct {
	drive [2]drive

	control, command    byte
	track, sector, side byte
	step                byte
	head                int

	rnf, drq, eqInhibit bool
	found               byte   // $D083 bits 7-5
	pending             byte   // command in progress, 0 none
	done                uint64 // tick at which it ends

	buffer       [sectorSize]byte
	cpuPtr, disk int
}

func (f *floppy) reset() {
	d := f.drive
	*f = floppy{drive: d, step: 128}
}

// insert puts a copy of a D81 into a drive; nil empties it.
func (f *floppy) insert(n int, image []byte) error {
	if image != nil && len(image) != diskBytes {
		return fmt.Errorf("disk image: %d bytes, a D81 has %d", len(image), diskBytes)
	}
	f.drive[n] = drive{image: bytes.Clone(image)}
	return nil
}

// selected is the drive that $D080 selects, nil if there is none.
func (f *floppy) selected() *drive {
	if n := f.control & 7; n < 2 {
		return &f.drive[n]
	}
	return nil
}

// sectorIndex is where track, sector and side lie in an image; tracks from 80 on
// give sector 0, as the controller does without a word.
func (f *floppy) sectorIndex() int {
	if f.track >= 80 {
		return 0
	}
	i := int(f.track)*20 + int(f.sector) - 1
	if f.side&1 != 0 {
		i += 10
	}
	return max(0, min(i, diskBytes/sectorSize-1))
}

// settle ends the command in progress if its time has come.
func (m *Machine) settleFloppy() {
	f := &m.floppy
	if f.pending == 0 || m.now() < f.done {
		return
	}
	cmd := f.pending
	f.pending = 0
	d := f.selected()
	switch cmd {
	case 0x40:
		if d == nil || d.image == nil {
			f.rnf = true
			return
		}
		i := f.sectorIndex() * sectorSize
		copy(f.buffer[:], d.image[i:])
		f.disk = 0
		f.drq, f.eqInhibit, f.found = true, true, 0xA0
		m.stats.DiskSectors++
	case 0x80:
		if d == nil || d.image == nil || d.writeProtected {
			f.rnf = true
			return
		}
		i := f.sectorIndex() * sectorSize
		copy(d.image[i:i+sectorSize], f.buffer[:])
		f.found = 0x40
		if d.fromCard {
			m.warn("write to a disk image on the SD card: the file in the host's folder stays as it was")
		}
	}
}

func (m *Machine) readFloppy(r uint32) byte {
	m.settleFloppy()
	f := &m.floppy
	d := f.selected()
	present := d != nil && d.image != nil
	bit := func(on bool, b byte) byte {
		if on {
			return b
		}
		return 0
	}
	switch r {
	case 0:
		return f.control
	case 1:
		return f.command
	case 2:
		eq := f.disk == f.cpuPtr && !f.eqInhibit
		return bit(f.pending != 0, 0x80) | bit(f.drq, 0x40) | bit(eq, 0x20) | bit(f.rnf, 0x10) |
			bit(present && d.writeProtected, 2) | bit(f.head == 0, 1)
	case 3:
		return f.found | bit(present, 8)
	case 4:
		return f.track
	case 5:
		return f.sector
	case 6:
		return f.side
	case 7:
		v := f.buffer[f.cpuPtr]
		f.advance()
		return v
	case 9:
		return f.step
	}
	return 0
}

// advance moves the CPU's pointer on after a byte of $D087.
func (f *floppy) advance() {
	f.cpuPtr = (f.cpuPtr + 1) % sectorSize
	f.drq, f.eqInhibit = false, false
}

func (m *Machine) writeFloppy(r uint32, v byte) {
	m.settleFloppy()
	f := &m.floppy
	switch r {
	case 0:
		if (f.control^v)&0x10 != 0 {
			f.cpuPtr ^= 0x100
		}
		f.control = v
	case 1:
		m.floppyCommand(v)
	case 4:
		f.track = v
	case 5:
		f.sector = v
	case 6:
		f.side = v
	case 7:
		f.buffer[f.cpuPtr] = v
		f.advance()
	case 9:
		f.step = v
	}
}

func (m *Machine) floppyCommand(v byte) {
	f := &m.floppy
	f.command = v
	f.pending, f.rnf, f.found = 0, false, 0
	if v&1 != 0 {
		f.rewind()
	}
	m.idle.work()
	begin := func(cmd byte, ticks uint64) { f.pending, f.done = cmd, m.now()+ticks }
	switch v &^ 3 {
	case 0x00:
	case 0x40, 0x44:
		if f.sector < 1 || f.sector > 10 || f.track >= 80 {
			m.warn("F011 read of track %d sector %d: the controller counts tracks 0-79, sectors 1-10", f.track, f.sector)
		}
		if d := f.selected(); d == nil || d.image == nil {
			f.rnf = true
			return
		}
		f.disk = 0
		begin(0x40, diskTicks)
	case 0x80, 0x84:
		f.rewind()
		f.disk = 0
		if d := f.selected(); d == nil || d.image == nil || d.writeProtected {
			f.rnf = true
			return
		}
		begin(0x80, diskTicks)
	case 0x10:
		f.head = max(0, f.head-1)
		begin(0x10, stepTicks)
	case 0x14:
		begin(0x14, stepTicks)
	case 0x18:
		f.head = min(84, f.head+1)
		begin(0x18, stepTicks)
	case 0x20:
		f.rnf = true // as the controller documents it
		begin(0x20, spinUpTicks)
	default:
		m.warn("F011 command $%02X: does nothing on a disk image", v)
	}
}

func (f *floppy) rewind() {
	f.cpuPtr = 0
	if f.control&0x10 != 0 {
		f.cpuPtr = 0x100
	}
}

// sectorBuffer is the 512 bytes that $FFD6000-$FFD6FFF show eight times: the SD
// card's with $D689 bit 7, else the F011's.
func (m *Machine) sectorBuffer() *[sectorSize]byte {
	if m.sd.control&0x80 != 0 {
		return &m.sd.buffer
	}
	m.settleFloppy()
	return &m.floppy.buffer
}

package core

import (
	"fmt"
	"io"

	"ssnail-kit/host/image"
)

// Store writes data to memory at addr through the port as software does:
// commit the address, wait for READY before every 512 bytes, commit once more
// to flush, check ERROR. The port's time passes as needed. ready, if not nil,
// is told how many bytes are through.
func (p *Port) Store(addr uint32, data []byte, ready func(n int)) error {
	p.commitAt(addr, PortClear)
	for done := 0; done < len(data); {
		p.wait()
		n := min(512, len(data)-done)
		for _, v := range data[done : done+n] {
			p.WriteReg(RegData, v, p.now)
		}
		done += n
		if ready != nil {
			ready(done)
		}
	}
	return p.finish()
}

// wait lets time pass until the port is READY.
func (p *Port) wait() { p.advance(p.ReadyAt()) }

// commitAt sets the pointer.
func (p *Port) commitAt(addr uint32, clear byte) {
	p.WriteReg(RegPointer, byte(addr), p.now)
	p.WriteReg(RegPointer+1, byte(addr>>8), p.now)
	p.WriteReg(RegPointer+2, byte(addr>>16), p.now)
	p.WriteReg(RegCommit, byte(addr>>24)&0x0F|clear, p.now)
}

// finish flushes and checks ERROR.
func (p *Port) finish() error {
	p.commitAt(image.Base, 0)
	p.wait()
	switch {
	case p.busy:
		return fmt.Errorf("load port: not READY, a job runs")
	case p.err:
		return fmt.Errorf("load port: ERROR, bytes for addresses outside RAM; board %v has RAM from $%07X to $%07X", p.mem.board, Base, uint64(Base)+uint64(p.mem.Size())-1)
	}
	return nil
}

// LoadImage puts an image into memory byte by byte through the load port, the
// way the MEGA65 does: header, commit, payload, commit, check ERROR. It passes
// port time as needed and fails when the port reports ERROR.
func LoadImage(p *Port, im *image.Image) error {
	if p.busy {
		return fmt.Errorf("load port: not READY, a job runs")
	}
	p.commitAt(image.Base, PortClear)
	var buf [512]byte
	for off := int64(0); off < im.Size; {
		n := min(int64(len(buf)), im.Size-off)
		if off < image.HeaderSize { // the payload's commit comes inside the first sector
			n = min(n, image.HeaderSize-off)
		}
		if _, err := im.ReadAt(buf[:n], off); err != nil && err != io.EOF {
			return fmt.Errorf("offset $%X of the image: %w", off, err)
		}
		p.wait()
		for _, v := range buf[:n] {
			p.WriteReg(RegData, v, p.now)
		}
		off += n
		if off == image.HeaderSize {
			p.commitAt(im.LoadAddr, 0)
		}
	}
	return p.finish()
}

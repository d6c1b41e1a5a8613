package core

import (
	"fmt"
	"io"

	"ssnail-kit/host/image"
)

// LoadImage puts an image into memory byte by byte through the load port, the
// way the MEGA65 does (header, commit, payload, commit, check ERROR), and
// waits for the last block. It passes port time as needed and fails when the
// port reports ERROR.
func LoadImage(p *Port, im *image.Image) error {
	now := p.now
	wait := func() {
		now = max(now, p.ReadyAt())
		p.ReadReg(RegCommit, now)
	}
	commit := func(addr uint32, clear byte) {
		p.WriteReg(RegPointer, byte(addr), now)
		p.WriteReg(RegPointer+1, byte(addr>>8), now)
		p.WriteReg(RegPointer+2, byte(addr>>16), now)
		p.WriteReg(RegCommit, byte(addr>>24)&0x0F|clear, now)
	}
	if p.busy {
		return fmt.Errorf("load port is not ready: a job runs")
	}
	commit(image.Base, PortClear)
	var buf [512]byte
	for off := int64(0); off < im.Size; {
		n := min(int64(len(buf)), im.Size-off)
		if off < image.HeaderSize { // the segment border lies inside the first sector
			n = min(n, image.HeaderSize-off)
		}
		if _, err := im.ReadAt(buf[:n], off); err != nil && err != io.EOF {
			return fmt.Errorf("offset $%X of the image: %w", off, err)
		}
		wait()
		for _, v := range buf[:n] {
			p.WriteReg(RegData, v, now)
		}
		off += n
		if off == image.HeaderSize {
			commit(im.LoadAddr, 0)
		}
	}
	commit(image.Base, 0)
	wait()
	if p.Failed() {
		return fmt.Errorf("the image reaches to $%07X but board %v has RAM up to $%07X only",
			im.LoadAddr+uint32(im.Size-image.HeaderSize)-1, p.mem.board, uint64(Base)+uint64(p.mem.Size())-1)
	}
	return nil
}

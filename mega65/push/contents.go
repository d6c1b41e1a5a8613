package push

import (
	"bytes"
	"errors"
	"fmt"

	"ssnail-kit/disk/d81"
	"ssnail-kit/host/image"
	"ssnail-kit/mega65/hw"
)

// FromDisk takes the program AUTOBOOT.C65 and the first image from a disk. name
// is the image's name on the disk; a disk without an image gives none.
func FromDisk(b []byte) (program, img []byte, name string, err error) {
	d, err := d81.Open(b)
	if err != nil {
		return nil, nil, "", err
	}
	e, err := d.Find(d81.NameProgram)
	if err != nil {
		return nil, nil, "", err
	}
	if program, err = d.ReadFile(e); err != nil {
		return nil, nil, "", fmt.Errorf("%s: %w", d81.NameProgram, err)
	}
	files, err := d.Files()
	if err != nil {
		return nil, nil, "", err
	}
	for _, f := range files {
		if f.Type != d81.SEQ {
			continue
		}
		data, err := d.ReadFile(f)
		if err != nil {
			return nil, nil, "", fmt.Errorf("%s: %w", f.Name, err)
		}
		if !bytes.HasPrefix(data, []byte(image.Magic)) {
			continue
		}
		if _, err := image.Open(bytes.NewReader(data), int64(len(data))); err != nil {
			return nil, nil, "", fmt.Errorf("%s: %w", f.Name, err)
		}
		return program, data, f.Name, nil
	}
	return program, nil, "", nil
}

// program is a PRG and how it is started.
type program struct {
	load  uint16
	body  []byte
	entry uint16 // 0: it is BASIC, RUN starts it
}

// parseProgram looks at a PRG: where it goes, and whether its BASIC line says
// SYS.
func parseProgram(prg []byte) (*program, error) {
	if len(prg) < 3 {
		return nil, fmt.Errorf("a PRG of %d bytes: want a load address and at least one byte", len(prg))
	}
	p := &program{load: uint16(prg[0]) | uint16(prg[1])<<8, body: prg[2:]}
	end := int(p.load) + len(p.body)
	switch {
	case end > 0x10000:
		return nil, fmt.Errorf("the PRG of %d bytes at $%04X reaches beyond $FFFF", len(p.body), p.load)
	case p.load < hw.BASICStart && end > hw.Mailbox || p.load < hw.Mailbox:
		return nil, fmt.Errorf("the PRG lies at $%04X-$%04X: below $%04X are BASIC's variables, the mailbox and the receiver", p.load, end-1, hw.BASICStart)
	}
	p.entry = p.load
	if p.load == hw.BASICStart {
		p.entry = sysAddress(p.body)
	}
	return p, nil
}

// sysAddress finds the SYS in the first line of a BASIC program, 0 if there is
// none.
func sysAddress(body []byte) uint16 {
	const tokenSYS = 0x9E
	if len(body) < 5 {
		return 0
	}
	line, _, _ := bytes.Cut(body[4:], []byte{0})
	_, arg, ok := bytes.Cut(line, []byte{tokenSYS})
	if !ok {
		return 0
	}
	arg = bytes.TrimLeft(arg, " ")
	base := 10
	if len(arg) > 0 && arg[0] == '$' {
		base, arg = 16, arg[1:]
	}
	n := 0
	for _, c := range arg {
		d := bytes.IndexByte([]byte("0123456789ABCDEF"), c)
		if d < 0 || d >= base {
			break
		}
		if n = n*base + d; n > 0xFFFF {
			return 0
		}
	}
	return uint16(n)
}

// MemoryImage lays an image file out as it stands in SSNAIL's memory from
// image.Base on: the header, and the payload at its load address.
func MemoryImage(img []byte) ([]byte, error) {
	im, err := image.Open(bytes.NewReader(img), int64(len(img)))
	if err != nil {
		return nil, err
	}
	if im.Header.LoadAddr < image.Base+image.HeaderSize || uint64(im.Header.LoadAddr)+uint64(len(img)) > image.Base+image.MaxMemMB<<20 {
		return nil, errors.New("the payload's load address is out of range")
	}
	gap := im.Header.LoadAddr - image.Base
	out := make([]byte, int(gap)+len(img)-image.HeaderSize)
	copy(out, img[:image.HeaderSize])
	copy(out[gap:], img[image.HeaderSize:])
	return out, nil
}

package d81

import (
	"fmt"
	"strings"

	"ssnail-kit/mega65/hw"
)

// Image is a D81 in memory.
type Image struct {
	data []byte
}

// New makes an empty, formatted disk. Name (at most 16 characters) and id
// (two characters) are ASCII and are stored as PETSCII.
func New(name, id string) (*Image, error) {
	n, err := DiskName(name)
	if err != nil {
		return nil, err
	}
	if len(id) != 2 {
		return nil, fmt.Errorf("disk id %q: want 2 characters", id)
	}
	i, err := petscii(id)
	if err != nil {
		return nil, fmt.Errorf("disk id %q: %w", id, err)
	}
	d := &Image{data: make([]byte, Size)}
	h := d.sector(TS{DirTrack, headerSector})
	h[0], h[1], h[2] = DirTrack, firstDir, 'D'
	copy(h[4:], pad(n, NameLength))
	h[0x14], h[0x15] = padding, padding
	copy(h[0x16:], i)
	h[0x18] = padding
	h[0x19], h[0x1A] = '3', 'D'
	h[0x1B], h[0x1C] = padding, padding
	for b := range 2 {
		s := d.sector(TS{DirTrack, byte(bamSector + b)})
		s[0], s[1] = DirTrack, bamSector+1
		if b == 1 {
			s[0], s[1] = 0, 0xFF
		}
		s[2], s[3] = 'D', ^byte('D')
		copy(s[4:], i)
		s[6] = 0xC0 // verify after write, check header CRC
	}
	for t := 1; t <= Tracks; t++ {
		e := d.bamEntry(t)
		e[0] = Sectors
		for k := 1; k <= 5; k++ {
			e[k] = 0xFF
		}
	}
	for s := range firstDir + 1 {
		d.allocate(TS{DirTrack, byte(s)})
	}
	dir := d.sector(TS{DirTrack, firstDir})
	dir[0], dir[1] = 0, 0xFF
	return d, nil
}

// Open takes a disk image of 819,200 bytes, or 822,400 with error bytes (they
// are left out). It copies b. It checks the size and the marks of the format;
// Validate checks the rest.
func Open(b []byte) (*Image, error) {
	if len(b) != Size && len(b) != SizeErrors {
		return nil, fmt.Errorf("not a D81: %d bytes long, want %d (or %d with error bytes)", len(b), Size, SizeErrors)
	}
	d := &Image{data: append([]byte(nil), b[:Size]...)}
	at := TS{DirTrack, headerSector}
	h := d.sector(at)
	if h[2] != 'D' {
		return nil, &PlaceError{TS: at, Msg: fmt.Sprintf("format byte is $%02X, want $44 ('D'): not a 1581 disk, or not formatted", h[2])}
	}
	if !(TS{h[0], h[1]}).Valid() {
		return nil, &PlaceError{TS: at, Msg: fmt.Sprintf("the directory link points to track %d sector %d, off the disk", h[0], h[1])}
	}
	return d, nil
}

// Bytes is the image itself: 819,200 bytes, to write to a .d81 file.
func (d *Image) Bytes() []byte { return d.data }

// Name is the disk's name in ASCII.
func (d *Image) Name() string { return ascii(d.sector(TS{DirTrack, headerSector})[4:20]) }

// ID is the disk's two-character id in ASCII.
func (d *Image) ID() string { return ascii(d.sector(TS{DirTrack, headerSector})[0x16:0x18]) }

// sector is the 256 bytes at a valid place.
func (d *Image) sector(p TS) []byte { return d.data[p.Offset():][:SectorSize] }

func pad(name []byte, n int) []byte {
	out := append([]byte(nil), name...)
	for len(out) < n {
		out = append(out, padding)
	}
	return out
}

// ascii shows a padded PETSCII name.
func ascii(name []byte) string {
	var s strings.Builder
	for _, b := range name {
		if b == padding {
			break
		}
		s.WriteByte(hw.ASCIIOfPETSCII(b))
	}
	return s.String()
}

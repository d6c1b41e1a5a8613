package d81

import (
	"fmt"
)

// Entry is a file in the directory.
type Entry struct {
	Name   string // as ASCII
	Raw    []byte // as PETSCII, without padding
	Type   FileType
	Closed bool // a file that was written to its end
	Locked bool
	Start  TS
	Blocks int // as the directory says

	at  TS // the directory sector
	pos int
}

// Files lists the directory in its order, deleted entries left out. A broken
// directory gives the entries before the fault and a *PlaceError.
func (d *Image) Files() ([]Entry, error) {
	var files []Entry
	err := d.eachSlot(func(at TS, pos int, b []byte) bool {
		if b[2] != 0 {
			files = append(files, parseEntry(at, pos, b))
		}
		return true
	})
	return files, err
}

func parseEntry(at TS, pos int, b []byte) Entry {
	n := 0
	for n < NameLength && b[5+n] != padding {
		n++
	}
	return Entry{
		Name: ascii(b[5:21]), Raw: append([]byte(nil), b[5:5+n]...),
		Type: FileType(b[2] & 7), Closed: b[2]&0x80 != 0, Locked: b[2]&0x40 != 0,
		Start: TS{b[3], b[4]}, Blocks: int(b[0x1E]) | int(b[0x1F])<<8,
		at: at, pos: pos,
	}
}

// eachSlot calls f for each 32-byte slot of the directory until f says false.
func (d *Image) eachSlot(f func(at TS, pos int, slot []byte) bool) error {
	h := d.sector(TS{DirTrack, headerSector})
	at := TS{h[0], h[1]}
	seen := map[TS]bool{}
	for {
		if !at.Valid() {
			return &PlaceError{TS: at, Msg: "the directory's chain leaves the disk"}
		}
		if seen[at] {
			return &PlaceError{TS: at, Msg: "the directory's chain runs in a circle"}
		}
		seen[at] = true
		s := d.sector(at)
		for i := range dirInSect {
			if !f(at, i*entrySize, s[i*entrySize:][:entrySize]) {
				return nil
			}
		}
		if s[0] == 0 {
			return nil
		}
		at = TS{s[0], s[1]}
	}
}

// Find gives the file of that ASCII name, case folded as on the disk.
func (d *Image) Find(name string) (Entry, error) {
	raw, err := FileName(name)
	if err != nil {
		return Entry{}, err
	}
	files, err := d.Files()
	for _, f := range files {
		if string(f.Raw) == string(raw) {
			return f, nil
		}
	}
	if err != nil {
		return Entry{}, err
	}
	return Entry{}, fmt.Errorf("no file %q on the disk", name)
}

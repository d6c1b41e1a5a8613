package machine

import (
	"errors"
	"fmt"

	"ssnail-kit/mega65/hw"
)

// The disk drive's DOS as the READY prompt and our KERNAL need it: find a file in
// the directory of a D81, read its chain.

// diskError is a disk that does not add up, or none.
type diskError struct {
	track, sector int // -1: the disk as a whole
	msg           string
}

func (e *diskError) Error() string {
	if e.track < 0 {
		return e.msg
	}
	return fmt.Sprintf("track %d sector %d: %s", e.track, e.sector, e.msg)
}

var errNotFound = errors.New("file not found")

// dirEntry is a file of the directory.
type dirEntry struct {
	name          string // PETSCII without padding
	kind          byte   // type byte
	track, sector int
	blocks        int
}

// block returns the 256 bytes of a logical sector.
func block(image []byte, track, sector int) ([]byte, error) {
	if track < 1 || track > 80 || sector < 0 || sector > 39 {
		return nil, &diskError{track, sector, "there is no such sector"}
	}
	off := ((track-1)*40 + sector) * 256
	return image[off : off+256], nil
}

// chain calls f with the data of each sector of a chain, without the link.
func chain(image []byte, track, sector int, f func(track, sector int, data []byte) error) error {
	var seen [81][40]bool
	for n := 0; ; n++ {
		b, err := block(image, track, sector)
		if err != nil {
			return err
		}
		if seen[track][sector] {
			return &diskError{track, sector, "the chain of sectors comes back to where it was"}
		}
		seen[track][sector] = true
		data := b[2:]
		if b[0] == 0 {
			if b[1] < 1 {
				return &diskError{track, sector, fmt.Sprintf("the last sector of a file ends at byte %d", b[1])}
			}
			data = b[2 : int(b[1])+1]
		}
		if err := f(track, sector, data); err != nil {
			return err
		}
		if b[0] == 0 {
			return nil
		}
		track, sector = int(b[0]), int(b[1])
	}
}

// errEnough ends a walk through the directory.
var errEnough = errors.New("enough")

// directory calls visit with each file of a D81 until it returns false. What is
// broken behind that place does not matter, as with a real drive.
func directory(image []byte, visit func(dirEntry) bool) error {
	if image == nil {
		return &diskError{-1, -1, "no disk in the drive"}
	}
	err := chain(image, 40, 3, func(t, s int, _ []byte) error {
		b, err := block(image, t, s)
		if err != nil {
			return err
		}
		for i := 0; i < 256; i += 32 {
			e := b[i : i+32]
			if e[2]&0x0F == 0 || e[2]&0x80 == 0 {
				continue // deleted, or never closed
			}
			if !visit(dirEntry{
				name: unpad(e[5:21]), kind: e[2],
				track: int(e[3]), sector: int(e[4]), blocks: int(e[30]) | int(e[31])<<8,
			}) {
				return errEnough
			}
		}
		return nil
	})
	if err != nil && err != errEnough {
		return fmt.Errorf("directory: %w", err)
	}
	return nil
}

// unpad cuts the shifted blanks behind a name.
func unpad(name []byte) string {
	for len(name) > 0 && name[len(name)-1] == 0xA0 {
		name = name[:len(name)-1]
	}
	return string(name)
}

// diskFile reads a file by its PETSCII name; "*" is the first one.
func diskFile(image []byte, name string) ([]byte, error) {
	var file *dirEntry
	err := directory(image, func(e dirEntry) bool {
		if matches(name, e.name) {
			file = &e
		}
		return file == nil
	})
	if err != nil {
		return nil, err
	}
	if file == nil {
		return nil, fmt.Errorf("%s: %w", showName(name), errNotFound)
	}
	var out []byte
	err = chain(image, file.track, file.sector, func(_, _ int, data []byte) error {
		out = append(out, data...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", showName(file.name), err)
	}
	return out, nil
}

// matches compares as DOS does: '?' is any character, '*' any rest.
func matches(pattern, name string) bool {
	for i := range len(pattern) {
		if pattern[i] == '*' {
			return true
		}
		if i >= len(name) || pattern[i] != '?' && pattern[i] != name[i] {
			return false
		}
	}
	return len(pattern) == len(name)
}

func showName(name string) string {
	b := []byte(name)
	for i := range b {
		b[i] = hw.ASCIIOfPETSCII(b[i])
	}
	return string(b)
}

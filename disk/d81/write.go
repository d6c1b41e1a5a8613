package d81

import (
	"errors"
	"fmt"
)

// FullError says how much too large a file is for a disk.
type FullError struct {
	Name         string
	Bytes        int
	Blocks, Free int
}

func (e *FullError) Error() string {
	return fmt.Sprintf("disk full: %q needs %d blocks (%d bytes), %d are free", e.Name, e.Blocks, e.Bytes, e.Free)
}

// ErrDirectoryFull is returned for a 297th file.
var ErrDirectoryFull = errors.New("directory full: a D81 holds 296 files")

// ErrExists is wrapped by Add's error for a name that is taken.
var ErrExists = errors.New("a file of that name exists")

// BlocksFor is the number of blocks that a file of n bytes takes.
func BlocksFor(n int) int { return (n + BlockData - 1) / BlockData }

// Add writes a file at the directory's end. Name is ASCII. On an error the
// disk is unchanged.
func (d *Image) Add(name string, t FileType, data []byte) error {
	raw, err := FileName(name)
	if err != nil {
		return err
	}
	if t > USR {
		return fmt.Errorf("file %q: cannot write files of %v", name, t)
	}
	if len(data) == 0 {
		return fmt.Errorf("file %q: empty files have no form on a D81", name)
	}
	if _, err := d.Find(name); err == nil {
		return fmt.Errorf("%q: %w", name, ErrExists)
	}
	blocks := BlocksFor(len(data))
	if free := d.BlocksFree(); blocks > free {
		return &FullError{Name: name, Bytes: len(data), Blocks: blocks, Free: free}
	}
	slot, err := d.freeSlot()
	if err != nil {
		return err
	}
	start, err := d.writeChain(data)
	if err != nil {
		return fmt.Errorf("file %q: %w", name, err)
	}
	slot[2] = 0x80 | byte(t)
	slot[3], slot[4] = start.Track, start.Sector
	copy(slot[5:21], pad(raw, NameLength))
	clear(slot[21:30])
	slot[30], slot[31] = byte(blocks), byte(blocks>>8)
	return nil
}

// Replace writes a file in place of the one of the same name, or adds it. A
// new version that does not fit leaves the old one as it was.
func (d *Image) Replace(name string, t FileType, data []byte) error {
	old, err := d.Find(name)
	if err != nil {
		return d.Add(name, t, data)
	}
	backup := append([]byte(nil), d.data...)
	if err := d.Delete(old); err == nil {
		err = d.Add(name, t, data)
		if err == nil {
			return nil
		}
		d.data = backup
		return err
	}
	d.data = backup
	return fmt.Errorf("%q cannot be replaced: its blocks are damaged", name)
}

// Delete frees a file's blocks and its directory entry.
func (d *Image) Delete(e Entry) error {
	places, err := d.walk(e.Name, e.Start, func([]byte) {})
	if err != nil {
		return err
	}
	for _, p := range places {
		d.release(p)
	}
	d.sector(e.at)[e.pos+2] = 0
	return nil
}

// writeChain stores data in free blocks; the caller has counted them.
func (d *Image) writeChain(data []byte) (TS, error) {
	start, ok := d.nextFree(TS{1, 0})
	if !ok {
		return TS{}, errors.New("the block map has no free block")
	}
	for at := start; ; {
		d.allocate(at)
		s := d.sector(at)
		clear(s)
		n := copy(s[2:], data)
		data = data[n:]
		if len(data) == 0 {
			s[0], s[1] = 0, byte(n+1)
			return start, nil
		}
		next, ok := d.nextFree(at)
		if !ok {
			return TS{}, errors.New("the block map has no free block")
		}
		s[0], s[1] = next.Track, next.Sector
		at = next
	}
}

// freeSlot finds an unused directory slot, or lengthens the directory.
func (d *Image) freeSlot() ([]byte, error) {
	var slot []byte
	var last TS
	err := d.eachSlot(func(at TS, _ int, b []byte) bool {
		last = at
		if b[2] == 0 {
			slot = b
			return false
		}
		return true
	})
	if err != nil || slot != nil {
		return slot, err
	}
	for s := byte(firstDir); s < Sectors; s++ {
		p := TS{DirTrack, s}
		if !d.isFree(p) {
			continue
		}
		d.allocate(p)
		l := d.sector(last)
		l[0], l[1] = p.Track, p.Sector
		n := d.sector(p)
		clear(n)
		n[1] = 0xFF
		return n[:entrySize], nil
	}
	return nil, ErrDirectoryFull
}

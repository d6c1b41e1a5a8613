// Package d81 makes, reads and checks D81 disk images: the 1581 format, 80
// tracks of 40 sectors of 256 bytes, as the MEGA65 mounts them from its SD
// card. Nothing here depends on the time or on chance: the same calls give the
// same bytes.
//
// format.go holds the geometry, image.go makes and opens disks, bam.go keeps
// the map of free blocks, directory.go and chain.go read files, write.go adds
// them, validate.go checks a whole disk, names.go makes file names.
package d81

import "fmt"

// Geometry of a D81.
const (
	Tracks      = 80
	Sectors     = 40 // logical sectors on a track, 0-39
	SectorSize  = 256
	Size        = Tracks * Sectors * SectorSize // 819,200 bytes
	SizeErrors  = Size + Tracks*Sectors         // with an error byte for each sector
	BlockData   = SectorSize - 2                // bytes of a file in one block
	DirTrack    = 40
	TotalBlocks = (Tracks - 1) * Sectors    // 3,160: track 40 is the system's
	MaxFile     = TotalBlocks * BlockData   // 802,640 bytes
	MaxFiles    = (Sectors - 3) * dirInSect // 296 directory entries
	NameLength  = 16

	headerSector = 0
	bamSector    = 1 // and 2
	firstDir     = 3
	dirInSect    = 8
	entrySize    = 32
	padding      = 0xA0
)

// TS is a track (1-80) and a logical sector on it (0-39).
type TS struct{ Track, Sector byte }

func (p TS) String() string { return fmt.Sprintf("track %d sector %d", p.Track, p.Sector) }

// Valid tells whether the place is on the disk.
func (p TS) Valid() bool { return p.Track >= 1 && p.Track <= Tracks && p.Sector < Sectors }

// Offset is the place's byte offset in the image.
func (p TS) Offset() int { return ((int(p.Track)-1)*Sectors + int(p.Sector)) * SectorSize }

// FileType is the low bits of a directory entry's type byte.
type FileType byte

// File types.
const (
	DEL FileType = 0
	SEQ FileType = 1
	PRG FileType = 2
	USR FileType = 3
	REL FileType = 4
	CBM FileType = 5
)

func (t FileType) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("type %d", byte(t))
}

var typeNames = [...]string{"DEL", "SEQ", "PRG", "USR", "REL", "CBM"}

// PlaceError is something wrong at one place of a disk.
type PlaceError struct {
	TS   TS
	File string // "" for the disk's own structures
	Msg  string
}

func (e *PlaceError) Error() string {
	if e.File == "" {
		return fmt.Sprintf("%v: %s", e.TS, e.Msg)
	}
	return fmt.Sprintf("file %q, %v: %s", e.File, e.TS, e.Msg)
}

package d81

import "math/bits"

// bamEntry is the six bytes for a track: free count, then a bit per sector,
// 1 = free, bit n of byte 1+k for sector 8k+n.
func (d *Image) bamEntry(track int) []byte {
	s := d.sector(TS{DirTrack, byte(bamSector + (track-1)/40)})
	return s[0x10+6*((track-1)%40):][:6]
}

func (d *Image) isFree(p TS) bool {
	return d.bamEntry(int(p.Track))[1+p.Sector/8]&(1<<(p.Sector%8)) != 0
}

func (d *Image) allocate(p TS) {
	if e := d.bamEntry(int(p.Track)); d.isFree(p) {
		e[1+p.Sector/8] &^= 1 << (p.Sector % 8)
		e[0]--
	}
}

func (d *Image) release(p TS) {
	if e := d.bamEntry(int(p.Track)); !d.isFree(p) {
		e[1+p.Sector/8] |= 1 << (p.Sector % 8)
		e[0]++
	}
}

// BlocksFree is what the machine's DIR shows: the free blocks outside the
// directory's track. It counts bits, so that a wrong count byte does not lie.
func (d *Image) BlocksFree() int {
	n := 0
	for t := 1; t <= Tracks; t++ {
		if t != DirTrack {
			n += trackFree(d.bamEntry(t))
		}
	}
	return n
}

func trackFree(e []byte) int {
	n := 0
	for _, b := range e[1:6] {
		n += bits.OnesCount8(b)
	}
	return n
}

// nextFree finds the first free block at or behind p, never on the
// directory's track.
func (d *Image) nextFree(p TS) (TS, bool) {
	for t, s := int(p.Track), int(p.Sector); t <= Tracks; t, s = t+1, 0 {
		if t == DirTrack {
			continue
		}
		for ; s < Sectors; s++ {
			if q := (TS{byte(t), byte(s)}); d.isFree(q) {
				return q, true
			}
		}
	}
	return TS{}, false
}

package d81

import "fmt"

// Validate checks a whole disk: the marks of header and block map, every
// chain, the counts, and that the map marks exactly the blocks in use. It
// returns everything it finds wrong, in the order of the disk.
func (d *Image) Validate() []error {
	var bad []error
	say := func(at TS, file, format string, args ...any) {
		bad = append(bad, &PlaceError{TS: at, File: file, Msg: fmt.Sprintf(format, args...)})
	}
	head := TS{DirTrack, headerSector}
	h := d.sector(head)
	if h[0] != DirTrack || h[1] != firstDir || h[2] != 'D' {
		say(head, "", "header begins %02X %02X %02X, want 28 03 44", h[0], h[1], h[2])
	}
	if h[0x19] != '3' || h[0x1A] != 'D' {
		say(head, "", "DOS type is %02X %02X, want 33 44 (3D)", h[0x19], h[0x1A])
	}
	for b := range byte(2) {
		at := TS{DirTrack, bamSector + b}
		if s := d.sector(at); s[2] != 'D' || s[3] != ^byte('D') {
			say(at, "", "block map begins .. .. %02X %02X, want 44 BB", s[2], s[3])
		}
	}
	for t := 1; t <= Tracks; t++ {
		e := d.bamEntry(t)
		if int(e[0]) != trackFree(e) {
			say(TS{DirTrack, byte(bamSector + (t-1)/40)}, "", "track %d counts %d free blocks, its bits say %d", t, e[0], trackFree(e))
		}
	}

	owner := map[TS]string{}
	for s := range byte(firstDir) {
		owner[TS{DirTrack, s}] = "the disk's header and block map"
	}
	err := d.eachSlot(func(at TS, _ int, _ []byte) bool {
		owner[at] = "the directory"
		if at.Track != DirTrack {
			say(at, "", "the directory stands outside track 40")
		}
		return true
	})
	if err != nil {
		bad = append(bad, err)
	}
	files, _ := d.Files()
	names := map[string]bool{}
	for _, f := range files {
		if len(f.Raw) == 0 {
			say(f.at, "", "a file has no name")
		}
		if names[string(f.Raw)] {
			say(f.at, f.Name, "stands in the directory twice")
		}
		names[string(f.Raw)] = true
		if !f.Closed {
			say(f.at, f.Name, "was never closed")
		}
		if f.Type > USR {
			continue // REL side sectors and partitions are not ours to judge
		}
		places, err := d.walk(f.Name, f.Start, func([]byte) {})
		if err != nil {
			bad = append(bad, err)
		} else if len(places) != f.Blocks {
			say(f.at, f.Name, "the directory says %d blocks, its chain has %d", f.Blocks, len(places))
		}
		for _, p := range places {
			if o, ok := owner[p]; ok {
				say(p, f.Name, "this block belongs to %s as well", o)
			}
			owner[p] = fmt.Sprintf("file %q", f.Name)
			if p.Track == DirTrack {
				say(p, f.Name, "a file's block stands on the directory's track")
			}
		}
	}
	for t := 1; t <= Tracks; t++ {
		for s := range Sectors {
			p := TS{byte(t), byte(s)}
			o, used := owner[p]
			switch free := d.isFree(p); {
			case used && free:
				say(p, "", "belongs to %s, but is marked free", o)
			case !used && !free:
				say(p, "", "is marked used, but belongs to nothing")
			}
		}
	}
	return bad
}

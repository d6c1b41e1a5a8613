package d81

import "fmt"

// ReadFile gives a file's bytes. A chain that leaves the disk, runs in a
// circle or ends wrongly is a *PlaceError that names the file.
func (d *Image) ReadFile(e Entry) ([]byte, error) {
	var out []byte
	_, err := d.walk(e.Name, e.Start, func(block []byte) { out = append(out, block...) })
	return out, err
}

// walk follows a chain and gives each block's data to f; it returns the
// places in their order.
func (d *Image) walk(name string, at TS, f func(block []byte)) ([]TS, error) {
	var places []TS
	seen := map[TS]bool{}
	from := "the directory"
	for {
		if !at.Valid() {
			return places, &PlaceError{TS: at, File: name, Msg: fmt.Sprintf("off the disk (the link in %s)", from)}
		}
		if seen[at] {
			return places, &PlaceError{TS: at, File: name, Msg: fmt.Sprintf("the chain runs in a circle (the link in %s)", from)}
		}
		seen[at] = true
		places = append(places, at)
		s := d.sector(at)
		if s[0] != 0 {
			f(s[2:])
			from = at.String()
			at = TS{s[0], s[1]}
			continue
		}
		if s[1] < 2 {
			return places, &PlaceError{TS: at, File: name, Msg: fmt.Sprintf("last block says that byte %d is its last, want 2-255", s[1])}
		}
		f(s[2 : int(s[1])+1])
		return places, nil
	}
}

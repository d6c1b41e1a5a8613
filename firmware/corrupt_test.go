package firmware

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ssnail-kit/disk/d81"
	"ssnail-kit/emu/machine"
	"ssnail-kit/host/image"
)

// sectors lists the sectors of the first file of a disk.
func sectors(b []byte) (list []d81.TS) {
	at := d81.TS{Track: 40, Sector: 3}.Offset()
	for ts := (d81.TS{Track: b[at+3], Sector: b[at+4]}); ts.Track != 0; {
		list = append(list, ts)
		o := ts.Offset()
		ts = d81.TS{Track: b[o], Sector: b[o+1]}
	}
	return list
}

// A disk or a header that does not add up is told in words, and nothing of it
// is run: above all a chain that goes in circles, which yields bytes for ever.
func TestCorruptDisksInWords(t *testing.T) {
	good := toy(t, nil, image.Instruction{Op: image.HALT})
	link := func(from, to int) []byte {
		b := disk(t, file{"M.SSNL", good})
		s := sectors(b)
		o := s[from].Offset()
		b[o], b[o+1] = s[to].Track, s[to].Sector
		return b
	}
	place := func(i int) string {
		s := sectors(disk(t, file{"M.SSNL", good}))[i]
		return fmt.Sprintf("goes on at track %d, sector %d", s.Track, s.Sector)
	}
	last := len(sectors(disk(t, file{"M.SSNL", good}))) - 1
	header := func(off int, v uint32) []byte {
		return disk(t, file{"M.SSNL", toy(t, func(b []byte) { word(b, off, v) })})
	}
	var many []file
	for i := range 34 {
		many = append(many, file{fmt.Sprintf("M%d.SSNL", i), good[:image.HeaderSize]})
	}
	directory := disk(t, many...)
	directory[d81.TS{Track: 40, Sector: 3}.Offset()] = 90
	for _, c := range []struct {
		name string
		disk []byte
		keys string // \\r: choose it all the same
		want []string
	}{
		{"file in circles", link(9, 4), "", []string{"M.SSNL", "read to its end", "goes on at track", "Make the disk anew"}},
		{"last sector in a circle", link(last, last), "", []string{place(last)}},
		{"file longer than its image", disk(t, file{"M.SSNL", append(good[:len(good):len(good)], make([]byte, 600)...)}), "", []string{"read to its end", "goes on at track"}},
		{"less than a header", disk(t, file{"M.SSNL", good[:100]}), "\\r", []string{"M.SSNL", "broken", "ends too early"}},
		{"script outside", header(image.OffScript, 0), "\\r", []string{"M.SSNL", "broken", "does not add up"}},
		{"script at an odd address", header(image.OffScript, image.Payload+8), "\\r", []string{"M.SSNL", "broken", "does not add up"}},
		{"script behind the file", header(image.OffScript, 0x8FFFFFF0), "\\r", []string{"M.SSNL", "broken", "does not add up"}},
		{"vocab table outside", header(image.OffVocab, 0), "\\r", []string{"M.SSNL", "broken", "does not add up"}},
		{"more tokens than the file can name", header(image.OffNVocab, math.MaxUint32), "\\r", []string{"M.SSNL", "broken", "does not add up"}},
		{"a few tokens more than the file can name", header(image.OffNVocab, uint32(len(good)/4)), "\\r", []string{"M.SSNL", "broken", "does not add up"}},
		{"tokenizer outside", header(image.OffTokenizer, image.Base), "\\r", []string{"M.SSNL", "broken", "does not add up"}},
		{"token buffer elsewhere", header(image.OffTokens, image.Payload), "\\r", []string{"M.SSNL", "broken", "does not add up"}},
		{"less memory than the file", header(image.OffMemNeeded, uint32(len(good)/2)), "\\r", []string{"M.SSNL", "broken", "does not add up"}},
		{"directory off the disk", directory, "", []string{"M0.SSNL", "chain of sectors is broken at track 90"}},
		{"more models than rows", disk(t, many...), "", []string{"M15.SSNL", "1 of 30", "4 more have no place"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := screen(t, machine.Options{Disk: c.disk}, c.keys)
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("%q is not on the screen:\n%s", w, got)
				}
			}
		})
	}
}

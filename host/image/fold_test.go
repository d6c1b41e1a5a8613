package image_test

import (
	"bytes"
	"testing"

	"ssnail-kit/host/image"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain ~\t\n", "plain ~\t\n"},
		{"\x00\r\x7f", "???"},
		{"‘’‚‛′ “”„‟″«»", "''''' \"\"\"?\"\"\""},
		{"‐‑‒–—―− …", "------- ..."},
		{"a\u00a0b×ß", "a bxss"},
		{"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞ", "AAAAAAAECEEEEIIIIDNOOOOOOUUUUYT"},
		{"àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ", "aaaaaaaeceeeeiiiidnooooo/ouuuuyty"},
		{"Œœ•·™©®", "OEoe*.(TM)(c)(R)"},
		{"日本語 🐌 ŁΩ", "??? ? ??"},
		{"\xc3", ""},               // unfinished
		{"\xc3(", "?("},            // broken, the next byte is read afresh
		{"\xe2\x80\xc3\xa9", "?e"}, // broken by a lead byte
		{"\x80\xbf\xf8\xff", "????"},
		{"\xc1\xa1\xf0\x80\x80\xa1", "a!"}, // no check for overlong forms
	} {
		var f image.Folder
		if got := f.Fold(nil, []byte(c.in)); string(got) != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

// FuzzFold: the output is printable, bounded, and does not depend on where the
// stream is cut.
func FuzzFold(f *testing.F) {
	for _, s := range []string{"", "plain", "caf\xc3\xa9", "\xe2\x80", "\xf0\x9f\x90\x8c\xff", "\xc1\xa1"} {
		f.Add([]byte(s), 1)
	}
	f.Fuzz(func(t *testing.T, src []byte, cut int) {
		var whole image.Folder
		want := whole.Fold(nil, src)
		for _, b := range want {
			if b != 9 && b != 10 && (b < 32 || b > 126) {
				t.Fatalf("byte %d in %q", b, want)
			}
		}
		if len(want) > 4*len(src) {
			t.Fatalf("%d bytes became %d", len(src), len(want))
		}
		if cut < 0 || cut > len(src) {
			return
		}
		var parts image.Folder
		got := parts.Fold(nil, src[:cut])
		got = parts.Fold(got, src[cut:])
		if !bytes.Equal(got, want) {
			t.Fatalf("cut at %d: %q, whole %q", cut, got, want)
		}
	})
}

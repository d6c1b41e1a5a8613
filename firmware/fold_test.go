package firmware

import (
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ssnail-kit/emu/machine"
	"ssnail-kit/host/image"
)

// capture makes the program's text output go to a buffer at $c100.
func (r *rig) capture() {
	r.m.Poke(rigAt+0x80, []byte{
		0xAE, 0xFF, 0xC0, // ldx $c0ff
		0x9D, 0x00, 0xC1, // sta $c100,x
		0xEE, 0xFF, 0xC0, // inc $c0ff
		0x60,
	})
	r.m.Poke(r.base("out"), []byte{0x80, 0xC0})
	r.m.Poke(rigAt+0xFF, []byte{0})
}

func (r *rig) captured() string {
	return string(r.m.Peek(rigAt+0x100, int(r.byteAt(rigAt+0xFF))))
}

// fold folds a stream on the machine and in Go.
func compareFold(t *testing.T, r *rig, in []byte) string {
	t.Helper()
	r.call("fold_reset", 0, 0)
	r.capture()
	var f image.Folder
	want := string(f.Fold(nil, in))
	for _, b := range in {
		r.call("fold_byte", b, 0)
	}
	if got := r.captured(); got != want {
		t.Fatalf("% x: machine %q, Go %q", in, got, want)
	}
	return want
}

func TestFolder(t *testing.T) {
	r := newRig(t, machine.Options{})
	for c := range 0x100 { // every character of two bytes, C0-FF among them
		compareFold(t, r, []byte{0xC2 + byte(c>>6), 0x80 | byte(c&0x3F)})
		compareFold(t, r, []byte{byte(c)})
		compareFold(t, r, []byte{0xE2, 0x80 + byte(c>>6), 0x80 | byte(c&0x3F)}) // U+2000-U+20FF
	}
	for _, s := range []string{"œŒ", "™", "−", "日本", "🐌", "é̀"} {
		compareFold(t, r, []byte(s))
	}
	rng := rand.New(rand.NewPCG(3, 4))
	interesting := []byte{0x41, 0x20, 0x0A, 0x09, 0x00, 0x7F, 0x80, 0x98, 0x99, 0x9C, 0xA9, 0xBF, 0xC0, 0xC3, 0xDF, 0xE2, 0xEF, 0xF0, 0xF7, 0xF8, 0xFF}
	for range 400 {
		b := make([]byte, 1+rng.IntN(12))
		for i := range b {
			b[i] = interesting[rng.IntN(len(interesting))]
		}
		compareFold(t, r, b)
	}
}

func TestFolderGolden(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(shared(t), "golden", "fold.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]string
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, machine.Options{})
	for _, c := range cases {
		in, err := hex.DecodeString(c[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := compareFold(t, r, in); got != c[1] {
			t.Fatalf("%s: %q, want %q", c[0], got, c[1])
		}
	}
}

package image_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"ssnail-kit/host/image"
)

func TestOpenRefuses(t *testing.T) {
	good := toyImage(t, toySPM())
	open(t, good)
	word := func(off int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { put32(b, off, v); return b }
	}
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
		want   string // in the message
		offset int64
	}{
		{"empty file", func(b []byte) []byte { return nil }, "ends after 0 bytes", 0},
		{"one byte", func(b []byte) []byte { return b[:1] }, "ends after 1 bytes", 1},
		{"half a header", func(b []byte) []byte { return b[:100] }, "the header alone has 256", 100},
		{"header only", func(b []byte) []byte { return b[:256] }, "cut short", 256},
		{"last byte missing", func(b []byte) []byte { return b[:len(b)-1] }, "cut short", int64(len(good) - 1)},
		{"a byte too many", func(b []byte) []byte { return append(b, 0) }, "1 bytes follow", int64(len(good))},
		{"a GGUF", func(b []byte) []byte { copy(b, "GGUF"); return b }, `begins with "GGUF"`, 0},
		{"version 2", word(4, 2), "version 2", 4},
		{"version 0", word(4, 0), "version 0", 4},
		{"payload length", word(0x2C, 1<<31), "payload of 2147483648 bytes", 0x2C},
		{"payload length wraps", word(0x2C, 0xFFFFFFFF), "payload", 0x2C},
		{"scratch", word(0x10, 0x8005000), "payload", 0x2C},
		{"load address", word(0x64, 0x8000000), "loads at", 0x64},
		{"token buffer", word(0x14, 0), "token buffer", 0x14},
		{"script outside", word(0x08, 0x8000000), "the script", 0x08},
		{"script at the end of memory", word(0x08, 0xFFFFFFF0), "the script", 0x08},
		{"script misaligned", word(0x08, 0x8005008), "multiple of 16", 0x08},
		{"script's end before it", word(0x0C, 0x8005000), "script's end", 0x0C},
		{"script's end outside", word(0x0C, 0x8F05000), "script's end", 0x0C},
		{"vocab outside", word(0x18, 0x8000000), "vocab table", 0x18},
		{"vocab of 4 billion", word(0x1C, 0xFFFFFFFF), "vocab table", 0x18},
		{"tokenizer outside", word(0x78, 0xFFFFFFFF), "tokenizer block", 0x78},
		{"no context", word(0x20, 0), "context of 0", 0x20},
		{"context beyond the token buffer", word(0x20, 4096), "context of 4096", 0x20},
		{"architecture", word(0x3C, 3), "architecture 3", 0x3C},
		{"encoder flag on a llama", word(0x04, 0x10001), "flags $0001", 0x06},
		{"no output", word(0x34, 0), "no values", 0x34},
		{"output in the payload", word(0x30, 0x8005000), "logits", 0x30},
		{"output wraps", word(0x34, 0xFFFFFFFF), "logits", 0x30},
		{"too little memory", word(0x38, 256), "memory needed", 0x38},
		{"too much memory", word(0x38, 0xFFFFFFFF), "memory needed", 0x38},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := c.change(bytes.Clone(good))
			_, err := image.Open(bytes.NewReader(b), int64(len(b)))
			var fe *image.FormatError
			if !errors.As(err, &fe) {
				t.Fatalf("got %v, want a FormatError", err)
			}
			if !strings.Contains(err.Error(), c.want) || fe.Offset != c.offset {
				t.Errorf("got %v, want %q at $%X", err, c.want, c.offset)
			}
		})
	}
}

func TestEncoderOutput(t *testing.T) {
	h, err := image.ParseHeader(toyImage(t, toySPM()))
	if err != nil {
		t.Fatal(err)
	}
	h.Arch, h.Flags, h.Output, h.OutputLen = image.Bert, image.FlagEncoder, image.OutputVector, 960
	b := h.Encode()
	if _, err := image.ParseHeader(b[:]); err != nil {
		t.Error(err)
	}
	h.OutputLen = 961
	b = h.Encode()
	if _, err := image.ParseHeader(b[:]); err == nil {
		t.Error("an output vector over 3840 bytes was accepted")
	}
}

// A description is cut to 127 bytes, between characters.
func TestDescription(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"short", "short"},
		{"a\x00b", "a"},
		{strings.Repeat("a", 127), strings.Repeat("a", 127)},
		{strings.Repeat("a", 128), strings.Repeat("a", 127)},
		{strings.Repeat("a", 126) + "é", strings.Repeat("a", 126)},
		{strings.Repeat("a", 125) + "éé", strings.Repeat("a", 125) + "é"},
		{strings.Repeat("🐌", 40), strings.Repeat("🐌", 31)},
	} {
		h, _ := image.ParseHeader(toyImage(t, toySPM()))
		h.Description = c.in
		b := h.Encode()
		got, err := image.ParseHeader(b[:])
		if err != nil || got.Description != c.want || !utf8.ValidString(got.Description) {
			t.Errorf("%q becomes %q (%v), want %q", c.in, got.Description, err, c.want)
		}
	}
}

func TestImageMemory(t *testing.T) {
	file := toyImage(t, toySPM())
	im := open(t, file)
	all := make([]byte, im.MemNeeded)
	for i := range all {
		all[i] = 0xAA
	}
	if err := im.Read(image.Base, all); err != nil {
		t.Fatal(err)
	}
	want := make([]byte, im.MemNeeded)
	copy(want, file[:image.HeaderSize])
	copy(want[image.Payload-image.Base:], file[image.HeaderSize:])
	if !bytes.Equal(all, want) {
		t.Error("the memory is not the file at its load addresses and zeros elsewhere")
	}
	for _, addr := range []uint32{0, image.Base - 1, image.Base + im.MemNeeded - 3, 0xFFFFFFFE} {
		if err := im.Read(addr, make([]byte, 4)); err == nil {
			t.Errorf("4 bytes at $%X were read", addr)
		}
	}
}

func TestPlace(t *testing.T) {
	for _, c := range []struct{ addr, size, align, want uint32 }{
		{0x8005001, 10, 32, 0x8005020},
		{0xBFFFFE0, 32, 32, 0xBFFFFE0},
		{0xBFFFFE0, 33, 32, 0xC000000},
		{0xC000020, 1 << 20, 32, 0xC000020},
		{0xBFFFFE1, 1, 32, 0xC000000},
		{0xBFFFF00, 0, 256, 0xBFFFF00},
	} {
		if got := image.Place(c.addr, c.size, c.align); got != c.want {
			t.Errorf("Place($%X, %d, %d) = $%X, want $%X", c.addr, c.size, c.align, got, c.want)
		}
	}
}

func TestInstructionRoundTrip(t *testing.T) {
	in := image.Instruction{Op: image.GEMV, A: 8, B: 3, X: 0x81234567, Y: 0x8001000, Z: image.Rel(15, 0xFFFFFF)}
	b := in.Encode()
	if want := []byte{0x10, 8, 3, 0, 0x67, 0x45, 0x23, 0x81, 0, 0x10, 0, 8, 0xFF, 0xFF, 0xFF, 0x8F}; !bytes.Equal(b[:], want) {
		t.Errorf("encodes to % x, want % x", b, want)
	}
	if got := image.Decode(&b); got != in {
		t.Errorf("got %v, want %v", got, in)
	}
	if rel, reg, off := image.SplitRel(in.X); !rel || reg != 1 || off != 0x234567 {
		t.Errorf("X is %v A%d+$%X", rel, reg, off)
	}
	known := 0
	for i := range 256 {
		op := image.Op(i)
		if got, ok := image.OpByName(op.String()); ok != op.Known() || ok && got != op {
			t.Errorf("%v: by name %v %v", op, got, ok)
		}
		if op.Known() {
			known++
		}
	}
	if known != 26 {
		t.Errorf("%d operations, want 26", known)
	}
}

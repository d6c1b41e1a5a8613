package ggml

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
)

// FuzzDequantize: no bytes make a format panic, Check finds the same blocks
// that CheckFinite finds in the values, and swapping twice changes nothing.
func FuzzDequantize(f *testing.F) {
	for t := range Type(len(formats)) {
		if t.BlockSize() > 0 {
			f.Add(uint32(t), madeBlocks(t, 2))
		}
	}
	f.Fuzz(func(t *testing.T, id uint32, b []byte) {
		typ := Type(id)
		if typ.BlockSize() == 0 {
			if Dequantize(typ, make([]float32, len(b)), b) == nil {
				t.Fatalf("%s is dequantised", typ.Describe())
			}
			return
		}
		b = b[:len(b)/typ.BlockBytes()*typ.BlockBytes()]
		v := make([]float32, len(b)/typ.BlockBytes()*typ.BlockSize())
		if err := Dequantize(typ, v, b); (err == nil) != typ.Known() {
			t.Fatal(err)
		}
		if typ.Known() {
			quick, slow := Check(typ, b), CheckFinite(v)
			if (quick == nil) != (slow == nil) {
				t.Fatalf("%s: %v, but %v", typ, quick, slow)
			}
			if q, ok := quick.(*ValueError); ok && q.Index/typ.BlockSize() != slow.(*ValueError).Index/typ.BlockSize() {
				t.Fatalf("%s: %v, but %v", typ, quick, slow)
			}
		}
		c := bytes.Clone(b)
		for range 2 {
			if err := SwapBytes(typ, c); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(b, c) {
			t.Fatalf("%s: swapped twice, the blocks differ", typ)
		}
	})
}

// FuzzQuantize holds the quick ways against the rules spelled out.
func FuzzQuantize(f *testing.F) {
	f.Add(make([]byte, 128))
	f.Add(bytes.Repeat([]byte{0, 0x24, 0x74, 0x49}, 32))    // 1e6
	f.Add(bytes.Repeat([]byte{0xc2, 0x16, 0x01, 0x00}, 32)) // 1e-40
	f.Add(bytes.Repeat([]byte{0, 0, 0x80, 0x7f, 1, 0, 0, 0}, 16))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 128 {
			return
		}
		x := make([]float32, 32)
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		finite := CheckFinite(x)
		for typ, slow := range map[Type]func([]float32) []byte{Q8_0: slowQ8_0, Q4_0: slowQ4_0} {
			got := make([]byte, typ.BlockBytes())
			err := Quantize(typ, got, x)
			if finite != nil {
				if err == nil || err.Error() != finite.Error() {
					t.Fatalf("%s: %v, want %v", typ, err, finite)
				}
				continue
			}
			if want := slow(x); !bytes.Equal(got, want) {
				t.Fatalf("%s of %v:\n% x, want\n% x", typ, x, got, want)
			}
			if infinite := got[1]&0x7c == 0x7c; infinite != (err != nil) {
				t.Fatalf("%s: scale %02x%02x, %v", typ, got[1], got[0], err)
			}
		}
	})
}

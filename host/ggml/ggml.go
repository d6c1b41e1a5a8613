// Package ggml knows the weight formats of the ggml library: their names and
// sizes, how to turn their blocks into float32, and how to make the few of
// them that an SSNAIL image holds.
//
// A row of weights is stored as blocks of BlockSize elements, each BlockBytes
// long; the number of columns is a multiple of BlockSize. Everything is
// little-endian here: a reader of big-endian files swaps with SwapBytes first.
package ggml

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Type is the number that ggml gives to a weight format, as it stands in
// files.
type Type uint32

// The formats that Dequantize reads. Some more have a name and a size.
const (
	F32     Type = 0
	F16     Type = 1
	Q4_0    Type = 2
	Q4_1    Type = 3
	Q5_0    Type = 6
	Q5_1    Type = 7
	Q8_0    Type = 8
	Q2_K    Type = 10
	Q3_K    Type = 11
	Q4_K    Type = 12
	Q5_K    Type = 13
	Q6_K    Type = 14
	IQ2_XXS Type = 16
	IQ2_XS  Type = 17
	IQ3_XXS Type = 18
	IQ1_S   Type = 19
	IQ4_NL  Type = 20
	IQ3_S   Type = 21
	IQ2_S   Type = 22
	IQ4_XS  Type = 23
	F64     Type = 28
	IQ1_M   Type = 29
	BF16    Type = 30
	TQ1_0   Type = 34
	TQ2_0   Type = 35
)

// format is what is known of one type. elems is 0 when nothing but the name
// is known.
type format struct {
	name   string
	note   string // why there is no size
	elems  int    // elements in a block
	bytes  int    // bytes of a block
	decode func(dst []float32, src []byte)
	scales []int  // offsets of half floats that multiply
	fields []span // multi-byte fields, for byte order
}

// span is a run of n fields, each width bytes wide, at off in a block.
type span struct{ off, width, n int }

func (t Type) format() *format {
	if int64(t) < int64(len(formats)) {
		return &formats[t]
	}
	return &format{}
}

// String is ggml's name in capitals, such as "Q4_K". A number that means
// nothing gives "type 99"; a format that ggml dropped keeps its name.
func (t Type) String() string {
	if f := t.format(); f.name != "" {
		return f.name
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// Describe is String with the number and, where there is one, the reason why
// the format cannot be read, for messages: "type 4 (Q4_2, removed from ggml)".
func (t Type) Describe() string {
	f := t.format()
	switch {
	case f.name == "":
		return fmt.Sprintf("type %d (unknown)", uint32(t))
	case f.note != "":
		return fmt.Sprintf("type %d (%s, %s)", uint32(t), f.name, f.note)
	}
	return fmt.Sprintf("type %d (%s)", uint32(t), f.name)
}

// TypeByName finds a format by its name in any case: "q8_0", "BF16".
func TypeByName(name string) (Type, bool) {
	for i, f := range formats {
		if f.name != "" && strings.EqualFold(f.name, name) {
			return Type(i), true
		}
	}
	return 0, false
}

// Known reports whether Dequantize reads the format.
func (t Type) Known() bool { return t.format().decode != nil }

// Quantized reports whether elements share a block, so that bits were lost
// when the weights were made.
func (t Type) Quantized() bool { return t.format().elems > 1 }

// BlockSize is the number of elements in a block, 0 if it is not known.
func (t Type) BlockSize() int { return t.format().elems }

// BlockBytes is the size of a block in bytes, 0 if it is not known.
func (t Type) BlockBytes() int { return t.format().bytes }

// RowBytes is the size of a row of cols elements. It fails when the size of
// t's blocks is not known or they do not divide cols.
func RowBytes(t Type, cols int) (int, error) {
	n := t.BlockSize()
	if n == 0 {
		return 0, fmt.Errorf("%s cannot be read", t.Describe())
	}
	if cols < 0 || cols%n != 0 {
		return 0, fmt.Errorf("%d columns are no multiple of %d, the block of %s", cols, n, t)
	}
	if cols/n > int(^uint(0)>>1)/t.BlockBytes() {
		return 0, fmt.Errorf("a row of %d columns of %s is too long", cols, t)
	}
	return cols / n * t.BlockBytes(), nil
}

// SwapBytes turns blocks of a big-endian file into little-endian ones, in
// place (or back: it is its own inverse). len(b) is a multiple of BlockBytes.
func SwapBytes(t Type, b []byte) error {
	f := t.format()
	if f.elems == 0 {
		return fmt.Errorf("%s cannot be read", t.Describe())
	}
	if len(b)%f.bytes != 0 {
		return fmt.Errorf("%d bytes are no whole number of %d byte blocks of %s", len(b), f.bytes, t)
	}
	if f.elems == 1 {
		swapRun(b, f.bytes)
		return nil
	}
	for ; len(b) > 0; b = b[f.bytes:] {
		for _, s := range f.fields {
			swapRun(b[s.off:][:s.width*s.n], s.width)
		}
	}
	return nil
}

// swapRun swaps numbers of width bytes that fill b.
func swapRun(b []byte, width int) {
	switch width {
	case 2:
		for i := 0; i+2 <= len(b); i += 2 {
			b[i], b[i+1] = b[i+1], b[i]
		}
	case 4:
		for i := 0; i+4 <= len(b); i += 4 {
			binary.LittleEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
		}
	case 8:
		for i := 0; i+8 <= len(b); i += 8 {
			binary.LittleEndian.PutUint64(b[i:], binary.BigEndian.Uint64(b[i:]))
		}
	}
}

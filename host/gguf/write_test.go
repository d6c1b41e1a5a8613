package gguf

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ssnail-kit/host/ggml"
)

// allValues has one entry of every type.
var allValues = []KV{
	{"general.architecture", "llama"},
	{"u8", uint8(200)}, {"i8", int8(-100)}, {"u16", uint16(60000)}, {"i16", int16(-30000)},
	{"u32", uint32(4e9)}, {"i32", int32(-2e9)}, {"u64", uint64(1 << 63)}, {"i64", int64(-1 << 63)},
	{"f32", float32(0.1)}, {"f64", 0.1}, {"yes", true}, {"no", false}, {"empty", ""},
	{"long", strings.Repeat("long text ", 10000)},
	{"a.u8", []uint8{1, 2, 3}}, {"a.i8", []int8{-1}}, {"a.u16", []uint16{1, 60000}}, {"a.i16", []int16{-1, 1}},
	{"a.u32", []uint32{1, 4e9}}, {"a.i32", []int32{-1}}, {"a.u64", []uint64{1 << 63}}, {"a.i64", []int64{-5}},
	{"a.f32", []float32{0.5, -0.25}}, {"a.f64", []float64{0.1}}, {"a.bool", []bool{true, false, true}},
	{"a.str", []string{"", "a", "Straße", "x\x00y", strings.Repeat("z", 40000)}}, {"a.none", []uint32{}},
	{"a.a", []any{[]uint32{1, 2}, []string{"b"}, []any{[]int8{1}}}},
}

// build makes a file with all values and a tensor of every format, each of two
// rows and filled with random bytes.
func build(t testing.TB, version uint32, order binary.ByteOrder, kv ...KV) (file []byte, data map[string][]byte) {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Version, w.Order = version, order
	for _, e := range append(append([]KV(nil), allValues...), kv...) {
		w.Add(e.Key, e.Value)
	}
	r := rand.New(rand.NewPCG(1, 2))
	data = map[string][]byte{}
	for typ := range ggml.Type(50) {
		if typ.BlockSize() == 0 {
			continue
		}
		raw := make([]byte, 6*typ.BlockBytes())
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		w.AddTensor("t."+typ.String(), typ, []uint64{3 * uint64(typ.BlockSize()), 2}, raw)
		data["t."+typ.String()] = raw
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), data
}

func open(b []byte) (*File, error) { return NewFile(bytes.NewReader(b), int64(len(b))) }

// B05: the same model in every version and byte order reads the same.
func TestWriteAndRead(t *testing.T) {
	for version := uint32(1); version <= 3; version++ {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			file, data := build(t, version, order, KV{"general.alignment", uint32(64)})
			f, err := open(file)
			if err != nil {
				t.Fatalf("version %d %s: %v", version, order, err)
			}
			if f.Version != version || f.Order != order || f.Alignment != 64 || len(f.Warnings) != 0 {
				t.Errorf("version %d %s: %d %s, alignment %d, %q", version, order, f.Version, f.Order, f.Alignment, f.Warnings)
			}
			for i, kv := range allValues {
				if !reflect.DeepEqual(f.KV[i], kv) {
					t.Errorf("version %d %s: %s is %v (%T), want %v (%T)", version, order, kv.Key, f.KV[i].Value, f.KV[i].Value, kv.Value, kv.Value)
				}
			}
			if len(f.Tensors) != len(data) {
				t.Errorf("version %d %s: %d tensors, want %d", version, order, len(f.Tensors), len(data))
			}
			for _, x := range f.Tensors {
				got, err := io.ReadAll(x.Open())
				if err != nil || !bytes.Equal(got, data[x.Name]) {
					t.Errorf("version %d %s: %s: data differs (%v)", version, order, x.Name, err)
				}
				if x.Offset%64 != 0 || x.Rows() != 2 || x.Columns() != 3*x.Type.BlockSize() {
					t.Errorf("version %d %s: %s: offset %d, %d rows, %d columns", version, order, x.Name, x.Offset, x.Rows(), x.Columns())
				}
			}
		}
	}
}

// A big-endian file really differs where a number has more than one byte,
// and only there.
func TestBigEndianData(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Order = binary.BigEndian
	block := make([]byte, 34)
	for i := range block {
		block[i] = byte(i)
	}
	w.AddTensor("x", ggml.Q8_0, []uint64{32}, block)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := open(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	raw := b.Bytes()[f.Tensors[0].Offset:][:34]
	if raw[0] != 1 || raw[1] != 0 || !bytes.Equal(raw[2:], block[2:]) {
		t.Errorf("in the file: % x", raw)
	}
}

// Reads at any place and of any length give the same bytes as one long read.
func TestBigEndianReadAt(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Order = binary.BigEndian
	data := make([]byte, 210*500)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	w.AddTensor("x", ggml.Q6_K, []uint64{256, 500}, data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := open(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		off, n := r.IntN(len(data)), r.IntN(len(data))
		if r.IntN(2) == 0 {
			n %= 500
		}
		p := make([]byte, n)
		got, err := f.Tensors[0].Open().ReadAt(p, int64(off))
		want := data[off:min(off+n, len(data))]
		if !bytes.Equal(p[:got], want) || (err != nil) != (len(want) < n) {
			t.Fatalf("%d bytes at %d: %d read, %d wanted, equal %v, %v", n, off, got, len(want), bytes.Equal(p[:got], want), err)
		}
	}
}

func TestWriterErrors(t *testing.T) {
	for name, f := range map[string]func(w *Writer){
		"general.alignment is 3":  func(w *Writer) { w.Add("general.alignment", uint32(3)) },
		"no type for this value":  func(w *Writer) { w.Add("x", 5) },
		"in an array of arrays":   func(w *Writer) { w.Add("x", []any{uint32(5)}) },
		"is 34 bytes, not 33":     func(w *Writer) { w.AddTensor("x", ggml.Q8_0, []uint64{32}, make([]byte, 33)) },
		"no multiple of 32":       func(w *Writer) { w.AddTensor("x", ggml.Q8_0, []uint64{33}, make([]byte, 33)) },
		"0 dimensions":            func(w *Writer) { w.AddTensor("x", ggml.Q8_0, nil, nil) },
		"Q4_2, removed from ggml": func(w *Writer) { w.AddTensor("x", 4, []uint64{32}, nil) },
		"version 4":               func(w *Writer) { w.Version = 4 },
	} {
		w := NewWriter(io.Discard)
		f(w)
		if err := w.Close(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}

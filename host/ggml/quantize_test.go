package ggml

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// slowQ8_0 and slowQ4_0 spell the formats' rules out, one element at a time.
func slowQ8_0(x []float32) []byte {
	amax := float32(0)
	for _, f := range x {
		amax = max(amax, float32(math.Abs(float64(f))))
	}
	d := amax / 127
	id := float32(0)
	if d != 0 {
		id = 1 / d
	}
	out := binary.LittleEndian.AppendUint16(nil, F32ToF16(d))
	for _, f := range x {
		q := float64(float32(f * id))
		if math.IsNaN(q) || math.IsInf(q, 0) {
			q = 0
		}
		out = append(out, byte(int8(math.Round(q))))
	}
	return out
}

func slowQ4_0(x []float32) []byte {
	top := x[0]
	for _, f := range x {
		if math.Abs(float64(f)) > math.Abs(float64(top)) {
			top = f
		}
	}
	d := top / -8
	id := float32(0)
	if d != 0 {
		id = 1 / d
	}
	out := binary.LittleEndian.AppendUint16(nil, F32ToF16(d))
	q := func(f float32) byte {
		if p := float64(float32(f * id)); math.IsNaN(p) || math.IsInf(p, 0) {
			return 0
		}
		return byte(min(15, math.Trunc(float64(float32(float64(f)*float64(id)+8.5)))))
	}
	for i := range 16 {
		out = append(out, q(x[i])|q(x[i+16])<<4)
	}
	return out
}

// block makes 32 values: normal, tiny, huge, ties, with zeros of both signs.
func block(r *rand.Rand) []float32 {
	x := make([]float32, 32)
	scale := math.Pow(2, float64(r.IntN(160)-150))
	for i := range x {
		switch r.IntN(8) {
		case 0:
			x[i] = 0
		case 1:
			x[i] = float32(math.Copysign(0, -1))
		case 2:
			x[i] = float32(scale * float64(r.IntN(255)-127) / 2)
		default:
			x[i] = float32(scale * r.NormFloat64())
		}
	}
	return x
}

func TestQuantizeBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		x := block(r)
		for typ, slow := range map[Type]func([]float32) []byte{Q8_0: slowQ8_0, Q4_0: slowQ4_0} {
			got := make([]byte, typ.BlockBytes())
			if err := Quantize(typ, got, x); err != nil {
				var v *ValueError
				if !errors.As(err, &v) || x[v.Index] != v.Value {
					t.Fatal(err)
				}
			}
			if want := slow(x); string(got) != string(want) {
				t.Fatalf("%s of %v:\n% x, want\n% x", typ, x, got, want)
			}
		}
	}
}

func TestRoundHalfAway(t *testing.T) {
	below := math.Float32frombits(0x3effffff) // 0.49999997
	for _, c := range []struct {
		f    float32
		want int32
	}{{below, 0}, {-below, 0}, {0.5, 1}, {-0.5, -1}, {1.5, 2}, {2.5, 3}, {-2.5, -3}, {126.5, 127}, {127, 127}, {0, 0}, {1.4999999, 1}, {2.4999998, 2}} {
		if got := roundHalfAway(c.f); got != c.want {
			t.Errorf("%v is rounded to %d, want %d", c.f, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 1 << 20 {
		f := math.Float32frombits(r.Uint32())
		if math.Abs(float64(f)) >= 1<<22 || f != f {
			continue
		}
		if got, want := roundHalfAway(f), int32(math.Round(float64(f))); got != want {
			t.Fatalf("%v is rounded to %d, want %d", f, got, want)
		}
	}
}

// B20: blocks that a careless quantiser makes nonsense of.
func TestOddBlocks(t *testing.T) {
	fill := func(v float32) []float32 {
		x := make([]float32, 32)
		for i := range x {
			x[i] = v
		}
		return x
	}
	for _, c := range []struct {
		name string
		t    Type
		x    []float32
		want string // the first bytes
		err  string
	}{
		{"zeros", Q8_0, fill(0), "\x00\x00\x00\x00", ""},
		{"zeros", Q4_0, fill(0), "\x00\x80\x88\x88", ""},
		{"1e-40", Q8_0, fill(1e-40), "\x00\x00\x00\x00", ""},
		{"1e-40", Q4_0, fill(1e-40), "\x00\x80\x00\x00", ""},
		{"1e6", Q4_0, fill(1e6), "\x00\xfc\x00\x00", "element 0 (1e+06) is too large for the scales of Q4_0"},
		{"1e6", Q8_0, fill(1e6), "\xb1\x6f\x7f\x7f", ""}, // 7874 in f16
		{"1e7", Q8_0, fill(1e7), "\x00\x7c\x7f\x7f", "element 0 (1e+07) is too large for the scales of Q8_0"},
		{"1e6", F16, fill(1e6), "\x00\x7c", "element 0 (1e+06) is too large for F16"},
		{"1e6", BF16, fill(1e6), "\x74\x49", ""},
		{"almost f32's largest", BF16, fill(math.MaxFloat32), "\x80\x7f", "is too large for BF16"},
	} {
		got := make([]byte, len(c.x)/c.t.BlockSize()*c.t.BlockBytes())
		err := Quantize(c.t, got, c.x)
		if (c.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s to %s: %v, want %q", c.name, c.t, err, c.err)
		}
		if !strings.HasPrefix(string(got), c.want) {
			t.Errorf("%s to %s: % x, want % x", c.name, c.t, got[:4], c.want)
		}
	}
}

// B20: the index of the first NaN or infinity is told, in every format.
func TestNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, typ := range []Type{F32, F16, BF16, Q8_0, Q4_0} {
		for _, v := range []float32{nan, inf} {
			x := make([]float32, 128)
			for i := range x {
				x[i] = float32(i)
			}
			x[70], x[90] = v, nan
			n, _ := RowBytes(typ, len(x))
			err := Quantize(typ, make([]byte, n), x)
			var e *ValueError
			if !errors.As(err, &e) || e.Index != 70 || !strings.Contains(e.Reason, "is ") {
				t.Errorf("%s, %v: %v", typ, v, err)
			}
		}
	}
}

// B20: a scale of 0x7C00 in blocks that are only copied.
func TestCheckScales(t *testing.T) {
	for typ := range Type(len(formats)) {
		f := typ.format()
		if !typ.Known() {
			continue
		}
		places := f.scales
		switch typ {
		case F32, F64, BF16, IQ1_M:
			continue // below
		}
		for _, at := range places {
			b := make([]byte, 3*f.bytes)
			if err := Check(typ, b); err != nil {
				t.Errorf("%s of zeros: %v", typ, err)
			}
			binary.LittleEndian.PutUint16(b[f.bytes+at:], 0x7c00)
			var e *ValueError
			if err := Check(typ, b); !errors.As(err, &e) || e.Index != f.elems {
				t.Errorf("%s: infinite scale at %d: %v", typ, at, err)
			}
		}
	}
	for typ, b := range map[Type][]byte{
		F32:   {0, 0, 0, 0, 0, 0, 0x80, 0x7f},
		BF16:  {0, 0, 0x81, 0x7f},
		F64:   {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f},
		F16:   {0, 0, 0, 0xfc},
		IQ1_M: append(make([]byte, 56+49), 0, 0, 0, 0, 0xc0, 0, 0x70),
	} {
		var e *ValueError
		if err := Check(typ, b); !errors.As(err, &e) || e.Index != typ.BlockSize() {
			t.Errorf("%s: %v", typ, err)
		}
	}
	if err := Check(F64, binary.LittleEndian.AppendUint64(nil, math.Float64bits(1e300))); err == nil {
		t.Error("1e300 fits float32")
	}
}

// madeBlocks are bytes that look random but are always the same, with scales
// of about 1.
func madeBlocks(t Type, n int) []byte {
	f := t.format()
	b := make([]byte, n*f.bytes)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	for i := 0; i < len(b); i += f.bytes {
		for _, s := range f.scales {
			b[i+s+1] = b[i+s+1]&0x83 | 0x3c
		}
		if t == IQ1_M {
			b[i+55] = b[i+55]&0x0f | 0x30
		}
		if t == F32 || t == F64 || t == BF16 {
			b[i+f.bytes-1] = 0x3f
		}
	}
	return b
}

// TestMadeBlocks pins all formats without any test data: the sums were taken
// when the golden blocks of the reference came out bit for bit.
func TestMadeBlocks(t *testing.T) {
	want := map[Type]uint32{
		F32: 0x84679d42, F16: 0xc34e1837, Q4_0: 0x4b036a6e, Q4_1: 0x02b8f529,
		Q5_0: 0xae9af83d, Q5_1: 0xa891fd66, Q8_0: 0x3447be74, Q2_K: 0xc62ec454,
		Q3_K: 0x62c697b7, Q4_K: 0xc7f7d38d, Q5_K: 0x6eda5a52, Q6_K: 0xc8aa00e3,
		IQ2_XXS: 0xda051576, IQ2_XS: 0x56b0d480, IQ3_XXS: 0xe8cd8455, IQ1_S: 0x482e105b,
		IQ4_NL: 0xbfee5db7, IQ3_S: 0xf20bee9a, IQ2_S: 0x8ff79654, IQ4_XS: 0x031e9954,
		F64: 0xce267bc6, IQ1_M: 0xebb9d79e, BF16: 0x38ff5317, TQ1_0: 0xeca07294,
		TQ2_0: 0x7a177884,
	}
	for typ := range Type(len(formats)) {
		if !typ.Known() {
			continue
		}
		n := max(4, 256/typ.BlockSize())
		v := make([]float32, n*typ.BlockSize())
		if err := Dequantize(typ, v, madeBlocks(typ, n)); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 4*len(v))
		if err := Quantize(F32, b, v); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
		if got := crc32.ChecksumIEEE(b); got != want[typ] {
			t.Errorf("%s: %#08x,", typ, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{Dequantize(4, nil, nil), "type 4 (Q4_2, removed from ggml) cannot be dequantised"},
		{Dequantize(9, nil, nil), "type 9 (Q8_1, an intermediate format"},
		{Dequantize(99, nil, nil), "type 99 (unknown)"},
		{Dequantize(Q8_0, make([]float32, 33), make([]byte, 34)), "33 columns are no multiple of 32"},
		{Dequantize(Q8_0, make([]float32, 32), make([]byte, 33)), "32 elements of Q8_0 are 34 bytes, not 33"},
		{Quantize(Q4_K, make([]byte, 144), make([]float32, 256)), "cannot be quantised to Q4_K"},
		{Quantize(Q8_0, make([]byte, 33), make([]float32, 32)), "34 bytes, not 33"},
		{Check(Q8_0, make([]byte, 35)), "no whole number of 34 byte blocks"},
		{Check(26, nil), "type 26 (I32, integers, not weights)"},
		{SwapBytes(Q8_0, make([]byte, 35)), "no whole number"},
		{SwapBytes(5, nil), "Q4_3"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
	if _, err := RowBytes(Q8_0, -32); err == nil {
		t.Error("a row of -32 columns has a size")
	}
	if _, err := RowBytes(F64, math.MaxInt); err == nil {
		t.Error("a row of 2^63-1 doubles has a size")
	}
}

func TestNames(t *testing.T) {
	for typ := range Type(45) {
		if typ.BlockSize() == 0 {
			continue
		}
		if got, ok := TypeByName(strings.ToLower(typ.String())); !ok || got != typ {
			t.Errorf("%s is found as %s, %v", typ, got, ok)
		}
	}
	if _, ok := TypeByName("q9_9"); ok {
		t.Error("q9_9 is found")
	}
	if _, ok := TypeByName(""); ok {
		t.Error("an empty name is found")
	}
	if s := Type(99).String(); s != "type 99" {
		t.Errorf("type 99 is called %q", s)
	}
}

// TestGrids counts the points of the grids: a lost bit moves all behind it.
func TestGrids(t *testing.T) {
	for name, c := range map[string]struct{ got, want int }{
		"IQ1": {len(gridIQ1()), 2048}, "IQ2_XXS": {len(gridIQ2_XXS()), 256}, "IQ2_XS": {len(gridIQ2_XS()), 512},
		"IQ2_S": {len(gridIQ2_S()), 1024}, "IQ3_XXS": {len(gridIQ3_XXS()), 256}, "IQ3_S": {len(gridIQ3_S()), 512},
	} {
		if c.got != c.want {
			t.Errorf("grid of %s: %d points, want %d", name, c.got, c.want)
		}
	}
}

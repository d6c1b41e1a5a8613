package gguf

import (
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestGetters(t *testing.T) {
	b, _ := build(t, 3, binary.LittleEndian)
	f, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	check := func(key string, got, want any, ok bool, err error) {
		t.Helper()
		if !ok || err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v, %v; want %v", key, got, ok, err, want)
		}
	}
	for key, want := range map[string]uint64{"u8": 200, "u16": 60000, "u32": 4e9, "u64": 1 << 63} {
		got, ok, err := f.Uint(key)
		check(key, got, want, ok, err)
	}
	for key, want := range map[string]float64{"u8": 200, "i64": -1 << 63, "f32": float64(float32(0.1)), "f64": 0.1, "u64": 1 << 63} {
		got, ok, err := f.Float(key)
		check(key, got, want, ok, err)
	}
	for key, want := range map[string][]int64{"a.u8": {1, 2, 3}, "a.i8": {-1}, "a.u16": {1, 60000}, "a.i16": {-1, 1}, "a.u32": {1, 4e9}, "a.i32": {-1}, "a.i64": {-5}} {
		got, ok, err := f.Ints(key)
		check(key, got, want, ok, err)
	}
	s, ok, err := f.Str("general.architecture")
	check("str", s, "llama", ok, err)
	y, ok, err := f.Bool("yes")
	check("yes", y, true, ok, err)
	fs, ok, err := f.Floats("a.f64")
	check("a.f64", fs, []float32{0.1}, ok, err)
	fs, ok, err = f.Floats("a.f32")
	check("a.f32", fs, []float32{0.5, -0.25}, ok, err)
	ss, ok, err := f.Strings("a.str")
	check("a.str", ss[2], "Straße", ok, err)

	if _, ok, err := f.Uint("absent"); ok || err != nil {
		t.Errorf("absent: %v, %v", ok, err)
	}
	for _, c := range []struct {
		err  func() error
		want []string
	}{
		{func() error { _, _, err := f.Uint("i8"); return err }, []string{`"i8"`, "-100", "int8"}},
		{func() error { _, _, err := f.Uint("f32"); return err }, []string{`"f32"`, "0.1", "float32"}},
		{func() error { _, _, err := f.Uint("long"); return err }, []string{`"long"`, "string"}},
		{func() error { _, _, err := f.Float("yes"); return err }, []string{`"yes"`, "true", "bool"}},
		{func() error { _, _, err := f.Str("u8"); return err }, []string{`"u8"`, "200", "uint8", "a string"}},
		{func() error { _, _, err := f.Bool("u8"); return err }, []string{`"u8"`, "a bool"}},
		{func() error { _, _, err := f.Strings("a.u8"); return err }, []string{"[1 2 3]", "[]uint8", "an array of strings"}},
		{func() error { _, _, err := f.Floats("a.u8"); return err }, []string{"an array of floats"}},
		{func() error { _, _, err := f.Ints("a.u64"); return err }, []string{"item 0", "9223372036854775808"}},
		{func() error { _, _, err := f.Ints("a.f32"); return err }, []string{"an array of whole numbers"}},
	} {
		err := c.err()
		if err == nil {
			t.Errorf("no error, want %q", c.want)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) || len(err.Error()) > 200 {
				t.Errorf("error %q lacks %q or is long", err, w)
			}
		}
	}
	if _, ok := integer(uint64(math.MaxUint64)); ok {
		t.Error("an integer of 2^64-1 fits int64")
	}
}

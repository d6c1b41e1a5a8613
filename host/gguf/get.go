package gguf

import (
	"fmt"
	"math"
)

// Get finds a value by its key.
func (f *File) Get(key string) (any, bool) {
	i, ok := f.keys[key]
	if !ok {
		return nil, false
	}
	return f.KV[i].Value, true
}

// typeError says that the value of key is not what is needed.
func typeError(key string, v any, want string) error {
	s := fmt.Sprintf("%v", v)
	if t, ok := v.(string); ok {
		s = fmt.Sprintf("%q", t)
	}
	if len(s) > 40 {
		s = fmt.Sprintf("%.40q...", s)
	}
	return &FormatError{Msg: fmt.Sprintf("the metadata key %q is %s, a value of type %T; %s is needed", key, s, v, want)}
}

// Uint is the value of key if that is a whole number of any type and not
// negative; false if there is no such key.
func (f *File) Uint(key string) (uint64, bool, error) {
	v, ok := f.Get(key)
	if !ok {
		return 0, false, nil
	}
	if u, ok := v.(uint64); ok {
		return u, true, nil
	}
	i, ok := integer(v)
	if !ok || i < 0 {
		return 0, true, typeError(key, v, "a whole number that is not negative")
	}
	return uint64(i), true, nil
}

// integer widens any integer but uint64 values beyond int64.
func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case uint8:
		return int64(v), true
	case int8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case int16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case uint64:
		return int64(v), v <= math.MaxInt64
	}
	return 0, false
}

// Float is the value of key if that is a number of any type; false if there
// is no such key.
func (f *File) Float(key string) (float64, bool, error) {
	v, ok := f.Get(key)
	if !ok {
		return 0, false, nil
	}
	switch v := v.(type) {
	case float32:
		return float64(v), true, nil
	case float64:
		return v, true, nil
	case uint64:
		return float64(v), true, nil
	}
	i, ok := integer(v)
	if !ok {
		return 0, true, typeError(key, v, "a number")
	}
	return float64(i), true, nil
}

// Str is the value of key if that is a string; false if there is no such key.
func (f *File) Str(key string) (string, bool, error) { return get[string](f, key, "a string") }

// Bool is the value of key if that is a bool; false if there is no such key.
func (f *File) Bool(key string) (value, ok bool, err error) { return get[bool](f, key, "a bool") }

// Strings is the value of key if that is an array of strings; false if there
// is no such key.
func (f *File) Strings(key string) ([]string, bool, error) {
	return get[[]string](f, key, "an array of strings")
}

func get[T any](f *File, key, want string) (T, bool, error) {
	var none T
	v, ok := f.Get(key)
	if !ok {
		return none, false, nil
	}
	t, ok := v.(T)
	if !ok {
		return none, true, typeError(key, v, want)
	}
	return t, true, nil
}

// Floats is the value of key if that is an array of float32 or float64;
// false if there is no such key.
func (f *File) Floats(key string) ([]float32, bool, error) {
	v, ok := f.Get(key)
	if !ok {
		return nil, false, nil
	}
	switch v := v.(type) {
	case []float32:
		return v, true, nil
	case []float64:
		all := make([]float32, len(v))
		for i, x := range v {
			all[i] = float32(x)
		}
		return all, true, nil
	}
	return nil, true, typeError(key, v, "an array of floats")
}

// Ints is the value of key if that is an array of whole numbers of any type
// that fit an int64; false if there is no such key.
func (f *File) Ints(key string) ([]int64, bool, error) {
	v, ok := f.Get(key)
	if !ok {
		return nil, false, nil
	}
	switch v := v.(type) {
	case []uint8:
		return widen(v), true, nil
	case []int8:
		return widen(v), true, nil
	case []uint16:
		return widen(v), true, nil
	case []int16:
		return widen(v), true, nil
	case []uint32:
		return widen(v), true, nil
	case []int32:
		return widen(v), true, nil
	case []int64:
		return v, true, nil
	case []uint64:
		for i, u := range v {
			if u > math.MaxInt64 {
				return nil, true, &FormatError{Msg: fmt.Sprintf("item %d of the metadata key %q is %d, too large", i, key, u)}
			}
		}
		return widen(v), true, nil
	}
	return nil, true, typeError(key, v, "an array of whole numbers")
}

func widen[T uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64](v []T) []int64 {
	all := make([]int64, len(v))
	for i, x := range v {
		all[i] = int64(x)
	}
	return all
}

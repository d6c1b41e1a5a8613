package gguf

import (
	"fmt"
	"math"
)

// array reads an array behind its type tArray: the type of its items, their
// count, the items.
func (d *decoder) array(what string, depth int) (any, error) {
	at := d.off
	t, err := d.u32(what)
	if err != nil {
		return nil, err
	}
	atCount := d.off
	n, err := d.count(what)
	if err != nil {
		return nil, err
	}
	least := int64(width(t))
	switch {
	case t == tString:
		least = d.lenSize()
	case t == tArray:
		least = 4 + d.lenSize()
		if depth >= maxDepth {
			return nil, &FormatError{at, fmt.Sprintf("the %s has arrays in arrays, more than %d deep", what, maxDepth), ""}
		}
	case least == 0:
		return nil, &FormatError{at, fmt.Sprintf("the %s has items of type %d; 0 to 12 are known", what, t), ""}
	}
	if err := d.fits(atCount, what, n, least, maxMetadata); err != nil {
		err.Msg = "the item count of the " + err.Msg
		return nil, err
	}
	if err := d.need(what, n*uint64(least)); err != nil {
		return nil, err
	}
	switch t {
	case tString:
		return d.strings(what, n)
	case tArray:
		var all []any
		for range n {
			v, err := d.array(what, depth+1)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	}
	return d.numbers(what, t, n)
}

// strings reads n strings. The lengths are walked over first, so that memory
// is taken only for strings that are there.
func (d *decoder) strings(what string, n uint64) ([]string, error) {
	start := d.off
	for i := range n {
		k, err := d.strLen(what, maxMetadata)
		if err != nil {
			if e, ok := err.(*FormatError); ok {
				e.Msg = fmt.Sprintf("item %d: %s", i, e.Msg)
			}
			return nil, err
		}
		d.off += k
	}
	d.off = start
	all := make([]string, n)
	for i := range all {
		var err error
		if all[i], err = d.str(what, maxMetadata); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (d *decoder) numbers(what string, t uint32, n uint64) (any, error) {
	switch t {
	case tUint8:
		return numbers(d, what, n, 1, func(b []byte) uint8 { return b[0] })
	case tInt8:
		return numbers(d, what, n, 1, func(b []byte) int8 { return int8(b[0]) })
	case tUint16:
		return numbers(d, what, n, 2, d.order.Uint16)
	case tInt16:
		return numbers(d, what, n, 2, func(b []byte) int16 { return int16(d.order.Uint16(b)) })
	case tUint32:
		return numbers(d, what, n, 4, d.order.Uint32)
	case tInt32:
		return numbers(d, what, n, 4, func(b []byte) int32 { return int32(d.order.Uint32(b)) })
	case tFloat32:
		return numbers(d, what, n, 4, func(b []byte) float32 { return math.Float32frombits(d.order.Uint32(b)) })
	case tUint64:
		return numbers(d, what, n, 8, d.order.Uint64)
	case tInt64:
		return numbers(d, what, n, 8, func(b []byte) int64 { return int64(d.order.Uint64(b)) })
	case tFloat64:
		return numbers(d, what, n, 8, func(b []byte) float64 { return math.Float64frombits(d.order.Uint64(b)) })
	}
	bools := make([]bool, n)
	for i := range bools {
		at := d.off
		b, err := d.next(what, 1)
		if err != nil {
			return nil, err
		}
		if err := d.checkBool(what, at, b[0]); err != nil {
			return nil, err
		}
		bools[i] = b[0] == 1
	}
	return bools, nil
}

func numbers[T any](d *decoder, what string, n uint64, width int64, get func([]byte) T) ([]T, error) {
	all := make([]T, n)
	for i := range all {
		b, err := d.next(what, width)
		if err != nil {
			return nil, err
		}
		all[i] = get(b)
	}
	return all, nil
}

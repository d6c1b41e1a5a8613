package gguf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// The types of metadata values.
const (
	tUint8 = iota
	tInt8
	tUint16
	tInt16
	tUint32
	tInt32
	tFloat32
	tBool
	tString
	tArray
	tUint64
	tInt64
	tFloat64
)

// maxDepth bounds arrays of arrays.
const maxDepth = 4

// decoder walks over the metadata through a window on the file.
type decoder struct {
	r     io.ReaderAt
	size  int64 // of the file
	off   int64 // of the next byte
	order binary.ByteOrder
	short bool // version 1: counts, lengths and dimensions have 32 bits

	buf [32 << 10]byte
	win []byte // part of buf that holds the file from winAt on
	at  int64
}

// lenSize is the size of a count or length.
func (d *decoder) lenSize() int64 {
	if d.short {
		return 4
	}
	return 8
}

// need sees that n more bytes exist.
func (d *decoder) need(what string, n uint64) error {
	if n > uint64(d.size-d.off) {
		return &FormatError{d.off, fmt.Sprintf("%s takes %d bytes, but the file has only %d left", what, n, d.size-d.off), "the file was cut short or is damaged: download it again"}
	}
	if n > uint64(maxMetadata-min(d.off, maxMetadata)) {
		return &FormatError{d.off, fmt.Sprintf("%s would reach beyond %d MB of metadata", what, maxMetadata>>20), ""}
	}
	return nil
}

// fits sees that n things that take at least least bytes each can be there.
func (d *decoder) fits(at int64, what string, n uint64, least int64, most uint64) *FormatError {
	if left := uint64(d.size-d.off) / uint64(least); n > left {
		return &FormatError{at, fmt.Sprintf("%s is %d, but the %d bytes left have room for %d at most", what, n, d.size-d.off, left), ""}
	}
	if n > most {
		return &FormatError{at, fmt.Sprintf("%s is %d; up to %d are read", what, n, most), ""}
	}
	return nil
}

// next gives the next n bytes, n <= 8; they are valid until the next call.
func (d *decoder) next(what string, n int64) ([]byte, error) {
	if err := d.need(what, uint64(n)); err != nil {
		return nil, err
	}
	if d.off < d.at || d.off+n > d.at+int64(len(d.win)) {
		d.at = d.off
		d.win = d.buf[:min(int64(len(d.buf)), d.size-d.off)]
		if _, err := readFull(d.r, d.win, d.off); err != nil {
			d.win = nil
			return nil, fmt.Errorf("reading %s: %w", what, err)
		}
	}
	b := d.win[d.off-d.at:][:n]
	d.off += n
	return b, nil
}

func readFull(r io.ReaderAt, b []byte, off int64) (int, error) {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return n, nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (d *decoder) u32(what string) (uint32, error) {
	b, err := d.next(what, 4)
	if err != nil {
		return 0, err
	}
	return d.order.Uint32(b), nil
}

func (d *decoder) u64(what string) (uint64, error) {
	b, err := d.next(what, 8)
	if err != nil {
		return 0, err
	}
	return d.order.Uint64(b), nil
}

// count reads a count, length or dimension.
func (d *decoder) count(what string) (uint64, error) {
	if d.short {
		n, err := d.u32(what)
		return uint64(n), err
	}
	return d.u64(what)
}

// strLen reads the length of a string and sees that the string is there. Like
// all that runs once per item it makes no text unless something is wrong.
func (d *decoder) strLen(what string, most uint64) (int64, error) {
	at := d.off
	n, err := d.count(what)
	if err != nil {
		return 0, err
	}
	if n > uint64(d.size-d.off) {
		return 0, &FormatError{at, fmt.Sprintf("%s is %d bytes long, but the file has only %d left", what, n, d.size-d.off), ""}
	}
	if n > most {
		return 0, &FormatError{at, fmt.Sprintf("%s is %d bytes long; up to %d are possible", what, n, most), ""}
	}
	return int64(n), d.need(what, n)
}

func (d *decoder) str(what string, most uint64) (string, error) {
	n, err := d.strLen(what, most)
	if err != nil {
		return "", err
	}
	if n <= 8 {
		b, err := d.next(what, n)
		return string(b), err
	}
	b := make([]byte, n)
	if i := d.off - d.at; i >= 0 && i+n <= int64(len(d.win)) {
		copy(b, d.win[i:])
	} else if _, err := readFull(d.r, b, d.off); err != nil {
		return "", fmt.Errorf("reading %s: %w", what, err)
	}
	d.off += n
	return string(b), nil
}

// value reads a type and a value of it.
func (d *decoder) value(what string) (any, error) {
	at := d.off
	t, err := d.u32("type of the " + what)
	if err != nil {
		return nil, err
	}
	if t == tArray {
		return d.array(what, 1)
	}
	return d.scalar(what, at, t)
}

func (d *decoder) scalar(what string, at int64, t uint32) (any, error) {
	if t == tString {
		return d.str(what, maxMetadata)
	}
	n := width(t)
	if n == 0 {
		return nil, &FormatError{at, fmt.Sprintf("the %s has type %d; 0 to 12 are known", what, t), ""}
	}
	at = d.off
	b, err := d.next(what, int64(n))
	if err != nil {
		return nil, err
	}
	switch t {
	case tUint8:
		return b[0], nil
	case tInt8:
		return int8(b[0]), nil
	case tUint16:
		return d.order.Uint16(b), nil
	case tInt16:
		return int16(d.order.Uint16(b)), nil
	case tUint32:
		return d.order.Uint32(b), nil
	case tInt32:
		return int32(d.order.Uint32(b)), nil
	case tFloat32:
		return math.Float32frombits(d.order.Uint32(b)), nil
	case tBool:
		return b[0] != 0, d.checkBool(what, at, b[0])
	case tUint64:
		return d.order.Uint64(b), nil
	case tInt64:
		return int64(d.order.Uint64(b)), nil
	}
	return math.Float64frombits(d.order.Uint64(b)), nil
}

func (d *decoder) checkBool(what string, at int64, b byte) error {
	if b > 1 {
		return &FormatError{at, fmt.Sprintf("%s is a bool of %d; 0 or 1 is needed", what, b), ""}
	}
	return nil
}

// width is the size of a number, 0 for all that is none.
func width(t uint32) int {
	switch t {
	case tUint8, tInt8, tBool:
		return 1
	case tUint16, tInt16:
		return 2
	case tUint32, tInt32, tFloat32:
		return 4
	case tUint64, tInt64, tFloat64:
		return 8
	}
	return 0
}

package gguf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"ssnail-kit/host/ggml"
)

// Writer collects metadata and tensors and writes them as one GGUF file.
// Fields may be set until Close.
type Writer struct {
	Version uint32           // 3 unless set; 1 and 2 for programs of their time
	Order   binary.ByteOrder // little-endian unless set

	w       io.Writer
	kv      []KV
	tensors []outTensor
	align   uint64
	err     error
}

type outTensor struct {
	Tensor
	bytes []byte
}

// NewWriter makes a Writer of version 3 and little-endian order.
func NewWriter(w io.Writer) *Writer {
	return &Writer{Version: 3, Order: binary.LittleEndian, w: w, align: defaultAlignment}
}

// Add appends an entry to the metadata. The value has one of the types that
// KV lists; general.alignment (uint32) sets the alignment of the tensors too.
func (w *Writer) Add(key string, value any) {
	if key == "general.alignment" {
		a, ok := value.(uint32)
		if !ok || a == 0 || a&(a-1) != 0 || a > maxAlignment {
			w.fail(fmt.Errorf("general.alignment is %v (%T); a uint32, a power of two up to %d, is needed", value, value, maxAlignment))
			return
		}
		w.align = uint64(a)
	}
	w.kv = append(w.kv, KV{key, value})
}

// AddTensor appends a tensor. dims are in ggml's order, columns first; data
// is little-endian and as long as the shape asks. It is kept, not copied,
// until Close.
func (w *Writer) AddTensor(name string, t ggml.Type, dims []uint64, data []byte) {
	o := outTensor{Tensor{Name: name, Type: t, Dims: dims}, data}
	switch {
	case len(dims) < 1 || len(dims) > maxDims:
		w.fail(fmt.Errorf("tensor %q has %d dimensions; 1 to %d are possible", name, len(dims), maxDims))
		return
	case t.BlockSize() == 0:
		w.fail(fmt.Errorf("tensor %q has %s, which cannot be written", name, t.Describe()))
		return
	}
	if err := o.measure(); err != nil {
		w.fail(fmt.Errorf("tensor %q: %w", name, err))
	} else if uint64(len(data)) != o.Size {
		w.fail(fmt.Errorf("tensor %q: %s of %s is %d bytes, not %d", name, o.Shape(), t, o.Size, len(data)))
	}
	w.tensors = append(w.tensors, o)
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// Close writes the file. It returns the first error of any call; nothing has
// been written if that was one of Add or AddTensor.
func (w *Writer) Close() error {
	if w.Version < 1 || w.Version > 3 {
		w.fail(fmt.Errorf("GGUF version %d cannot be written", w.Version))
	}
	if w.err != nil {
		return w.err
	}
	e := &encoder{w: bufio.NewWriterSize(w.w, 1<<16), order: w.Order, short: w.Version == 1}
	e.raw([]byte(magic))
	e.number(uint32(w.Version))
	e.count(len(w.tensors))
	e.count(len(w.kv))
	for _, kv := range w.kv {
		e.str(kv.Key)
		if err := e.value(kv.Value); err != nil {
			return fmt.Errorf("metadata key %q: %w", kv.Key, err)
		}
	}
	off := uint64(0)
	for _, t := range w.tensors {
		e.str(t.Name)
		e.number(uint32(len(t.Dims)))
		for _, d := range t.Dims {
			e.length(d)
		}
		e.number(uint32(t.Type))
		e.number(off)
		off += (t.Size + w.align - 1) / w.align * w.align
	}
	for _, t := range w.tensors {
		e.pad(w.align)
		if err := e.blocks(t.Type, t.bytes); err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
	}
	e.pad(w.align)
	if e.err == nil {
		e.err = e.w.Flush()
	}
	return e.err
}

// encoder keeps the first error and then does nothing more.
type encoder struct {
	w     *bufio.Writer
	n     uint64 // bytes written
	order binary.ByteOrder
	short bool // version 1
	err   error
}

func (e *encoder) raw(b []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(b)
		e.n += uint64(len(b))
	}
}

// number writes a value of fixed size or a slice of such.
func (e *encoder) number(v any) {
	if e.err == nil {
		e.err = binary.Write(e.w, e.order, v)
		e.n += uint64(binary.Size(v))
	}
}

func (e *encoder) count(n int) { e.length(uint64(n)) }

func (e *encoder) length(n uint64) {
	switch {
	case !e.short:
		e.number(n)
	case n <= math.MaxUint32:
		e.number(uint32(n))
	case e.err == nil:
		e.err = fmt.Errorf("%d does not fit GGUF version 1", n)
	}
}

func (e *encoder) str(s string) {
	e.count(len(s))
	e.raw([]byte(s))
}

func (e *encoder) pad(align uint64) {
	e.raw(make([]byte, (align-e.n%align)%align))
}

func (e *encoder) blocks(t ggml.Type, b []byte) error {
	if e.order == binary.LittleEndian {
		e.raw(b)
		return e.err
	}
	buf := make([]byte, 0, t.BlockBytes()*256)
	for len(b) > 0 {
		buf = append(buf[:0], b[:min(len(b), cap(buf))]...)
		b = b[len(buf):]
		if err := ggml.SwapBytes(t, buf); err != nil {
			return err
		}
		e.raw(buf)
	}
	return e.err
}

var errValue = errors.New("GGUF has no type for this value")

func (e *encoder) value(v any) error {
	t, item := typeOf(v)
	if t < 0 {
		return fmt.Errorf("%w: %T", errValue, v)
	}
	e.number(uint32(t))
	return e.body(v, t, item)
}

func (e *encoder) body(v any, t, item int) error {
	switch v := v.(type) {
	case string:
		e.str(v)
	case []string:
		e.number(uint32(tString))
		e.count(len(v))
		for _, s := range v {
			e.str(s)
		}
	case []any:
		e.number(uint32(tArray))
		e.count(len(v))
		for _, a := range v {
			t, item := typeOf(a)
			if t != tArray {
				return fmt.Errorf("%w: %T in an array of arrays", errValue, a)
			}
			if err := e.body(a, t, item); err != nil {
				return err
			}
		}
	default:
		if t == tArray {
			e.number(uint32(item))
			e.count(binary.Size(v) / width(uint32(item)))
		}
		e.number(v)
	}
	return nil
}

// typeOf finds the number of a value's type, and of its items if it is an
// array of numbers; -1 if there is none.
func typeOf(v any) (t, item int) {
	switch v.(type) {
	case uint8:
		return tUint8, 0
	case int8:
		return tInt8, 0
	case uint16:
		return tUint16, 0
	case int16:
		return tInt16, 0
	case uint32:
		return tUint32, 0
	case int32:
		return tInt32, 0
	case float32:
		return tFloat32, 0
	case bool:
		return tBool, 0
	case string:
		return tString, 0
	case uint64:
		return tUint64, 0
	case int64:
		return tInt64, 0
	case float64:
		return tFloat64, 0
	case []uint8:
		return tArray, tUint8
	case []int8:
		return tArray, tInt8
	case []uint16:
		return tArray, tUint16
	case []int16:
		return tArray, tInt16
	case []uint32:
		return tArray, tUint32
	case []int32:
		return tArray, tInt32
	case []float32:
		return tArray, tFloat32
	case []bool:
		return tArray, tBool
	case []uint64:
		return tArray, tUint64
	case []int64:
		return tArray, tInt64
	case []float64:
		return tArray, tFloat64
	case []string, []any:
		return tArray, 0
	}
	return -1, 0
}

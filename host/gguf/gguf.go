// Package gguf reads and writes GGUF, the file format of language models for
// ggml: metadata (keys with typed values), the descriptions of tensors, then
// their data.
//
// Versions 1, 2 and 3 are read in either byte order, and models that were
// split over several files are joined. Nothing that a file says is believed:
// every count, length and offset is checked against the bytes that are there
// before it is used, so that a reader needs no more memory than a small
// multiple of the file's metadata.
package gguf

import (
	"encoding/binary"
	"fmt"
	"io"

	"ssnail-kit/host/ggml"
)

// File is the directory of a model: all of it but the tensors' data, which
// stays in the file until it is read through Tensor.Open.
type File struct {
	Version   uint32           // 1, 2 or 3; of the first part
	Order     binary.ByteOrder // of the first part
	Alignment uint64           // general.alignment, 32 if absent
	Size      int64            // bytes of all parts
	Parts     int              // files that the model was split over, 1 if it was not
	Paths     []string         // the files themselves, in order, if Open has opened them
	KV        []KV             // in the file's order; of a split model the first part's
	Tensors   []*Tensor        // in the file's order, part after part
	Warnings  []string         // oddities that do no harm

	keys    map[string]int
	tensors map[string]*Tensor
	closers []io.Closer
}

// KV is one entry of the metadata. Value is a uint8, int8, uint16, int16,
// uint32, int32, uint64, int64, float32, float64, bool or string, a slice of
// one of these, or a []any of slices (arrays of arrays).
type KV struct {
	Key   string
	Value any
}

// Tensor describes one tensor.
type Tensor struct {
	Name   string
	Dims   []uint64 // 1 to 4, in ggml's order: Dims[0] is the number of columns
	Type   ggml.Type
	Part   int    // index of the file that holds it, 0 if the model is one file
	Offset uint64 // of its data, from the start of that file
	Size   uint64 // of its data, in bytes; a multiple of the type's block

	data io.ReaderAt
	swap bool
}

// Columns is the length of a row.
func (t *Tensor) Columns() int { return int(t.Dims[0]) }

// Rows is the number of rows, over all dimensions but the first.
func (t *Tensor) Rows() int {
	n := 1
	for _, d := range t.Dims[1:] {
		n *= int(d)
	}
	return n
}

// Elements is Columns times Rows.
func (t *Tensor) Elements() int { return t.Columns() * t.Rows() }

// Shape writes the dimensions in ggml's order: "64 x 512".
func (t *Tensor) Shape() string {
	s := ""
	for i, d := range t.Dims {
		if i > 0 {
			s += " x "
		}
		s += fmt.Sprint(d)
	}
	return s
}

// Open gives the tensor's bytes, little-endian whatever the file's order is.
// Several readers of one file may be used at the same time.
func (t *Tensor) Open() *io.SectionReader {
	if t.swap {
		return io.NewSectionReader(&swapper{t}, 0, int64(t.Size))
	}
	return io.NewSectionReader(t.data, int64(t.Offset), int64(t.Size))
}

// Tensor finds a tensor by its name; nil if there is none.
func (f *File) Tensor(name string) *Tensor { return f.tensors[name] }

// Close closes the files that Open opened.
func (f *File) Close() error {
	var first error
	for _, c := range f.closers {
		if err := c.Close(); err != nil && first == nil {
			first = err
		}
	}
	f.closers = nil
	return first
}

// FormatError is something in a file that is not as GGUF has it.
type FormatError struct {
	Offset int64  // of the field, in bytes from the file's start
	Msg    string // the field, what was expected and what was found
	Remedy string // what the user can do; may be empty
}

func (e *FormatError) Error() string {
	if e.Offset == 0 {
		return e.Msg
	}
	return fmt.Sprintf("at byte %d: %s", e.Offset, e.Msg)
}

// Hint is what the user can do about it.
func (e *FormatError) Hint() string {
	if e.Remedy == "" {
		return damaged
	}
	return e.Remedy
}

const damaged = "the file is damaged or was not written as GGUF: download or convert it again"

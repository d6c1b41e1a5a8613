package image

import "io"

// Image is an image file. It is a Memory: addresses of the header and of the
// payload read the file, those of the tokens, the output vector and scratch
// read as zero.
type Image struct {
	Header
	Size int64 // of the file
	r    io.ReaderAt
}

// Open checks an image's header against the file's size.
func Open(r io.ReaderAt, size int64) (*Image, error) { panic("skeleton") }

// Read implements Memory.
func (im *Image) Read(addr uint32, dst []byte) error { panic("skeleton") }

// ReadAt implements io.ReaderAt on the file's bytes.
func (im *Image) ReadAt(p []byte, off int64) (int, error) { return im.r.ReadAt(p, off) }

// Script returns the instructions up to the last that is not all zero.
func (im *Image) Script() ([]Instruction, error) { panic("skeleton") }

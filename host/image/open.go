package image

import (
	"errors"
	"fmt"
	"io"
)

// Image is an image file. It is a Memory as the file looks once loaded and not
// yet run: addresses of the header and the payload read the file, those of the
// output vector, the tokens and scratch read as zero.
type Image struct {
	Header
	Size int64 // of the file
	r    io.ReaderAt
}

// Open checks an image's header and the file's size against it. The error is a
// *FormatError or what reading gave. Nothing but the header is read.
func Open(r io.ReaderAt, size int64) (*Image, error) {
	b := make([]byte, min(max(size, 0), HeaderSize))
	if n, err := r.ReadAt(b, 0); err != nil && (n < len(b) || !errors.Is(err, io.EOF)) {
		return nil, fmt.Errorf("reading the image's header: %w", err)
	}
	h, err := ParseHeader(b)
	if err != nil {
		return nil, err
	}
	want := HeaderSize + int64(h.PayloadLen)
	if size < want {
		return nil, formatErrorf(size, "the file is cut short: %d bytes, the header promises %d; copy or convert it again", size, want)
	}
	if size > want {
		return nil, formatErrorf(want, "%d bytes follow the end of the payload: the file has %d, the header promises %d; copy or convert it again", size-want, size, want)
	}
	return &Image{Header: h, Size: size, r: r}, nil
}

// ReadAt implements io.ReaderAt on the file's bytes.
func (im *Image) ReadAt(p []byte, off int64) (int, error) { return im.r.ReadAt(p, off) }

// Read implements Memory.
func (im *Image) Read(addr uint32, dst []byte) error {
	end := uint64(Base) + uint64(im.MemNeeded)
	if addr < Base || uint64(addr)+uint64(len(dst)) > end {
		return fmt.Errorf("%d bytes at $%07X: outside the image's memory ($%07X-$%07X)", len(dst), addr, Base, end)
	}
	for len(dst) > 0 {
		var stop uint32 // end of the region that addr lies in
		off := int64(-1)
		switch {
		case addr < Base+HeaderSize:
			stop, off = Base+HeaderSize, int64(addr-Base)
		case addr < im.LoadAddr:
			stop = im.LoadAddr
		case addr < im.Scratch:
			stop, off = im.Scratch, int64(addr-im.LoadAddr)+HeaderSize
		default:
			stop = uint32(end)
		}
		part := dst[:min(len(dst), int(stop-addr))]
		if off < 0 {
			clear(part)
		} else if n, err := im.r.ReadAt(part, off); n < len(part) {
			return fmt.Errorf("reading the image at $%07X (file offset %d): %w", addr, off, err)
		}
		dst, addr = dst[len(part):], stop
	}
	return nil
}

// Instructions returns the script up to and including the last that is not all
// zero.
func (im *Image) Instructions() ([]Instruction, error) {
	// The slots lie within the file (checked by Open), so they bound the memory.
	b := make([]byte, im.Weights-im.Script)
	if err := im.Read(im.Script, b); err != nil {
		return nil, fmt.Errorf("the script: %w", err)
	}
	n := len(b)
	for n > 0 && b[n-1] == 0 {
		n--
	}
	script := make([]Instruction, 0, (n+InstructionBytes-1)/InstructionBytes)
	for p := 0; p < n; p += InstructionBytes {
		script = append(script, Decode((*[InstructionBytes]byte)(b[p:])))
	}
	return script, nil
}

package convert

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// chunk is how much of a tensor is held in memory at a time, unless a single
// row (or head, where rows are reordered) is longer.
const chunk = 1 << 18

// emitter writes the payload and knows the address it is at.
type emitter struct {
	w        *bufio.Writer
	addr     uint64
	end      uint64
	progress func(done, total int64)
	in, out  []byte // buffers
}

// WriteTo writes the image. The bytes depend on nothing but the model and the
// options. A weight that is not a number, or not finite, or that does not fit
// its format, stops it with a *TensorError that names row and column.
func (p *Plan) WriteTo(w io.Writer) (int64, error) {
	count := &counter{w: w}
	e := &emitter{w: bufio.NewWriterSize(count, 64<<10), addr: image.Payload, end: p.layout.scratch, progress: p.opts.Progress}
	err := p.write(e)
	if err == nil {
		err = e.w.Flush()
	}
	if err == nil && count.n != p.Size() {
		panic(fmt.Sprintf("convert: wrote %d bytes of an image of %d", count.n, p.Size()))
	}
	return count.n, err
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

func (p *Plan) write(e *emitter) error {
	h := p.Header.Encode()
	if _, err := e.w.Write(h[:]); err != nil {
		return err
	}
	for _, in := range p.script {
		b := in.Encode()
		if err := e.put(b[:]); err != nil {
			return err
		}
	}
	if err := e.block(uint64(p.Tables.Addr), p.Tables.Bytes); err != nil {
		return err
	}
	for _, w := range p.weights {
		if err := e.to(uint64(w.addr)); err != nil {
			return err
		}
		if err := e.weight(w); err != nil {
			return err
		}
	}
	if p.layout.rope != 0 {
		if err := p.writeRope(e); err != nil {
			return err
		}
	}
	for i, a := range p.attnBlocks() {
		b := a.Encode()
		if err := e.block(uint64(p.layout.attn[i]), b[:]); err != nil {
			return err
		}
	}
	return e.to(p.layout.scratch)
}

func (p *Plan) writeRope(e *emitter) error {
	if err := e.to(uint64(p.layout.rope)); err != nil {
		return err
	}
	t := newRopeTable(&p.Params, p.factors)
	var row []byte
	for pos := range p.layout.ctx {
		row = t.row(row[:0], pos)
		if err := e.put(row); err != nil {
			return err
		}
	}
	return nil
}

// put writes bytes at the present address.
func (e *emitter) put(b []byte) error {
	_, err := e.w.Write(b)
	e.addr += uint64(len(b))
	if e.progress != nil && len(b) >= 4096 {
		e.progress(int64(e.addr-image.Payload), int64(e.end-image.Payload))
	}
	return err
}

// to writes zeros up to an address.
func (e *emitter) to(addr uint64) error {
	var zero [4096]byte
	for e.addr < addr {
		if err := e.put(zero[:min(uint64(len(zero)), addr-e.addr)]); err != nil {
			return err
		}
	}
	if e.addr != addr {
		panic(fmt.Sprintf("convert: a block for $%07X comes at $%07X", addr, e.addr))
	}
	return nil
}

func (e *emitter) block(addr uint64, b []byte) error {
	if err := e.to(addr); err != nil {
		return err
	}
	return e.put(b)
}

// weight writes a block of weights.
func (e *emitter) weight(w *weight) error {
	if w.matrix {
		return e.matrix(w)
	}
	for _, t := range w.tensors {
		v, err := readVector(t)
		if err != nil {
			return err
		}
		if w.neox != 0 {
			v = interleave(v, w.neox, 1)
		}
		b := make([]byte, 0, 4*len(v))
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		if err := e.put(b); err != nil {
			return err
		}
	}
	return nil
}

// readVector reads a tensor of one row.
func readVector(t *gguf.Tensor) ([]float32, error) {
	raw := make([]byte, t.Size)
	if _, err := t.Open().ReadAt(raw, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	v := make([]float32, t.Elements())
	if err := ggml.Dequantize(t.Type, v, raw); err != nil {
		return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	if err := ggml.CheckFinite(v); err != nil {
		return nil, valueError(t.Name, err, len(v), func(int) int { return 0 })
	}
	return v, nil
}

// valueError says where a weight that cannot be stored stands, given the row
// of the model that an index into values belongs to.
func valueError(name string, err error, cols int, rowOf func(i int) int) error {
	var v *ggml.ValueError
	if !errors.As(err, &v) {
		return fmt.Errorf("tensor %q: %w", name, err)
	}
	return &TensorError{Tensor: name, Msg: fmt.Sprintf("row %d, column %d: the weight %v %s", rowOf(v.Index/cols), v.Index%cols, v.Value, v.Reason),
		Remedy: "the file is damaged, or its training failed: download it again, or try another --wtype if the weight is only too large"}
}

// interleave reorders rows of size values, head rows at a time: row j and row
// j+head/2 become neighbours.
func interleave[T any](rows []T, head, size int) []T {
	out := make([]T, 0, len(rows))
	for h := 0; h < len(rows); h += head * size {
		for j := range head / 2 {
			for _, i := range []int{j, j + head/2} {
				out = append(out, rows[h+i*size:][:size]...)
			}
		}
	}
	return out
}

// matrix writes a matrix chunk by chunk.
func (e *emitter) matrix(w *weight) error {
	t := w.tensors[0]
	r := t.Open()
	inRow := int(t.Size) / w.rows
	outRow := int(w.rowBytes())
	step := max(chunk/max(inRow, outRow), 1)
	if w.neox != 0 {
		step = max(step/w.neox, 1) * w.neox // whole heads
	}
	for row := 0; row < w.rows; row += step {
		n := min(step, w.rows-row)
		e.in = grow(e.in, n*inRow)
		if _, err := r.ReadAt(e.in, int64(row)*int64(inRow)); err != nil && err != io.EOF {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		in := e.in
		if w.neox != 0 {
			in = interleave(in, w.neox, inRow)
		}
		out := in
		if w.format != t.Type {
			e.out = grow(e.out, n*outRow)
			out = e.out
			if err := repack(w, out, in, n, row); err != nil {
				return err
			}
		} else if err := ggml.Check(t.Type, in); err != nil {
			return valueError(t.Name, err, w.cols, func(i int) int { return sourceRow(w, row+i) })
		}
		if err := e.put(out); err != nil {
			return err
		}
	}
	return nil
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// sourceRow is the row of the model that becomes a row of the image.
func sourceRow(w *weight, row int) int {
	if w.neox == 0 {
		return row
	}
	h, j := row/w.neox*w.neox, row%w.neox
	return h + j/2 + j%2*(w.neox/2)
}

// repack turns n rows into another format, on all processors. Rows do not
// depend on each other, so the bytes are the same however they are shared out.
func repack(w *weight, out, in []byte, n, first int) error {
	t := w.tensors[0]
	inRow, outRow := len(in)/n, len(out)/n
	workers := min(runtime.GOMAXPROCS(0), n)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for k := range workers {
		lo, hi := n*k/workers, n*(k+1)/workers
		wg.Add(1)
		go func() {
			defer wg.Done()
			v := make([]float32, w.cols)
			for i := lo; i < hi && errs[k] == nil; i++ {
				err := ggml.Dequantize(t.Type, v, in[i*inRow:][:inRow])
				if err == nil {
					err = ggml.Quantize(w.format, out[i*outRow:][:outRow], v)
				}
				if err != nil {
					errs[k] = valueError(t.Name, err, w.cols, func(int) int { return sourceRow(w, first+i) })
				}
			}
		}()
	}
	wg.Wait()
	for _, err := range errs { // the first in the order of rows
		if err != nil {
			return err
		}
	}
	return nil
}

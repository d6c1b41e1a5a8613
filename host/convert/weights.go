package convert

import (
	"fmt"
	"sort"
	"strings"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
)

// weight is one block of weights in the image: a matrix, or a vector that may
// be followed at once by a second one (the bias of a norm).
type weight struct {
	name    string // without ".weight"; biases keep ".bias"
	tensors []*gguf.Tensor
	matrix  bool
	cols    int
	rows    int

	// neox is the head size if rows of a head are to be interleaved, so that
	// the pairs RoPE turns (j, j+neox/2) become neighbours; 0 leaves rows alone.
	neox int

	format ggml.Type // as stored; chosen by the policy
	addr   uint32    // chosen by the layout
}

// rowBytes is the size of a stored row.
func (w *weight) rowBytes() uint32 { return uint32(w.bytesIn(w.format) / uint64(w.rows)) }

// bytes is the size of the stored block without padding.
func (w *weight) bytes() uint64 { return w.bytesIn(w.format) }

// bytesIn is the size in a format whose block divides the columns.
func (w *weight) bytesIn(t ggml.Type) uint64 {
	n := uint64(len(w.tensors)) * uint64(w.rows)
	return n * uint64(w.cols/t.BlockSize()) * uint64(t.BlockBytes())
}

// rowAt is the address of a row.
func (w *weight) rowAt(row int) uint32 { return w.addr + uint32(row)*w.rowBytes() }

// collector takes tensors out of a model by name, checks their shapes, and
// keeps them in the order of the image. It remembers the first error.
type collector struct {
	f    *gguf.File
	used map[string]bool
	list []*weight
	err  error
}

func newCollector(f *gguf.File) *collector {
	return &collector{f: f, used: map[string]bool{}}
}

// tensor finds a tensor of the given shape: columns, then rows (0: a vector).
func (c *collector) tensor(name string, cols, rows int) *gguf.Tensor {
	if c.err != nil {
		return nil
	}
	t := c.f.Tensor(name)
	if t == nil {
		c.err = &TensorError{Tensor: name, Msg: fmt.Sprintf("missing; the metadata calls for one of %s", shape(cols, rows))}
		return nil
	}
	c.used[name] = true
	want := []uint64{uint64(cols)}
	if rows > 0 {
		want = append(want, uint64(rows))
	}
	if !sameShape(t.Dims, want) {
		c.err = &TensorError{Tensor: name, Msg: fmt.Sprintf("its shape is %v, the metadata calls for %s", t.Dims, shape(cols, rows))}
		return nil
	}
	if !t.Type.Known() {
		c.err = &TensorError{Tensor: name, Msg: fmt.Sprintf("its format, %s, cannot be read", t.Type.Describe()), Remedy: "use a file of this model in another format, such as Q8_0"}
		return nil
	}
	if n := uint64(cols) % uint64(t.Type.BlockSize()); n != 0 {
		c.err = &TensorError{Tensor: name, Msg: fmt.Sprintf("its rows of %d values are no multiple of %d, the block of %s", cols, t.Type.BlockSize(), t.Type)}
		return nil
	}
	return t
}

// sameShape compares dimensions; trailing ones do not count.
func sameShape(have, want []uint64) bool {
	for i := range max(len(have), len(want)) {
		h, w := uint64(1), uint64(1)
		if i < len(have) {
			h = have[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if h != w {
			return false
		}
	}
	return true
}

func shape(cols, rows int) string {
	if rows == 0 {
		return fmt.Sprintf("[%d]", cols)
	}
	return fmt.Sprintf("[%d %d] (columns, rows)", cols, rows)
}

func (c *collector) has(name string) bool { return c.f.Tensor(name) != nil }

// matrix adds NAME.weight.
func (c *collector) matrix(name string, cols, rows int) *weight {
	t := c.tensor(name+".weight", cols, rows)
	w := &weight{name: name, tensors: []*gguf.Tensor{t}, matrix: true, cols: cols, rows: rows, format: ggml.F32}
	c.list = append(c.list, w)
	return w
}

// rowsOf returns the rows of a matrix whose number of rows the metadata does
// not state.
func (c *collector) rowsOf(name string) int {
	t := c.f.Tensor(name)
	if t == nil || len(t.Dims) < 2 || t.Dims[1] == 0 || t.Dims[1] > maxDim {
		return 1 // its shape is found wrong when it is added
	}
	return int(t.Dims[1])
}

// vector adds a vector, or several back to back: always F32 in the image.
func (c *collector) vector(n int, names ...string) *weight {
	w := &weight{name: strings.TrimSuffix(names[0], ".weight"), cols: n, rows: 1, format: ggml.F32}
	for _, name := range names {
		w.tensors = append(w.tensors, c.tensor(name, n, 0))
	}
	c.list = append(c.list, w)
	return w
}

// norm adds NAME.weight and, with it, NAME.bias.
func (c *collector) norm(name string, n int) *weight {
	return c.vector(n, name+".weight", name+".bias")
}

// bias adds NAME.bias.
func (c *collector) bias(name string, n int) *weight { return c.vector(n, name+".bias") }

// biasIf adds NAME.bias if the model has it.
func (c *collector) biasIf(name string, n int) *weight {
	if !c.has(name + ".bias") {
		return nil
	}
	return c.bias(name, n)
}

// ignored are tensors whose absence from an image changes no result: tables
// that are computed afresh, and heads that an embedding does not use.
func ignored(name string) bool {
	return strings.HasSuffix(name, "rope_freqs.weight") || strings.HasSuffix(name, "attn_rot_embd") ||
		strings.HasSuffix(name, ".attn_rot_embd.weight") || strings.HasSuffix(name, ".rot_embd.freqs") ||
		strings.HasSuffix(name, "position_ids") || name == "cls" || strings.HasPrefix(name, "cls.")
}

// finish reports the first error, or a tensor that the script does not use: a
// forward pass without it would not be the model's.
func (c *collector) finish() error {
	if c.err != nil {
		return c.err
	}
	var left []string
	for _, t := range c.f.Tensors {
		if !c.used[t.Name] && !ignored(t.Name) {
			left = append(left, t.Name)
		}
	}
	if len(left) == 0 {
		return nil
	}
	sort.Strings(left)
	msg := "the supported forms of this architecture have no such tensor"
	if len(left) > 1 {
		msg += fmt.Sprintf(" (and %d more)", len(left)-1)
	}
	return &TensorError{Tensor: left[0], Msg: msg}
}

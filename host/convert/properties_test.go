package convert

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// everyArch calls test with a small model of each architecture.
func everyArch(t *testing.T, format ggml.Type, test func(t *testing.T, m *tiny)) {
	for name, m := range map[string]*tiny{
		"llama": tinyLlama(tinyOptions{layers: 2, kvHeads: 2}, format),
		"qwen2": tinyLlama(tinyOptions{arch: "qwen2", bias: true}, format),
		"gpt2":  tinyGPT2(tinyOptions{layers: 2}, format),
		"bert":  tinyBert(tinyOptions{layers: 2}, format),
	} {
		t.Run(name, func(t *testing.T) { test(t, m) })
	}
}

// B05: versions 1, 2 and 3 and both byte orders of one model give one image.
func TestB05Versions(t *testing.T) {
	for _, format := range []ggml.Type{ggml.F32, ggml.F16, ggml.BF16, ggml.Q8_0, ggml.Q4_0} {
		everyArch(t, format, func(t *testing.T, m *tiny) {
			want := convertBytes(t, m.file(t), Options{})
			for version := range uint32(3) {
				for _, big := range []bool{false, true} {
					if version+1 < 3 && big {
						continue // byte order came with version 3
					}
					got := convertBytes(t, openBytes(t, m.bytes(t, version+1, big)), Options{})
					if !bytes.Equal(got, want) {
						t.Errorf("%s, version %d, big-endian %v: another image", format, version+1, big)
					}
				}
			}
		})
	}
}

// An image that is written can be opened, and says what was planned.
func TestImageOpens(t *testing.T) {
	everyArch(t, ggml.F32, func(t *testing.T, m *tiny) {
		for _, o := range []Options{{}, {WType: "q4_0", Ctx: 16, KV: "f32"}, {WType: "mixed", Type: "Story"}} {
			p, err := New(m.file(t), o)
			if err != nil {
				t.Fatal(err)
			}
			b := planBytes(t, p)
			im, err := image.Open(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			if im.Header != p.Header {
				t.Errorf("the header reads back as %+v, want %+v", im.Header, p.Header)
			}
			script, err := im.Instructions()
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(script) != fmt.Sprint(p.Script()) {
				t.Error("the script does not read back")
			}
			if o.Ctx != 0 && im.MaxCtx != uint32(o.Ctx) {
				t.Errorf("context %d, want %d", im.MaxCtx, o.Ctx)
			}
			if want := o.Type; want != "" && !strings.HasSuffix(im.Description, "["+want+"]") {
				t.Errorf("description %q", im.Description)
			}
			if _, err := image.NewTokenizer(im, im.Header); err != nil {
				t.Error(err)
			}
		}
	})
}

// keep copies every matrix that the core reads byte for byte.
func TestKeepCopies(t *testing.T) {
	for _, format := range []ggml.Type{ggml.F32, ggml.F16, ggml.BF16, ggml.Q8_0, ggml.Q4_0} {
		m := tinyLlama(tinyOptions{layers: 2}, format)
		p, err := New(m.file(t), Options{WType: "keep"})
		if err != nil {
			t.Fatal(err)
		}
		b := planBytes(t, p)
		n := 0
		for _, w := range p.weights {
			if !w.matrix {
				continue
			}
			n++
			off := int(w.addr-image.Payload) + image.HeaderSize
			if want := m.tensor(w.name + ".weight").data; !bytes.Equal(b[off:off+len(want)], want) {
				t.Errorf("%s: %s is not a copy", format, w.name)
			}
		}
		if n != 15 {
			t.Errorf("%d matrices, want 15", n)
		}
		if r := p.Report(); len(r.Repacked) != 0 {
			t.Errorf("%s: %d matrices were repacked", format, len(r.Repacked))
		}
	}
}

// Rows of qwen2's queries and keys are interleaved: with them in the other
// order the same model as llama has the same weights in its image.
func TestNeoxRows(t *testing.T) {
	o := tinyOptions{kvHeads: 2, dim: 64, headDim: 16}
	l := tinyLlama(o, ggml.Q8_0)
	want := convertBytes(t, l.file(t), Options{})
	o.arch = "qwen2"
	q := tinyLlama(o, ggml.Q8_0)
	for i, x := range l.tensors {
		copy(q.tensors[i].data, x.data)
		if strings.HasSuffix(x.name, "attn_q.weight") || strings.HasSuffix(x.name, "attn_k.weight") {
			row := int(x.dims[0]) / 32 * 34
			for r := range int(x.dims[1]) {
				// Row r of the image comes from row src of qwen2's model.
				src := r/16*16 + r%16/2 + r%2*8
				copy(q.tensors[i].data[src*row:][:row], x.data[r*row:][:row])
			}
		}
	}
	got := convertBytes(t, q.file(t), Options{})
	if !bytes.Equal(got[image.HeaderSize:], want[image.HeaderSize:]) {
		t.Error("the payloads differ")
	}
}

// The bytes do not depend on the number of processors.
func TestThreads(t *testing.T) {
	f := tinyLlama(tinyOptions{dim: 256, hidden: 512, vocab: 5000}, ggml.F32).file(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := convertBytes(t, f, Options{WType: "q4_0"})
	for _, n := range []int{2, 3, 7} {
		runtime.GOMAXPROCS(n)
		if got := convertBytes(t, f, Options{WType: "q4_0"}); !bytes.Equal(got, want) {
			t.Errorf("%d processors: another image", n)
		}
	}
}

// The progress that is reported rises to the whole.
func TestProgress(t *testing.T) {
	var last, end int64
	o := Options{Progress: func(done, total int64) {
		if done < last || done > total {
			t.Errorf("%d of %d bytes after %d", done, total, last)
		}
		last, end = done, total
	}}
	b := convertBytes(t, tinyLlama(tinyOptions{dim: 256, vocab: 5000}, ggml.F32).file(t), o)
	if want := int64(len(b)) - image.HeaderSize; end != want {
		t.Errorf("the whole is %d bytes, reported were %d", want, end)
	}
	if last < end*9/10 {
		t.Errorf("the last report was %d of %d bytes", last, end)
	}
}

// A writer that fails stops the conversion with its error.
func TestWriterFails(t *testing.T) {
	p, err := New(tinyLlama(tinyOptions{dim: 256, vocab: 5000}, ggml.F32).file(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := &failing{left: 1 << 20}
	n, err := p.WriteTo(w)
	if err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error %v", err)
	}
	if n != 1<<20 {
		t.Errorf("%d bytes counted, %d were written", n, 1<<20)
	}
}

type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if len(b) > f.left {
		n := f.left
		f.left = 0
		return n, fmt.Errorf("disk full")
	}
	f.left -= len(b)
	return len(b), nil
}

// B19: rows that the block does not divide become F16, are named in the
// report, and their cost is told.
func TestB19IndivisibleRows(t *testing.T) {
	m := tinyLlama(tinyOptions{hidden: 44, layers: 2}, ggml.F32)
	for _, c := range []struct {
		wtype string
		block int
		bytes float64
	}{{"q8_0", 32, 34}, {"q4_0", 32, 18}} {
		p, err := New(m.file(t), Options{WType: c.wtype})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range p.Report().Repacked {
			if r.To != "F16" {
				continue
			}
			names = append(names, r.Tensor)
			want := fmt.Sprintf("rows of 44 are no multiple of %d, the block of %s", c.block, strings.ToUpper(c.wtype))
			if r.Reason != want {
				t.Errorf("reason %q, want %q", r.Reason, want)
			}
			if extra := 44*32*2 - int64(44*32*c.bytes/32); r.Extra != extra {
				t.Errorf("cost %d bytes, want %d", r.Extra, extra)
			}
		}
		if fmt.Sprint(names) != "[blk.0.ffn_down blk.1.ffn_down]" {
			t.Errorf("%s: F16 for %v", c.wtype, names)
		}
		var text bytes.Buffer
		if err := p.Report().WriteText(&text, false); err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{"blk.0.ffn_down", "blk.1.ffn_down", "rows of 44"} {
			if !strings.Contains(text.String(), s) {
				t.Errorf("the report does not name %q:\n%s", s, &text)
			}
		}
	}
}

// What the core does not read is repacked to the fallback.
func TestFallback(t *testing.T) {
	m := tinyLlama(tinyOptions{dim: 256, hidden: 256}, ggml.Q4_K)
	for fallback, want := range map[string]ggml.Type{"": ggml.Q8_0, "f16": ggml.F16, "bf16": ggml.BF16, "q4_0": ggml.Q4_0, "F32": ggml.F32} {
		p, err := New(m.file(t), Options{WType: "keep", Fallback: fallback})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range p.weights {
			if w.matrix && w.format != want {
				t.Errorf("fallback %q: %s as %s", fallback, w.name, w.format)
			}
		}
		planBytes(t, p)
	}
}

// A description is cut at 127 bytes, never inside a character.
func TestDescription(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", "llama 32d 1L 4H [General]"},
		{"Tim", "Tim (llama) [General]"},
		{"nul\x00here", "nul"},
		{strings.Repeat("x", 127), strings.Repeat("x", 127)},
		{strings.Repeat("é", 70), strings.Repeat("é", 63)},
		{strings.Repeat("x", 125) + "€uro", strings.Repeat("x", 125)},
	} {
		m := tinyLlama(tinyOptions{}, ggml.F32)
		if c.name != "" {
			m.set("general.name", c.name)
		}
		h, err := image.ParseHeader(convertBytes(t, m.file(t), Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if h.Description != c.want || !utf8.ValidString(h.Description) {
			t.Errorf("%q gives %q, want %q", c.name, h.Description, c.want)
		}
	}
}

// No block straddles the border of the two RAMs; what is left free is zero.
func TestBorder(t *testing.T) {
	// The weights end just short of the border, the caches reach over it.
	f := tinyLlama(tinyOptions{dim: 1024, heads: 8, hidden: 2048, layers: 2, vocab: 36500, fast: true}, ggml.Q8_0).file(t)
	crossed := map[string]bool{}
	for _, ctx := range []int{64, 300, 380, 400, 500, 700} {
		p, err := New(f, Options{MemMB: 72, Ctx: ctx})
		if err != nil {
			t.Fatal(err)
		}
		check := func(name string, addr, size uint64) {
			if addr < image.HyperBase && addr+size > image.HyperBase {
				t.Errorf("context %d: %s at $%X straddles the border", ctx, name, addr)
			}
			if addr == image.HyperBase {
				crossed[name] = true
			}
		}
		for _, w := range p.weights {
			check(w.name, uint64(w.addr), w.bytes())
		}
		check("RoPE", uint64(p.layout.rope), uint64(ctx)*uint64(p.layout.ropeRow))
		for _, b := range p.layout.buffers {
			check(b.name, uint64(b.addr), b.size)
		}
	}
	if len(crossed) == 0 {
		t.Error("no layout came to the border: the test tests nothing")
	}
}

// A GGUF that was split and one that was not give the same image.
func TestB08Split(t *testing.T) {
	m := tinyLlama(tinyOptions{layers: 2}, ggml.Q8_0)
	want := convertBytes(t, m.file(t), Options{})
	var parts []gguf.Part
	half := len(m.tensors) / 2
	for no, tensors := range [][]tinyTensor{m.tensors[:half], m.tensors[half:]} {
		part := &tiny{tensors: tensors}
		if no == 0 {
			part.kv = append(part.kv, m.kv...)
		}
		part.set("split.no", uint16(no))
		part.set("split.count", uint16(2))
		part.set("split.tensors.count", int32(len(m.tensors)))
		b := part.bytes(t, 3, false)
		parts = append(parts, gguf.Part{Name: fmt.Sprintf("m-%05d-of-00002.gguf", no+1), R: bytes.NewReader(b), Size: int64(len(b))})
	}
	f, err := gguf.Join(parts...)
	if err != nil {
		t.Fatal(err)
	}
	if got := convertBytes(t, f, Options{}); !bytes.Equal(got, want) {
		t.Error("another image")
	}
}

// Floats are stored little-endian from a big-endian model too.
func TestBigEndianVectors(t *testing.T) {
	m := tinyLlama(tinyOptions{}, ggml.F32)
	p, err := New(openBytes(t, m.bytes(t, 3, true)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := planBytes(t, p)
	w := p.weights[1]
	off := int(w.addr-image.Payload) + image.HeaderSize
	want := m.tensor("blk.0.attn_norm.weight").data
	if w.name != "blk.0.attn_norm" || binary.LittleEndian.Uint32(b[off:]) != binary.LittleEndian.Uint32(want) {
		t.Errorf("%s begins with % x, want % x", w.name, b[off:off+4], want[:4])
	}
}

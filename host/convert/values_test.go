package convert

import (
	"math"
	"testing"

	"ssnail-kit/host/ggml"
)

// B20: a weight that is not finite, or that does not fit its format, is an
// error with tensor, row and column, whether it is copied or repacked.
func TestB20NotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, wtype := range []string{"keep", "f16", "bf16", "q8_0", "q4_0"} {
		for _, c := range []struct {
			tensor   string
			row, col int
			v        float32
			words    []string
		}{
			{"token_embd.weight", 299, 31, nan, []string{"row 299, column 31", "not a number"}},
			{"blk.0.attn_q.weight", 0, 0, inf, []string{"row 0, column 0", "infinite"}},
			{"blk.0.ffn_down.weight", 7, 63, -inf, []string{"row 7, column 63", "infinite"}},
			{"blk.0.attn_norm.weight", 0, 5, nan, []string{"row 0, column 5", "not a number"}},
		} {
			m := tinyLlama(tinyOptions{}, ggml.F32)
			x := m.tensor(c.tensor)
			x.putFloat(c.row*int(x.dims[0])+c.col, c.v)
			refused(t, m, Options{WType: wtype}, append(c.words, c.tensor)...)
		}
	}
	// Reordered rows are counted as in the model.
	for _, wtype := range []string{"keep", "q8_0"} {
		m := tinyLlama(tinyOptions{arch: "qwen2", dim: 64}, ggml.F32)
		m.tensor("blk.0.attn_k.weight").putFloat(21*64+3, nan)
		refused(t, m, Options{WType: wtype}, "blk.0.attn_k.weight", "row 21, column 3")
	}
	// Half floats and blocks, as they stand in the file.
	for _, format := range []ggml.Type{ggml.F16, ggml.BF16} {
		m := tinyLlama(tinyOptions{}, format)
		x := m.tensor("blk.0.attn_v.weight")
		i := 2 * (9*32 + 17)
		x.data[i], x.data[i+1] = 0xff, 0x7f // NaN in both
		refused(t, m, Options{}, "blk.0.attn_v.weight", "row 9, column 17", "not a number")
	}
	for _, format := range []ggml.Type{ggml.Q8_0, ggml.Q4_0} {
		for _, wtype := range []string{"keep", "f16"} {
			m := tinyLlama(tinyOptions{dim: 64, hidden: 64}, format)
			x := m.tensor("blk.0.attn_q.weight")
			i := (2*64/32 + 1) * format.BlockBytes() // row 2, second block
			x.data[i], x.data[i+1] = 0x00, 0x7c
			refused(t, m, Options{WType: wtype}, "blk.0.attn_q.weight", "row 2, column")
		}
	}
	// Too large for a block's scale, or for a half float.
	m := tinyLlama(tinyOptions{}, ggml.F32)
	m.tensor("blk.0.attn_q.weight").putFloat(3*32+4, 1e6)
	refused(t, m, Options{WType: "q4_0"}, "blk.0.attn_q.weight", "row 3, column 4")
	refused(t, m, Options{WType: "f16"}, "blk.0.attn_q.weight", "row 3, column 4")
}

// B20: blocks of zeros and of tiny values are no error.
func TestB20Tiny(t *testing.T) {
	for _, wtype := range []string{"q8_0", "q4_0", "f16", "bf16"} {
		m := tinyLlama(tinyOptions{}, ggml.F32)
		x := m.tensor("blk.0.attn_q.weight")
		for i := range 64 {
			v := float32(0)
			if i >= 32 {
				v = 1e-40
			}
			x.putFloat(i, v)
		}
		p, err := New(m.file(t), Options{WType: wtype})
		if err != nil {
			t.Fatal(err)
		}
		b := planBytes(t, p)
		for _, w := range p.weights {
			if w.name != "blk.0.attn_q" {
				continue
			}
			off := int(w.addr) - 0x8005000 + 256
			v := make([]float32, 64)
			n := 2 * int(w.rowBytes())
			if err := ggml.Dequantize(w.format, v, b[off:off+n]); err != nil {
				t.Fatal(err)
			}
			for i, x := range v {
				if math.Abs(float64(x)) > 1e-38 {
					t.Errorf("%s: weight %d became %g", wtype, i, x)
				}
			}
		}
	}
}

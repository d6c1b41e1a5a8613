package convert

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"ssnail-kit/host/ggml"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// Report says what a conversion does: to each weight, and to the memory.
type Report struct {
	Description string        `json:"description"`
	Arch        string        `json:"architecture"`
	Dims        Dims          `json:"dimensions"`
	WType       string        `json:"wtype"` // the policy taken
	Auto        bool          `json:"auto"`  // it was chosen, not asked for
	KV          string        `json:"kv"`
	MemMB       int           `json:"mem_mb"`
	FileBytes   int64         `json:"file_bytes"`
	MemNeeded   uint64        `json:"memory_needed"`
	Formats     []FormatTotal `json:"formats"`
	Repacked    []Repack      `json:"repacked"`
	Map         []Region      `json:"memory_map"`
	Tables      TableSizes    `json:"tokenizer_tables"`
	Notes       []string      `json:"notes"`
}

// Dims are the sizes of a model, in values.
type Dims struct {
	Dim     int `json:"embedding"`
	Layers  int `json:"layers"`
	Heads   int `json:"heads"`
	KVHeads int `json:"kv_heads"`
	HeadDim int `json:"head_size"`
	Hidden  int `json:"feed_forward"`
	Vocab   int `json:"vocabulary"`
	Ctx     int `json:"context"`
	Trained int `json:"trained_context"`
}

// FormatTotal counts what is stored in one format.
type FormatTotal struct {
	Format  string `json:"format"`
	Tensors int    `json:"tensors"`
	Bytes   uint64 `json:"bytes"`
}

// Repack is a matrix that is not stored as it is in the model.
type Repack struct {
	Tensor string `json:"tensor"`
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
	Extra  int64  `json:"extra_bytes"` // over what the wanted format would have taken
}

// Region is a part of the memory map.
type Region struct {
	Name  string `json:"name"`
	Addr  uint32 `json:"address"`
	Bytes uint64 `json:"bytes"`
	File  bool   `json:"in_file"`
}

// TableSizes are the sizes of the tokenizer's tables in bytes.
type TableSizes struct {
	Kind       string `json:"kind"`
	Tokens     int    `json:"tokens"`
	Indexed    int    `json:"indexed"`
	Vocab      uint32 `json:"vocab_bytes"`
	Index      uint32 `json:"index_bytes"`
	Priorities uint32 `json:"priority_bytes"`
	ByteTable  uint32 `json:"byte_table_bytes"`
}

// Report describes the plan.
func (p *Plan) Report() *Report {
	d, t := &p.Params, p.Tables
	r := &Report{
		Description: p.Header.Description, Arch: d.Family,
		Dims:  Dims{d.Dim, d.Layers, d.Heads, d.KVHeads, d.HeadDim, d.Hidden, p.model.vocab(), p.layout.ctx, d.Trained},
		WType: p.Policy, Auto: p.opts.WType == "auto", KV: p.opts.KV, MemMB: p.opts.MemMB,
		FileBytes: p.Size(), MemNeeded: p.layout.needed(),
		Formats: p.formatTotals(), Repacked: p.repacked(), Map: p.regions(),
		Tables: TableSizes{
			Kind: p.Vocab.Kind.String(), Tokens: len(p.Vocab.Pieces), Indexed: int(t.NIndex),
			Vocab: t.Index - t.Vocab, Index: t.Priorities - t.Index,
			Priorities: t.ByteTable - t.Priorities, ByteTable: t.Tokenizer - t.ByteTable,
		},
		Notes: slices.Clone(p.notes),
	}
	if n := p.model.vocab() - len(p.Vocab.Pieces); n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("the embedding has %d rows more than the vocabulary has tokens; if the model makes such a token nothing is shown", n))
	}
	if pre := p.Vocab.Pre; p.Vocab.Kind == image.BPE && pre != "" && pre != "default" && pre != "gpt-2" {
		r.Notes = append(r.Notes, fmt.Sprintf("the model was trained on text split by the rules of %s, an image splits as GPT-2 does: ssnail-kit tokcheck shows where that differs", pre))
	}
	return r
}

func (p *Plan) repacked() []Repack {
	var out []Repack
	fallback := formatOf(p.opts.Fallback)
	for _, w := range p.weights {
		if !w.matrix || w.format == w.tensors[0].Type {
			continue
		}
		r := Repack{Tensor: w.name, From: w.tensors[0].Type.String(), To: w.format.String(), Reason: reason(p.Policy, fallback, w)}
		if want := wanted(p.Policy, fallback, w); want != w.format {
			// What the wanted format would take if its blocks divided the row.
			r.Extra = int64(w.bytes()) - int64(float64(w.rows)*float64(w.cols)*bits(want)/8)
		}
		out = append(out, r)
	}
	return out
}

// formatTotals counts the weights by their format in the image.
func (p *Plan) formatTotals() []FormatTotal {
	var out []FormatTotal
	for _, t := range []ggml.Type{ggml.F32, ggml.F16, ggml.BF16, ggml.Q8_0, ggml.Q4_0} {
		ft := FormatTotal{Format: t.String()}
		for _, w := range p.weights {
			if w.format == t {
				ft.Tensors += len(w.tensors)
				ft.Bytes += w.bytes()
			}
		}
		if ft.Tensors > 0 {
			out = append(out, ft)
		}
	}
	return out
}

// regions is the memory map, by rising address.
func (p *Plan) regions() []Region {
	l, t := p.layout, p.Tables
	var out []Region
	add := func(name string, from, to uint64, file bool) {
		if to > from {
			out = append(out, Region{name, uint32(from), to - from, file})
		}
	}
	add("header", image.Base, image.Base+image.HeaderSize, true)
	if p.Params.Arch == image.Bert {
		add("output vector", image.OutputVector, image.OutputVector+image.OutputVectorBytes, false)
	}
	add("token buffer", image.TokenBuffer, image.TokenBuffer+image.TokenBufferBytes, false)
	add("script", image.Payload, uint64(l.tables), true)
	add("vocabulary", uint64(t.Vocab), uint64(t.Index), true)
	add("tokenizer tables", uint64(t.Index), uint64(t.End), true)
	last := p.weights[len(p.weights)-1]
	add("weights", uint64(p.weights[0].addr), uint64(last.addr)+last.bytes(), true)
	if l.rope != 0 {
		add("RoPE table", uint64(l.rope), uint64(l.rope)+uint64(l.ctx)*uint64(l.ropeRow), true)
	}
	add("attention blocks", uint64(l.attn[0]), uint64(l.attn[len(l.attn)-1])+image.AttnBlockBytes, true)
	return append(out, l.scratchRegions()...)
}

// scratchRegions joins neighbouring activations and caches.
func (l *layout) scratchRegions() []Region {
	kinds := map[*buffer]string{}
	for _, b := range l.k {
		kinds[b] = "K cache"
	}
	for _, b := range l.v {
		kinds[b] = "V cache"
	}
	var out []Region
	for _, b := range l.buffers {
		name := kinds[b]
		if name == "" {
			name = "activations"
		}
		if n := len(out); n > 0 && out[n-1].Name == name {
			out[n-1].Bytes = uint64(b.addr) + b.size - uint64(out[n-1].Addr)
			continue
		}
		out = append(out, Region{Name: name, Addr: b.addr, Bytes: b.size})
	}
	return out
}

// WriteText writes the report for a person. Long lists of matrices that were
// all repacked for the same reason are summed up unless all is set.
func (r *Report) WriteText(w io.Writer, all bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	d := r.Dims
	fmt.Fprintf(t, "model\t%s\n", gguf.Plain(r.Description))
	fmt.Fprintf(t, "dimensions\t%s, embedding %d, %d layers, %d heads (%d for K and V) of %d, feed forward %d, vocabulary %d\n",
		r.Arch, d.Dim, d.Layers, d.Heads, d.KVHeads, d.HeadDim, d.Hidden, d.Vocab)
	fmt.Fprintf(t, "context\t%d tokens (trained for %d), KV cache in %s\n", d.Ctx, d.Trained, r.KV)
	how := "asked for"
	if r.Auto {
		how = fmt.Sprintf("the first that fits %d MB", r.MemMB)
	}
	fmt.Fprintf(t, "weights\tpolicy %s, %s\n", r.WType, how)
	for _, f := range r.Formats {
		fmt.Fprintf(t, "  %s\t%d tensors, %d bytes\n", f.Format, f.Tensors, f.Bytes)
	}
	r.writeRepacked(t, all)
	s := r.Tables
	fmt.Fprintf(t, "tokenizer\t%s, %d tokens, %d that text can become\n", s.Kind, s.Tokens, s.Indexed)
	fmt.Fprintf(t, "  tables\tvocabulary %d bytes, index %d, priorities %d, bytes %d\n", s.Vocab, s.Index, s.Priorities, s.ByteTable)
	fmt.Fprintf(t, "memory\t\n")
	for _, m := range r.Map {
		where := "scratch"
		if m.File {
			where = "file"
		}
		fmt.Fprintf(t, "  $%07X\t%s, %d bytes (%s)\n", m.Addr, m.Name, m.Bytes, where)
	}
	fmt.Fprintf(t, "file\t%d bytes\n", r.FileBytes)
	fmt.Fprintf(t, "needed\t%d bytes of memory (%s of %d MB)\n", r.MemNeeded, size(r.MemNeeded), r.MemMB)
	for _, n := range r.Notes {
		fmt.Fprintf(t, "note\t%s\n", n)
	}
	return t.Flush()
}

// writeRepacked lists what was repacked. Where blocks did not divide the rows
// every matrix is named; a whole model repacked for one reason is one line.
func (r *Report) writeRepacked(w io.Writer, all bool) {
	type group struct{ from, to, reason string }
	var order []group
	by := map[group][]Repack{}
	for _, m := range r.Repacked {
		g := group{m.From, m.To, m.Reason}
		if by[g] == nil {
			order = append(order, g)
		}
		by[g] = append(by[g], m)
	}
	for _, g := range order {
		list := by[g]
		var extra int64
		for _, m := range list {
			extra += m.Extra
		}
		cost := ""
		if extra != 0 {
			cost = fmt.Sprintf(", %+d bytes", extra)
		}
		fmt.Fprintf(w, "  repacked\t%s to %s: %d matrices (%s%s)\n", g.from, g.to, len(list), g.reason, cost)
		if all || extra != 0 && len(list) <= 64 {
			for _, m := range list {
				fmt.Fprintf(w, "\t  %s\n", m.Tensor)
			}
		}
	}
}

package convert

import (
	"fmt"
	"slices"

	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
	"ssnail-kit/host/tokenizer"
)

// model is one architecture: the weights and the scratch that it needs, in
// the order of the image, and its forward pass.
type model interface {
	collect(c *collector)
	vocab() int // rows of the embedding: ids that can be processed
	scratch(l *layout)
	output(l *layout) (addr uint32, n int)
	emit(s *script, p *Plan)
}

// Plan is a conversion that is decided in all points but not written yet.
type Plan struct {
	Params Params
	Vocab  *tokenizer.Vocab
	Tables *image.Tables
	Header image.Header
	Policy string // the weight policy that was taken, never auto

	opts    Options
	model   model
	weights []*weight
	factors []float32 // of RoPE, nil if none
	layout  *layout
	script  []image.Instruction
	notes   []string
}

// New decides how a model is converted. Nothing of the tensors' data is read.
// A model that needs more memory than the options allow gives a *TooBigError,
// one that would have to be stored more coarsely without consent a
// *ConsentError.
func New(f *gguf.File, o Options) (*Plan, error) {
	p, err := prepare(f, o)
	if err != nil {
		return nil, err
	}
	ctx, err := p.context()
	if err != nil {
		return nil, err
	}
	if err := p.decide(ctx); err != nil {
		return nil, err
	}
	p.layout = p.measure(p.Policy, ctx)
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p, nil
}

// prepare reads all of the model that does not depend on context or policy.
func prepare(f *gguf.File, o Options) (*Plan, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	params, err := ReadParams(f)
	if err != nil {
		return nil, err
	}
	p := &Plan{Params: *params, opts: o, notes: slices.Clone(f.Warnings)}
	if len(f.Tensors) == 0 {
		return nil, fmt.Errorf("the model holds no tensors: it is a vocabulary without weights")
	}
	switch params.Arch {
	case image.Llama:
		p.model = &llama{p: &p.Params}
	case image.GPT2:
		p.model = &gpt2{p: &p.Params}
	case image.Bert:
		p.model = &bert{p: &p.Params}
	}
	c := newCollector(f)
	p.model.collect(c)
	if err := c.finish(); err != nil {
		return nil, err
	}
	p.weights = c.list
	if params.Arch == image.Llama {
		if p.factors, err = ropeFactors(f, params); err != nil {
			return nil, err
		}
	}
	if p.Vocab, err = tokenizer.FromGGUF(f); err != nil {
		return nil, err
	}
	if err := checkVocabSize(f, params, p.model.vocab()); err != nil {
		return nil, err
	}
	spec, err := p.Vocab.TableSpec()
	if err != nil {
		return nil, err
	}
	if have, want := p.model.vocab(), len(p.Vocab.Pieces); have < want {
		return nil, &TensorError{Tensor: "token_embd.weight", Msg: fmt.Sprintf("it has %d rows, but the vocabulary has %d tokens", have, want)}
	}
	if p.Tables, err = image.BuildTables(spec, tablesAddr(params.Layers)); err != nil {
		return nil, fmt.Errorf("the vocabulary: %w", err)
	}
	return p, nil
}

// checkVocabSize compares the embedding with the size that the metadata may
// state.
func checkVocabSize(f *gguf.File, p *Params, rows int) error {
	key := p.Family + ".vocab_size"
	n, ok, err := f.Uint(key)
	if err != nil {
		return err
	}
	if ok && n != uint64(rows) {
		return &KeyError{Key: key, Value: n, Msg: fmt.Sprintf("token_embd.weight has %d rows", rows)}
	}
	return nil
}

// positioned is a model with an embedding for each position.
type positioned interface{ positions() int }

// defaultContext is the context that is chosen if none is asked for.
func (p *Plan) defaultContext() int {
	most := 256
	if p.Params.Arch == image.Bert {
		most = 128
	}
	n := min(p.Params.Trained, most)
	if m, ok := p.model.(positioned); ok {
		n = min(n, m.positions())
	}
	return n
}

// context is the context length to use.
func (p *Plan) context() (int, error) {
	ctx := p.opts.Ctx
	if ctx == 0 {
		return p.defaultContext(), nil
	}
	if m, ok := p.model.(positioned); ok && ctx > m.positions() {
		return 0, &OptionError{"ctx", fmt.Sprintf("%d tokens; position_embd.weight has rows for %d", ctx, m.positions())}
	}
	if ctx > p.Params.Trained {
		p.notes = append(p.notes, fmt.Sprintf("a context of %d tokens is longer than the model was trained for (%d): text beyond that will be poor", ctx, p.Params.Trained))
	}
	return ctx, nil
}

// measure lays the model out under a policy.
func (p *Plan) measure(policy string, ctx int) *layout {
	apply(policy, formatOf(p.opts.Fallback), p.weights)
	return p.place(ctx)
}

// finish makes the header and the script.
func (p *Plan) finish() error {
	l := p.layout
	out, n := p.model.output(l)
	bos, eos := p.Vocab.HeaderTokens()
	p.Header = image.Header{
		Version:     image.Version,
		Script:      image.Payload,
		Weights:     image.Payload + uint32(slots(p.Params.Layers))*image.InstructionBytes,
		Scratch:     uint32(l.scratch),
		Tokens:      image.TokenBuffer,
		Vocab:       p.Tables.Vocab,
		NVocab:      uint32(len(p.Vocab.Pieces)),
		MaxCtx:      uint32(l.ctx),
		BOS:         bos,
		EOS:         eos,
		PayloadLen:  uint32(l.scratch - image.Payload),
		Output:      out,
		OutputLen:   uint32(n),
		MemNeeded:   uint32(l.needed()),
		Arch:        p.Params.Arch,
		LoadAddr:    image.Payload,
		Tokenizer:   p.Tables.Tokenizer,
		Description: p.description(),
	}
	if p.Params.Arch == image.Bert {
		p.Header.Flags = image.FlagEncoder
	}
	s := &script{}
	p.model.emit(s, p)
	var err error
	p.script, err = s.finish(slots(p.Params.Layers))
	return err
}

// description is what the MEGA65 shows of the model.
func (p *Plan) description() string {
	d := &p.Params
	if d.Name != "" {
		return image.CutDescription(fmt.Sprintf("%s (%s) [%s]", d.Name, d.Family, p.opts.Type))
	}
	return image.CutDescription(fmt.Sprintf("%s %dd %dL %dH [%s]", d.Family, d.Dim, d.Layers, d.Heads, p.opts.Type))
}

// Size is the length of the image file in bytes.
func (p *Plan) Size() int64 { return image.HeaderSize + int64(p.Header.PayloadLen) }

// Script is the program for the core.
func (p *Plan) Script() []image.Instruction { return p.script }

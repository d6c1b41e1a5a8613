package convert

import (
	"fmt"
	"math"
	"strings"

	"ssnail-kit/host/gguf"
)

// autoOrder is what auto tries.
var autoOrder = []string{"keep", "q8_0", "mixed", "q4_0"}

// policies are the weight policies that the options allow.
func (p *Plan) policies() []string {
	if p.opts.WType == "auto" {
		return autoOrder
	}
	return []string{p.opts.WType}
}

// decide takes the first policy that fits, and asks if it is a coarse one.
func (p *Plan) decide(ctx int) error {
	for _, policy := range p.policies() {
		l := p.measure(policy, ctx)
		if !l.fits(p.opts.MemMB) {
			continue
		}
		p.Policy = policy
		if p.opts.WType == "auto" && !p.opts.Yes {
			return p.consent(l)
		}
		return nil
	}
	return p.tooBig(ctx)
}

// consent asks whether weights may lose bits that the source had.
func (p *Plan) consent(l *layout) error {
	list := coarser(p.weights)
	if len(list) == 0 {
		return nil
	}
	first := list[0]
	keep := p.measure("keep", l.ctx).needed()
	p.measure(p.Policy, l.ctx)
	q := fmt.Sprintf("as it is the model needs %s, the memory is %d MB: store quantised weights more coarsely (%s: %d of %d matrices, such as %s from %s to %s)?",
		size(keep), p.opts.MemMB, p.Policy, len(list), p.matrices(), first.name, first.tensors[0].Type, first.format)
	if p.opts.Consent != nil && p.opts.Consent(q) {
		return nil
	}
	return &ConsentError{q, p.Policy}
}

func (p *Plan) matrices() (n int) {
	for _, w := range p.weights {
		if w.matrix {
			n++
		}
	}
	return n
}

// Fit is a way to make a model fit: a weight policy, a memory size, a context.
type Fit struct {
	MemMB  int    `json:"mem_mb"`
	Boards string `json:"boards"`
	WType  string `json:"wtype"`
	Ctx    int    `json:"ctx"`
	Needed uint64 `json:"needed"` // bytes
	Fits   bool   `json:"fits"`
}

// TooBigError says that a model needs more memory than it may have, and what
// would fit: all of it computed by laying the model out.
type TooBigError struct {
	MemMB  int
	Ctx    int
	Tried  []Fit // the policies that were tried, at MemMB
	Larger []Fit // larger memories, each with the first policy that fits it
	Coarse []Fit // policies besides those tried that fit MemMB, if one was forced
	Here   *Fit  // a shorter context that fits MemMB, nil if none does
}

func (e *TooBigError) Error() string {
	var tried []string
	for _, f := range e.Tried {
		tried = append(tried, fmt.Sprintf("%s as %s", size(f.Needed), f.WType))
	}
	return fmt.Sprintf("too big: with a context of %d tokens the model needs %s; the memory is %d MB", e.Ctx, strings.Join(tried, ", "), e.MemMB)
}

// Hint lists what would fit.
func (e *TooBigError) Hint() string {
	var ways []string
	for _, f := range e.Coarse {
		ways = append(ways, fmt.Sprintf("--wtype %s needs %s here", f.WType, size(f.Needed)))
	}
	for _, f := range e.Larger {
		ways = append(ways, fmt.Sprintf("--mem-mb %d (%s) takes it as %s (%s)", f.MemMB, f.Boards, f.WType, size(f.Needed)))
	}
	if e.Here != nil {
		ways = append(ways, fmt.Sprintf("--ctx %d fits here as %s", e.Here.Ctx, e.Here.WType))
	}
	if len(ways) == 0 {
		return "no board has enough memory for this model in any format; use a smaller model"
	}
	return strings.Join(ways, "; ")
}

// tooBig computes the alternatives.
func (p *Plan) tooBig(ctx int) error {
	e := &TooBigError{MemMB: p.opts.MemMB, Ctx: ctx}
	fit := func(policy string, mb int) Fit {
		l := p.measure(policy, ctx)
		return Fit{MemMB: mb, WType: policy, Ctx: ctx, Needed: l.needed(), Fits: l.fits(mb)}
	}
	for _, policy := range p.policies() {
		e.Tried = append(e.Tried, fit(policy, p.opts.MemMB))
	}
	if p.opts.WType != "auto" {
		for _, policy := range autoOrder[1:] {
			if f := fit(policy, p.opts.MemMB); f.Fits && policy != p.opts.WType {
				e.Coarse = append(e.Coarse, f)
			}
		}
	}
	for _, m := range MemSizes {
		if m.MB <= p.opts.MemMB {
			continue
		}
		for _, policy := range p.policies() {
			if f := fit(policy, m.MB); f.Fits {
				f.Boards = m.Boards
				e.Larger = append(e.Larger, f)
				break
			}
		}
	}
	// The finest format with a context worth having, else the coarsest.
	const worth = 32
	for _, policy := range p.policies() {
		n := p.longest(policy, ctx)
		if n >= min(worth, ctx) || n > 0 && (e.Here == nil || n > e.Here.Ctx) {
			l := p.measure(policy, n)
			e.Here = &Fit{MemMB: p.opts.MemMB, WType: policy, Ctx: n, Needed: l.needed(), Fits: true}
			if n >= min(worth, ctx) {
				break
			}
		}
	}
	return e
}

// longest is the longest context below limit that fits, 0 if none does.
func (p *Plan) longest(policy string, limit int) int {
	lo, hi := 0, limit // lo fits (or is 0), hi does not
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; p.measure(policy, mid).fits(p.opts.MemMB) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Fits lays a model out under every policy that auto tries and says what each
// needs, and which of the boards' memory sizes that fits.
func Fits(f *gguf.File, o Options) ([]Fit, error) {
	o.WType = "auto"
	p, err := prepare(f, o)
	if err != nil {
		return nil, err
	}
	ctx, err := p.context()
	if err != nil {
		return nil, err
	}
	var out []Fit
	for _, m := range MemSizes {
		for _, policy := range autoOrder {
			l := p.measure(policy, ctx)
			out = append(out, Fit{MemMB: m.MB, Boards: m.Boards, WType: policy, Ctx: ctx, Needed: l.needed(), Fits: l.fits(m.MB)})
		}
	}
	return out, nil
}

// size writes bytes as a person reads them; memory sizes count 1024.
func size(n uint64) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	case n < 10<<30:
		// Rounded up: what is said to need 8.0 MB must not need more.
		return fmt.Sprintf("%.2f MB", math.Ceil(float64(n)/(1<<20)*100)/100)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}

package verify

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/image"
	"ssnail-kit/host/reference"
	"ssnail-kit/host/session"
)

// Run is how one way of computing compares with the reference.
type Run struct {
	Name      string  `json:"name"`            // "reference", "float" or "hw"
	Positions int     `json:"positions"`       // rows of logits, or embeddings
	Worst     float64 `json:"greatest_error"`  // greatest error, as a share of the greatest value
	Computing float64 `json:"computing_error"` // the same without what rounding the KV cache costs: against the reference with its keys and values rounded, too
	Agree     int     `json:"same_choice"`     // positions whose greatest logit is the reference's
	LogLoss   float64 `json:"log_loss"`        // sum of -log p of the text's next tokens
	Scored    int     `json:"scored"`          // how many tokens that sum is of
	Cosine    float64 `json:"least_cosine"`    // encoders: least cosine with the reference's embedding
}

// Perplexity is exp of the mean loss, NaN if nothing was scored.
func (r *Run) Perplexity() float64 { return math.Exp(r.LogLoss / float64(r.Scored)) }

// maxWindow bounds how many positions are kept at a time.
const maxWindow = 256

// Windows cuts a text's tokens into pieces that fit an image's context, each
// with the begin token, if there is one, in front.
func Windows(im *image.Image, tok *image.Tokenizer, text []byte, most int) ([][]uint32, error) {
	if im.Encoder() {
		return nil, fmt.Errorf("an encoder's text is not cut")
	}
	var f image.Folder
	ids, err := tok.Encode(f.Fold(nil, text), true)
	if err != nil {
		return nil, err
	}
	ids = ids[:min(len(ids), most)]
	var head []uint32
	if tok.Begin() != image.NoToken && tok.Begin() < im.OutputLen {
		head = []uint32{tok.Begin()}
	}
	size := min(int(im.MaxCtx), maxWindow) - len(head)
	if size < 1 {
		return nil, fmt.Errorf("a context of %d tokens is too short to compare anything", im.MaxCtx)
	}
	var all [][]uint32
	for len(ids) > 0 {
		n := min(size, len(ids))
		all = append(all, append(append([]uint32(nil), head...), ids[:n]...))
		ids = ids[n:]
	}
	return all, nil
}

// CompareLogits runs windows of tokens through the reference and through the
// image in both numerics. half says that the image's KV cache holds F16. The
// reference's own run comes first.
func CompareLogits(ctx context.Context, im *image.Image, m *reference.Model, half bool, windows [][]uint32, threads int) ([]Run, error) {
	rounded := m
	if half {
		rounded = m.WithHalfCache()
	}
	runs := []Run{{Name: "reference"}, {Name: "float"}, {Name: "hw"}}
	var largest float64
	for _, w := range windows {
		var raw [3][]byte
		for i, num := range []core.Numerics{core.Float, core.HW} {
			b, err := forced(ctx, im, num, threads, w)
			if err != nil {
				return nil, fmt.Errorf("%v numerics: %w", num, err)
			}
			raw[i+1] = b
		}
		r, rr := m.NewRun(), rounded.NewRun()
		for pos, id := range w {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			want, err := r.Next(id)
			if err != nil {
				return nil, err
			}
			near := want
			if half {
				if near, err = rr.Next(id); err != nil {
					return nil, err
				}
			}
			if 4*len(want)*len(w) != len(raw[1]) {
				return nil, fmt.Errorf("the image has %d logits a position, the model %d", len(raw[1])/4/len(w), len(want))
			}
			next := -1
			if pos+1 < len(w) {
				next = int(w[pos+1])
			}
			best := argmax(want)
			for _, v := range want {
				largest = max(largest, math.Abs(v))
			}
			runs[0].score(want, best, best, next)
			for i := 1; i < 3; i++ {
				got := decode(raw[i][4*pos*len(want):], len(want))
				for k, v := range got {
					runs[i].Worst = max(runs[i].Worst, math.Abs(v-want[k]))
					runs[i].Computing = max(runs[i].Computing, math.Abs(v-near[k]))
				}
				runs[i].score(got, argmax(got), best, next)
			}
		}
	}
	for i := range runs {
		if largest > 0 {
			runs[i].Worst /= largest
			runs[i].Computing /= largest
		}
	}
	return runs, nil
}

// score counts one position.
func (r *Run) score(logits []float64, mine, best, next int) {
	r.Positions++
	if mine == best {
		r.Agree++
	}
	if next >= 0 && next < len(logits) {
		top := logits[mine]
		var total float64
		for _, v := range logits {
			total += math.Exp(v - top)
		}
		r.LogLoss += math.Log(total) - (logits[next] - top)
		r.Scored++
	}
}

// forced runs tokens through the image and returns the logits behind each.
func forced(ctx context.Context, im *image.Image, num core.Numerics, threads int, tokens []uint32) ([]byte, error) {
	s, err := session.Open(im, session.Options{Numerics: num, Threads: threads})
	if err != nil {
		return nil, err
	}
	if err := s.SayTokens(tokens); err != nil {
		return nil, err
	}
	var raw []byte
	res, err := s.Generate(ctx, session.Turn{N: 1, PassBOS: true, OnLogits: func(b []byte) { raw = append(raw, b...) }})
	if err != nil {
		return nil, err
	}
	if res.Positions != len(tokens) {
		return nil, fmt.Errorf("%d of %d tokens were processed (%v)", res.Positions, len(tokens), res.Reason)
	}
	return raw, nil
}

// CompareEmbeddings runs texts through the reference and through an encoder's
// image in both numerics. Texts too long for the context are counted in
// skipped.
func CompareEmbeddings(im *image.Image, m *reference.Model, half bool, texts [][]byte, threads int) (runs []Run, skipped int, err error) {
	rounded := m
	if half {
		rounded = m.WithHalfCache()
	}
	runs = []Run{{Name: "reference", Cosine: 1}, {Name: "float", Cosine: 1}, {Name: "hw", Cosine: 1}}
	var sessions [3]*session.Session
	for i, num := range []core.Numerics{core.Float, core.HW} {
		if sessions[i+1], err = session.Open(im, session.Options{Numerics: num, Threads: threads}); err != nil {
			return nil, 0, err
		}
	}
	var largest float64
	for _, text := range texts {
		var f image.Folder
		ids, err := sessions[1].Tokenizer().Encode(f.Fold(nil, text), false)
		if err != nil {
			return nil, 0, err
		}
		if len(ids) > int(im.MaxCtx) || len(ids) == 0 {
			skipped++
			continue
		}
		want, err := m.Embed(ids)
		if err != nil {
			return nil, 0, err
		}
		near, err := rounded.Embed(ids)
		if err != nil {
			return nil, 0, err
		}
		runs[0].Positions++
		for _, v := range want {
			largest = max(largest, math.Abs(v))
		}
		for i := 1; i < 3; i++ {
			got, _, err := sessions[i].EmbedTokens(ids)
			if err != nil {
				return nil, 0, fmt.Errorf("%s numerics: %w", runs[i].Name, err)
			}
			if len(got) != len(want) {
				return nil, 0, fmt.Errorf("the image's embedding has %d values, the model's %d", len(got), len(want))
			}
			runs[i].Positions++
			runs[i].embedding(got, want, near)
		}
	}
	for i := range runs {
		if largest > 0 {
			runs[i].Worst /= largest
			runs[i].Computing /= largest
		}
	}
	return runs, skipped, nil
}

func (r *Run) embedding(got []float32, want, near []float64) {
	var ab, aa, bb float64
	for i, v := range got {
		r.Worst = max(r.Worst, math.Abs(float64(v)-want[i]))
		r.Computing = max(r.Computing, math.Abs(float64(v)-near[i]))
		ab += float64(v) * want[i]
		aa += float64(v) * float64(v)
		bb += want[i] * want[i]
	}
	if aa > 0 && bb > 0 {
		r.Cosine = min(r.Cosine, ab/math.Sqrt(aa*bb))
	}
}

func decode(raw []byte, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
	}
	return v
}

func argmax(v []float64) int {
	best := 0
	for i, x := range v {
		if x > v[best] {
			best = i
		}
	}
	return best
}

package session

import (
	"fmt"
	"math"
	"slices"
	"time"

	"ssnail-kit/host/image"
)

// Embed runs an encoder over a text and returns its embedding. A text with
// more tokens than the context is refused with a *FullError.
func (s *Session) Embed(text []byte) ([]float32, Result, error) {
	if !s.Encoder() {
		return nil, Result{}, ErrDecoder
	}
	ids, err := s.tok.Encode(text, false)
	if err != nil {
		return nil, Result{}, err
	}
	return s.EmbedTokens(ids)
}

// EmbedTokens is Embed for tokens, the begin and end tokens among them.
func (s *Session) EmbedTokens(ids []uint32) ([]float32, Result, error) {
	var res Result
	switch {
	case !s.Encoder():
		return nil, res, ErrDecoder
	case len(ids) == 0:
		return nil, res, fmt.Errorf("no tokens to embed")
	case len(ids) > int(s.im.MaxCtx):
		return nil, res, &FullError{len(ids), 0, int(s.im.MaxCtx)}
	}
	for i, id := range ids {
		if id >= s.im.NVocab {
			return nil, res, fmt.Errorf("token %d of the text is %d, but the vocabulary has %d", i+1, id, s.im.NVocab)
		}
	}
	if err := s.put(s.im.Tokens, ids...); err != nil {
		return nil, res, err
	}
	if err := s.put(image.Base+image.OffPos, 0, uint32(len(ids)), 0, 0, 0, 0); err != nil {
		return nil, res, err
	}
	s.core.ResetCounters()
	start := time.Now()
	s.port.SetBusy(true)
	s.core.Start(s.im.Script)
	var err error
	b := s.budget(len(ids))
	for done := false; !done && err == nil; {
		if done, err = s.core.Step(); !done && err == nil {
			err = b.spend()
		}
	}
	s.port.SetBusy(false)
	if err != nil {
		return nil, res, err
	}
	res = Result{
		Reason: Reason(s.runtime(image.OffStopReason)), Positions: len(ids), Elapsed: time.Since(start),
		Instructions: s.core.Instructions, BytesRead: s.core.BytesRead, BytesWritten: s.core.BytesWritten,
	}
	if res.Reason == Context {
		return nil, res, &FullError{len(ids), 0, int(s.im.MaxCtx)}
	}
	v, err := s.vector(nil, s.im.Output, s.im.OutputLen)
	return v, res, err
}

// Cosine is the cosine of the angle between two embeddings, 0 if one is zero.
func Cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i, x := range a {
		y := float64(b[i])
		ab += float64(x) * y
		aa += float64(x) * float64(x)
		bb += y * y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// Memory holds the embeddings of earlier texts.
type Memory struct {
	texts   []string
	vectors [][]float32
}

// Match is an earlier text and how similar it is.
type Match struct {
	Text   string
	Cosine float64
}

// Add remembers a text.
func (m *Memory) Add(text string, v []float32) {
	m.texts = append(m.texts, text)
	m.vectors = append(m.vectors, v)
}

// Nearest returns up to n earlier texts, the most similar first; of equally
// similar ones the earliest.
func (m *Memory) Nearest(v []float32, n int) []Match {
	all := make([]Match, len(m.texts))
	for i, w := range m.vectors {
		all[i] = Match{m.texts[i], Cosine(v, w)}
	}
	slices.SortStableFunc(all, func(a, b Match) int {
		switch {
		case a.Cosine > b.Cosine:
			return -1
		case a.Cosine < b.Cosine:
			return 1
		}
		return 0
	})
	return all[:min(n, len(all))]
}

// Reset forgets all texts.
func (m *Memory) Reset() { m.texts, m.vectors = nil, nil }

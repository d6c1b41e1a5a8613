// Package session drives an SSNAIL image the way the MEGA65 program does:
// image and tokens go through the load port, the script runs, tokens come
// back as the script publishes them, text follows text in one context.
//
// session.go holds what a session is, generate.go runs a decoder, embed.go an
// encoder, text.go turns tokens into printable text.
package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/image"
)

// Options set up a session.
type Options struct {
	Numerics core.Numerics
	Threads  int    // of the core; 0 means one
	Kernels  string // of the core; "" means the fastest
}

// Session is an image in the memory of a core, and the text so far.
type Session struct {
	im   *image.Image
	mem  *core.Memory
	port *core.Port
	core *core.Core
	tok  *image.Tokenizer

	tokens []uint32 // the context: what was said and generated
	own    []uint32 // of these, what the model generated
	pos    int      // next position that the script processes
	stored int      // how many tokens the machine's memory holds
	logits []float32
}

// ErrEncoder is asking an encoder to generate, ErrDecoder a decoder to embed.
var (
	ErrEncoder = errors.New("the model is an encoder: it embeds texts and generates none")
	ErrDecoder = errors.New("the model generates text and embeds none")
)

// Open loads an image into the smallest board that holds it.
func Open(im *image.Image, o Options) (*Session, error) {
	board, ok := core.BoardFor(im.MemNeeded)
	if !ok {
		return nil, fmt.Errorf("the image needs %d bytes of memory, more than the 72 MB of any board", im.MemNeeded)
	}
	s := &Session{im: im, mem: core.NewMemory(board)}
	s.port = core.NewPort(s.mem, 0, 0)
	if err := core.LoadImage(s.port, im); err != nil {
		return nil, err
	}
	s.core = core.New(s.mem, core.Options{Numerics: o.Numerics, Threads: o.Threads, Kernels: o.Kernels})
	tok, err := image.NewTokenizer(s.mem, im.Header)
	if err != nil {
		return nil, err
	}
	s.tok = tok
	return s, nil
}

// Image is the image that runs.
func (s *Session) Image() *image.Image { return s.im }

// Core is the core it runs on, for its counters and hooks other than OnSync
// and OnArgmax, which belong to the session.
func (s *Session) Core() *core.Core { return s.core }

// Board is the board that was chosen.
func (s *Session) Board() core.Board { return s.mem.Board() }

// Encoder tells whether the model embeds texts.
func (s *Session) Encoder() bool { return s.im.Encoder() }

// Tokenizer reads the image's tables.
func (s *Session) Tokenizer() *image.Tokenizer { return s.tok }

// Tokens is the context so far: texts and what the model made of them.
func (s *Session) Tokens() []uint32 { return s.tokens }

// Room is how many more tokens of text the context takes.
func (s *Session) Room() int { return max(0, int(s.im.MaxCtx)-len(s.tokens)) }

// used is how much of the context is taken. The last token made into a full
// one has no place there.
func (s *Session) used() int { return min(len(s.tokens), int(s.im.MaxCtx)) }

// Reset forgets the text so far.
func (s *Session) Reset() {
	s.tokens, s.own = s.tokens[:0], s.own[:0]
	s.pos, s.stored = 0, 0
}

// FullError is text that the context has no room for.
type FullError struct {
	Need, Used, Context int
}

func (e *FullError) Error() string {
	if e.Need == 0 {
		return fmt.Sprintf("the context of %d tokens is full", e.Context)
	}
	return fmt.Sprintf("the text has %d tokens, but the context of %d has room for %d", e.Need, e.Context, max(0, e.Context-e.Used))
}

// Say puts text behind the tokens so far; nothing runs yet. The begin token
// comes only at the start of a context. Bytes that the image's tables cannot
// hold should have been folded. Text too long for the context is refused as a
// whole with a *FullError.
func (s *Session) Say(text []byte) (tokens int, err error) {
	if s.Encoder() {
		return 0, ErrEncoder
	}
	if len(text) == 0 && len(s.tokens) > 0 {
		return 0, nil
	}
	ids, err := s.tok.Encode(text, len(s.tokens) > 0)
	if err != nil {
		return 0, err
	}
	return len(ids), s.SayTokens(ids)
}

// SayTokens is Say for tokens.
func (s *Session) SayTokens(ids []uint32) error {
	if s.Encoder() {
		return ErrEncoder
	}
	for i, id := range ids {
		if id >= s.im.OutputLen {
			return fmt.Errorf("token %d of the text is %d, but the model has tokens 0 to %d", i+1, id, s.im.OutputLen-1)
		}
	}
	if len(ids) > s.Room() {
		return &FullError{len(ids), len(s.tokens), int(s.im.MaxCtx)}
	}
	s.tokens = append(s.tokens, ids...)
	return nil
}

// ends tells whether a token is the model's begin token, which ends a text. A
// header whose model has none names a token that prints something.
func (s *Session) ends(id uint32) bool {
	if id != s.im.BOS || id == s.im.EOS {
		return false
	}
	piece, err := s.tok.Piece(id)
	return err == nil && len(piece) == 0
}

// put stores words through the load port.
func (s *Session) put(addr uint32, words ...uint32) error {
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return s.port.Store(addr, b, nil)
}

// runtime reads a word of the runtime block.
func (s *Session) runtime(off uint32) uint32 {
	v, err := s.mem.Uint32(image.Base + off)
	if err != nil {
		panic(err) // Base is RAM on every board
	}
	return v
}

// vector reads n singles.
func (s *Session) vector(dst []float32, addr uint32, n uint32) ([]float32, error) {
	b, err := s.mem.Slice(addr, 4*n)
	if err != nil {
		return nil, fmt.Errorf("the image's output vector: %w", err)
	}
	dst = dst[:0]
	for i := 0; i < len(b); i += 4 {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b[i:])))
	}
	return dst, nil
}

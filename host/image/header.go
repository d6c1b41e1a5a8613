package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"unicode/utf8"
)

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }

// Header is the first 256 bytes of an image. The runtime block is not part of
// it: it is zero in a file and lives in memory only.
type Header struct {
	Version     uint16
	Flags       uint16 // FlagEncoder
	Script      uint32 // address of the first instruction
	Weights     uint32 // end of the script's slots
	Scratch     uint32 // end of the file, start of scratch
	Tokens      uint32 // token buffer
	Vocab       uint32 // u32 offset[NVocab+1] relative to this address, then the bytes
	NVocab      uint32
	MaxCtx      uint32
	BOS, EOS    uint32
	PayloadLen  uint32 // bytes of the file after the header
	Output      uint32 // address of the f32 output vector
	OutputLen   uint32 // its length in values: logits, or the pooled embedding
	MemNeeded   uint32 // bytes from Base including scratch
	Arch        Arch
	LoadAddr    uint32 // where the payload loads
	Tokenizer   uint32 // address of the tokenizer block
	Description string // at most 127 bytes, UTF-8 when this package wrote it
}

// FormatError says what is wrong with an image, and at which offset of the
// file it stands.
type FormatError struct {
	Offset int64
	Msg    string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("not a valid SSNAIL image: offset $%X: %s", e.Offset, e.Msg)
}

func formatErrorf(off int64, format string, args ...any) error {
	return &FormatError{off, fmt.Sprintf(format, args...)}
}

// words lists the u32 fields with their offsets, for both directions.
func (h *Header) words() []struct {
	off int
	v   *uint32
} {
	return []struct {
		off int
		v   *uint32
	}{
		{OffScript, &h.Script}, {OffWeights, &h.Weights}, {OffScratch, &h.Scratch}, {OffTokens, &h.Tokens},
		{OffVocab, &h.Vocab}, {OffNVocab, &h.NVocab}, {OffMaxCtx, &h.MaxCtx}, {OffBOS, &h.BOS}, {OffEOS, &h.EOS},
		{OffPayloadLen, &h.PayloadLen}, {OffOutput, &h.Output}, {OffOutputLen, &h.OutputLen},
		{OffMemNeeded, &h.MemNeeded}, {OffArch, (*uint32)(&h.Arch)}, {OffLoadAddr, &h.LoadAddr},
		{OffTokenizer, &h.Tokenizer},
	}
}

// Encode returns the header's 256 bytes with a zero runtime block. A longer
// description is cut to 127 bytes, never inside a UTF-8 character.
func (h Header) Encode() [HeaderSize]byte {
	var b [HeaderSize]byte
	copy(b[:], Magic)
	binary.LittleEndian.PutUint16(b[OffVersion:], h.Version)
	binary.LittleEndian.PutUint16(b[OffFlags:], h.Flags)
	for _, w := range h.words() {
		binary.LittleEndian.PutUint32(b[w.off:], *w.v)
	}
	copy(b[OffDescription:], CutDescription(h.Description))
	return b
}

// CutDescription returns the longest prefix of s that fits the header: at most
// 127 bytes, up to the first NUL, no character cut in half.
func CutDescription(s string) string {
	if i := bytes.IndexByte([]byte(s), 0); i >= 0 {
		s = s[:i]
	}
	if len(s) < DescriptionBytes {
		return s
	}
	n := DescriptionBytes - 1
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Encoder reports whether the image is an encoder (a vector per text) rather
// than a decoder.
func (h *Header) Encoder() bool { return h.Flags&FlagEncoder != 0 }

// ParseHeader reads a header and checks everything that can be checked without
// the rest of the file; the error is a *FormatError.
func ParseHeader(b []byte) (Header, error) {
	var h Header
	if len(b) >= 4 && string(b[:4]) != Magic {
		return h, formatErrorf(OffMagic, "it begins with %q, expected %q", b[:4], Magic)
	}
	if len(b) < HeaderSize {
		return h, formatErrorf(int64(len(b)), "the file ends after %d bytes, the header alone has %d", len(b), HeaderSize)
	}
	h.Version = binary.LittleEndian.Uint16(b[OffVersion:])
	if h.Version != Version {
		return h, formatErrorf(OffVersion, "version %d, this program knows version %d", h.Version, Version)
	}
	h.Flags = binary.LittleEndian.Uint16(b[OffFlags:])
	for _, w := range h.words() {
		*w.v = binary.LittleEndian.Uint32(b[w.off:])
	}
	desc := b[OffDescription : OffDescription+DescriptionBytes]
	if i := bytes.IndexByte(desc, 0); i >= 0 {
		desc = desc[:i]
	}
	h.Description = string(desc)
	return h, h.check()
}

func (h *Header) check() error {
	if h.LoadAddr != Payload {
		return formatErrorf(OffLoadAddr, "the payload loads at $%07X, expected $%07X", h.LoadAddr, Payload)
	}
	if h.Tokens != TokenBuffer {
		return formatErrorf(OffTokens, "the token buffer is at $%07X, expected $%07X", h.Tokens, TokenBuffer)
	}
	end := uint64(Payload) + uint64(h.PayloadLen)
	if uint64(h.Scratch) != end {
		return formatErrorf(OffPayloadLen, "a payload of %d bytes ends at $%X, but the header puts its end at $%07X",
			h.PayloadLen, end, h.Scratch)
	}
	if end > HyperEnd {
		return formatErrorf(OffPayloadLen, "the payload ends at $%X, beyond all memory ($%X)", end, HyperEnd)
	}
	if h.MemNeeded > MaxMemMB<<20 || uint64(Base)+uint64(h.MemNeeded) < end {
		return formatErrorf(OffMemNeeded, "%d bytes of memory needed, expected between %d (the file) and %d",
			h.MemNeeded, end-Base, MaxMemMB<<20)
	}
	inPayload := func(off int64, what string, addr uint32, size uint64) error {
		if addr < Payload || uint64(addr)+size > end {
			return formatErrorf(off, "%s of %d bytes at $%07X lies outside the payload ($%07X-$%07X)", what, size, addr, Payload, end)
		}
		return nil
	}
	if err := inPayload(OffScript, "the script", h.Script, InstructionBytes); err != nil {
		return err
	}
	if h.Script%InstructionBytes != 0 {
		return formatErrorf(OffScript, "the script's address $%07X is no multiple of %d", h.Script, InstructionBytes)
	}
	if h.Weights <= h.Script || uint64(h.Weights) > end || (h.Weights-h.Script)%InstructionBytes != 0 {
		return formatErrorf(OffWeights, "the script's end $%07X does not fit its start $%07X", h.Weights, h.Script)
	}
	if err := inPayload(OffVocab, "the vocab table", h.Vocab, 4*(uint64(h.NVocab)+1)); err != nil {
		return err
	}
	if err := inPayload(OffTokenizer, "the tokenizer block", h.Tokenizer, TokBlockBytes); err != nil {
		return err
	}
	if h.MaxCtx == 0 || h.MaxCtx > MaxContext {
		return formatErrorf(OffMaxCtx, "a context of %d tokens, expected 1 to %d", h.MaxCtx, MaxContext)
	}
	if h.Arch > Bert {
		return formatErrorf(OffArch, "architecture %d, expected 0 (llama), 1 (gpt2) or 2 (bert)", uint32(h.Arch))
	}
	if h.Encoder() != (h.Arch == Bert) {
		return formatErrorf(OffFlags, "flags $%04X do not fit architecture %s", h.Flags, h.Arch)
	}
	outEnd := uint64(h.Output) + 4*uint64(h.OutputLen)
	switch {
	case h.OutputLen == 0:
		return formatErrorf(OffOutputLen, "the output vector has no values")
	case h.Encoder():
		if h.Output != OutputVector || 4*uint64(h.OutputLen) > OutputVectorBytes {
			return formatErrorf(OffOutput, "an output vector of %d values at $%07X, expected at most %d at $%07X",
				h.OutputLen, h.Output, OutputVectorBytes/4, OutputVector)
		}
	case uint64(h.Output) < end || outEnd > uint64(Base)+uint64(h.MemNeeded):
		return formatErrorf(OffOutput, "logits of %d values at $%07X lie outside scratch ($%07X-$%07X)",
			h.OutputLen, h.Output, end, Base+uint64(h.MemNeeded))
	}
	return nil
}

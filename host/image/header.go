package image

import "strconv"

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
	Description string // UTF-8, at most 127 bytes
}

// Encode returns the header's 256 bytes with a zero runtime block. A longer
// description is cut to 127 bytes, never inside a UTF-8 character.
func (h Header) Encode() [HeaderSize]byte { panic("skeleton") }

// ParseHeader reads a header and checks what can be checked without the rest
// of the file.
func ParseHeader(b []byte) (Header, error) { panic("skeleton") }

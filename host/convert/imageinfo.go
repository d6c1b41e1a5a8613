package convert

import (
	"strings"

	"ssnail-kit/host/image"
)

// ImageInfo is what an image's header and script say.
type ImageInfo struct {
	Description string    `json:"description"`
	Arch        string    `json:"architecture"`
	Encoder     bool      `json:"encoder"`
	Version     uint16    `json:"version"`
	FileBytes   int64     `json:"file_bytes"`
	MemNeeded   uint32    `json:"memory_needed"`
	MemMB       int       `json:"mem_mb"` // smallest memory size of a board that is enough
	Boards      string    `json:"boards"`
	Context     uint32    `json:"context"`
	Vocab       uint32    `json:"vocabulary"`
	BOS         uint32    `json:"bos"`
	EOS         uint32    `json:"eos"`
	Output      uint32    `json:"output_address"`
	OutputLen   uint32    `json:"output_values"`
	Script      uint32    `json:"script_address"`
	Scripted    int       `json:"script_instructions"`
	Slots       uint32    `json:"script_slots"`
	Weights     uint32    `json:"weights_address"`
	Scratch     uint32    `json:"scratch_address"`
	Tokens      uint32    `json:"token_buffer_address"`
	VocabAddr   uint32    `json:"vocab_address"`
	Tokenizer   uint32    `json:"tokenizer_address"`
	LoadAddr    uint32    `json:"load_address"`
	PayloadLen  uint32    `json:"payload_bytes"`
	Map         []Region  `json:"memory_map"`
	Symbols     []SymInfo `json:"symbols"`
}

// SymInfo is a named block of the image.
type SymInfo struct {
	Name  string `json:"name"`
	Addr  uint32 `json:"address"`
	Bytes uint32 `json:"bytes"`
	Note  string `json:"note,omitempty"`
}

// DescribeImage reads an image's header, script and tables.
func DescribeImage(im *image.Image) (*ImageInfo, error) {
	h := &im.Header
	script, err := im.Instructions()
	if err != nil {
		return nil, err
	}
	syms, err := im.Symbols()
	if err != nil {
		return nil, err
	}
	i := &ImageInfo{
		Description: h.Description, Arch: h.Arch.String(), Encoder: h.Encoder(), Version: h.Version,
		FileBytes: im.Size, MemNeeded: h.MemNeeded, Context: h.MaxCtx, Vocab: h.NVocab, BOS: h.BOS, EOS: h.EOS,
		Output: h.Output, OutputLen: h.OutputLen, Script: h.Script, Scripted: len(script),
		Slots: (h.Weights - h.Script) / image.InstructionBytes, Weights: h.Weights, Scratch: h.Scratch,
		Tokens: h.Tokens, VocabAddr: h.Vocab, Tokenizer: h.Tokenizer, LoadAddr: h.LoadAddr, PayloadLen: h.PayloadLen,
	}
	for _, m := range MemSizes {
		if uint64(h.MemNeeded) <= uint64(m.MB)<<20 {
			i.MemMB, i.Boards = m.MB, m.Boards
			break
		}
	}
	for _, s := range syms.List() {
		i.Symbols = append(i.Symbols, SymInfo{s.Name, s.Addr, s.Size, s.Note})
	}
	i.Map = imageRegions(im, syms.List())
	return i, nil
}

// imageRegions joins an image's symbols to the regions of a memory map.
func imageRegions(im *image.Image, syms []image.Symbol) []Region {
	var out []Region
	for _, s := range syms {
		name := regionOf(im, s)
		file := s.Addr < image.Base+image.HeaderSize || s.Addr >= im.LoadAddr && s.Addr < im.Scratch
		if n := len(out); n > 0 && out[n-1].Name == name {
			out[n-1].Bytes = uint64(s.Addr) + uint64(s.Size) - uint64(out[n-1].Addr)
			continue
		}
		out = append(out, Region{name, s.Addr, uint64(s.Size), file})
	}
	return out
}

// regionOf names the region that a symbol belongs to.
func regionOf(im *image.Image, s image.Symbol) string {
	switch {
	case s.Addr < image.Base+image.HeaderSize:
		return "header"
	case s.Addr < image.TokenBuffer:
		return "output vector"
	case s.Addr < im.LoadAddr:
		return "token buffer"
	case s.Addr < im.Weights:
		return "script"
	case s.Addr >= im.Scratch && (s.Name == "K" || strings.HasPrefix(s.Name, "K cache")):
		return "K cache"
	case s.Addr >= im.Scratch && (s.Name == "V" || strings.HasPrefix(s.Name, "V cache")):
		return "V cache"
	case s.Addr >= im.Scratch:
		return "activations"
	case s.Addr == im.Vocab:
		return "vocabulary"
	case s.Addr <= im.Tokenizer:
		return "tokenizer tables"
	case strings.HasPrefix(s.Name, "rope"):
		return "RoPE table"
	case strings.HasSuffix(s.Name, ".attn"):
		return "attention blocks"
	}
	return "weights"
}

// Bar draws a memory map to scale, width characters for mb megabytes, with
// the letters that Legend gives; a region too small for a character has none.
func Bar(regions []Region, mb, width int) string {
	bar := []byte(strings.Repeat(".", width))
	total := float64(mb) * (1 << 20)
	for i := range bar {
		// The region that covers most of this character's bytes.
		lo, hi := total*float64(i)/float64(width), total*float64(i+1)/float64(width)
		var most float64
		for _, r := range regions {
			from := float64(r.Addr - image.Base)
			n := min(hi, from+float64(r.Bytes)) - max(lo, from)
			if n > most && n >= (hi-lo)/4 {
				most = n
				bar[i] = Letter(r.Name)
			}
		}
	}
	return string(bar)
}

// Letter stands for a region in a Bar.
func Letter(region string) byte {
	switch region {
	case "weights":
		return 'W'
	case "K cache":
		return 'K'
	case "V cache":
		return 'V'
	case "RoPE table":
		return 'R'
	case "vocabulary", "tokenizer tables":
		return 'T'
	case "activations":
		return 'A'
	case "script":
		return 'S'
	}
	return 'h'
}

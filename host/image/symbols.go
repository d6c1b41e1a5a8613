package image

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"ssnail-kit/host/ggml"
)

// Symbol is a named block of an image's memory.
type Symbol struct {
	Name string
	Addr uint32
	Size uint32 // bytes, without padding
	Note string // what it holds, such as "Q8_0 172x64" (rows x columns); may be empty
}

// Symbols names the addresses of an image: x, xb, blk.3.attn_q, K cache 3 ...
type Symbols struct {
	list []Symbol // by rising address
}

// Symbols recovers the names from the header, the tokenizer block and the
// script, which is the forward pass in a known order: the k-th matrix of a
// layer is always the same one. A script of another shape leaves its weights
// without names. It fails only if the image cannot be read.
func (im *Image) Symbols() (*Symbols, error) {
	script, err := im.Instructions()
	if err != nil {
		return nil, err
	}
	n := namer{im: im, at: make(map[uint32]int), part: make(map[uint32]int), bias: make(map[int]int)}
	n.fixed(len(script))
	if err := n.tables(); err != nil {
		return nil, err
	}
	n.model(uses(script))
	return &Symbols{n.finish()}, nil
}

// List returns the symbols by rising address.
func (s *Symbols) List() []Symbol { return s.list }

// Find returns the symbol whose block addr lies in.
func (s *Symbols) Find(addr uint32) (Symbol, bool) {
	i, ok := slices.BinarySearchFunc(s.list, addr, func(s Symbol, addr uint32) int { return cmp.Compare(s.Addr, addr) })
	if !ok {
		i--
	}
	if i < 0 || addr-s.list[i].Addr >= max(s.list[i].Size, 1) {
		return Symbol{}, false
	}
	return s.list[i], true
}

// Name returns "symbol" or "symbol+$offset" for an address, "$address" for one
// outside all symbols.
func (s *Symbols) Name(addr uint32) string {
	sym, ok := s.Find(addr)
	switch {
	case !ok:
		return fmt.Sprintf("$%07X", addr)
	case sym.Addr == addr:
		return sym.Name
	}
	return fmt.Sprintf("%s+$%X", sym.Name, addr-sym.Addr)
}

// use is one instruction with what it works on: N0-N2 at that point, and its
// address operands, a relative one as the base that its LEA had.
type use struct {
	Instruction
	n          [3]uint32
	xa, ya, za uint32 // 0: not known
	xs         uint32 // bytes from one row to the next, if X is relative
}

// uses follows SETN and LEA through the script from top to bottom.
func uses(script []Instruction) []use {
	var n [3]uint32
	var reg [16]struct{ base, stride uint32 }
	resolve := func(operand uint32) (addr, stride uint32) {
		rel, r, off := SplitRel(operand)
		if !rel {
			return off, 0
		}
		if reg[r].base == 0 {
			return 0, 0
		}
		return (reg[r].base + off) & AddrMask, reg[r].stride
	}
	list := make([]use, 0, len(script))
	for _, in := range script {
		u := use{Instruction: in, n: n}
		u.xa, u.xs = resolve(in.X)
		u.ya, _ = resolve(in.Y)
		u.za, _ = resolve(in.Z)
		switch in.Op {
		case SETN:
			n = [3]uint32{in.X, in.Y, in.Z}
		case LEA:
			reg[in.A&15].base, reg[in.A&15].stride = u.xa, in.Z
		}
		list = append(list, u)
	}
	return list
}

// namer collects symbols. The first name of an address stays; its size grows
// with every use.
type namer struct {
	im   *Image
	list []Symbol
	at   map[uint32]int // address -> index of list
	part map[uint32]int // address of a part of a matrix -> index of list
	bias map[int]int    // matrix -> its bias, both indexes of list
}

func (n *namer) add(name string, addr uint32, size uint64, note string) {
	if addr < Base || addr >= HyperEnd {
		return
	}
	s := uint32(min(size, uint64(HyperEnd-addr)))
	if i, ok := n.at[addr]; ok {
		n.list[i].Size = max(n.list[i].Size, s)
		return
	}
	n.at[addr] = len(n.list)
	n.list = append(n.list, Symbol{name, addr, s, note})
}

// fixed names what lies at the same address in every image, and the script.
func (n *namer) fixed(instructions int) {
	for _, f := range []struct {
		name string
		off  uint32
	}{
		{"pos", OffPos}, {"prompt_len", OffPromptLen}, {"n_generate", OffNGenerate}, {"generated", OffGenerated},
		{"stop_request", OffStopRequest}, {"stop_reason", OffStopReason},
	} {
		n.add(f.name, Base+f.off, 4, "")
	}
	n.add("header", Base, OffPos, "")
	n.add("description", JobSlots, DescriptionBytes, "job slots once loaded")
	if n.im.Encoder() {
		n.add("output", OutputVector, 4*uint64(n.im.OutputLen), fmt.Sprintf("f32 %d", n.im.OutputLen))
	} else {
		n.add("logits", n.im.Output, 4*uint64(n.im.OutputLen), fmt.Sprintf("f32 %d", n.im.OutputLen))
	}
	n.add("tokens", TokenBuffer, TokenBufferBytes, "")
	n.add("script", n.im.Script, uint64(n.im.Weights-n.im.Script), fmt.Sprintf("%d instructions", instructions))
}

// tables names the vocabulary's and the tokenizer's tables.
func (n *namer) tables() error {
	var b [TokBlockBytes]byte
	if err := n.im.Read(n.im.Tokenizer, b[:]); err != nil {
		return fmt.Errorf("the tokenizer block: %w", err)
	}
	word := func(off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
	var end [4]byte
	if err := n.im.Read(n.im.Vocab+4*n.im.NVocab, end[:]); err != nil {
		return fmt.Errorf("the vocab table: %w", err)
	}
	width, note := uint64(2), "u16"
	if b[TokOffFlags]&TokFlagWide != 0 {
		width, note = 4, "u32"
	}
	n.add("vocab", n.im.Vocab, uint64(binary.LittleEndian.Uint32(end[:])), fmt.Sprintf("%d tokens", n.im.NVocab))
	n.add("index", word(TokOffIndex), 4*uint64(word(TokOffNIndex)), fmt.Sprintf("%d entries", word(TokOffNIndex)))
	n.add("priorities", word(TokOffPriorities), width*uint64(n.im.NVocab), note)
	n.add("byte table", word(TokOffBytes), ByteTableBytes, "")
	n.add("tokenizer", n.im.Tokenizer, TokBlockBytes, Kind(b[TokOffKind]).String())
	return nil
}

// finish sorts the symbols and ends each before the next.
func (n *namer) finish() []Symbol {
	slices.SortFunc(n.list, func(a, b Symbol) int { return cmp.Compare(a.Addr, b.Addr) })
	for i := range n.list {
		s := &n.list[i]
		if i+1 < len(n.list) {
			s.Size = min(s.Size, n.list[i+1].Addr-s.Addr)
		}
	}
	return n.list
}

// toNext is the size of a table whose number of rows the script does not tell:
// it reaches to the next block.
const toNext = HyperEnd

func formatName(f byte) string { return ggml.Type(f).String() }

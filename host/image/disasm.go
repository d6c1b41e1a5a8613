package image

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
)

// String returns the instruction without names: "GEMV 8,1 X=$8010960 Y=A1+$40
// Z=$805AC00", for messages.
func (in Instruction) String() string {
	operand := func(v uint32) string {
		if rel, r, off := SplitRel(v); rel {
			return fmt.Sprintf("A%d+$%X", r, off)
		}
		return fmt.Sprintf("$%07X", v)
	}
	return fmt.Sprintf("%v %d,%d X=%s Y=%s Z=%s", in.Op, in.A, in.B, operand(in.X), operand(in.Y), operand(in.Z))
}

// Line is one instruction of a listing.
type Line struct {
	Addr    uint32
	Label   string // "" unless a branch leads here
	Depth   int    // how many loops the instruction is in
	Text    string
	Read    uint64 // bytes, the fetch and ATTN's first row of K and V included
	Written uint64
	PerRow  uint64 // bytes read for each further row of K and V (ATTN), for each row (MEANROWS)
}

// Listing is a disassembled script.
type Listing struct {
	Lines []Line
	// What one pass through the outermost loops reads and writes: a decoder's
	// token, or an encoder's token of text. PerRow is read in addition for each
	// token before it (encoder: for each other token of the text).
	Read, Written, PerRow uint64
}

// Listing disassembles the script.
func (im *Image) Listing() (*Listing, error) {
	script, err := im.Instructions()
	if err != nil {
		return nil, err
	}
	syms, err := im.Symbols()
	if err != nil {
		return nil, err
	}
	d := disassembler{im: im, syms: syms, script: uses(script)}
	d.flow()
	return d.list()
}

// Disassemble writes the image's script with labels, names of addresses, loops
// and the traffic of each instruction.
func Disassemble(w io.Writer, im *Image) error {
	l, err := im.Listing()
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "; %s\n", strings.Map(printable, im.Description))
	fmt.Fprintf(b, "; %v, %d instructions from $%07X, context %d, %d tokens\n", im.Arch, len(l.Lines), im.Script, im.MaxCtx, im.NVocab)
	fmt.Fprintf(b, ";%79s %9s\n", "read", "written")
	for _, line := range l.Lines {
		if line.Label != "" {
			fmt.Fprintf(b, "%s:\n", line.Label)
		}
		per := ""
		if line.PerRow > 0 {
			per = fmt.Sprintf("  +%d a row", line.PerRow)
		}
		fmt.Fprintf(b, "%07X %-2s %-58s %10d %9d%s\n", line.Addr, strings.Repeat("|", min(line.Depth, 2)), line.Text, line.Read, line.Written, per)
	}
	earlier := "earlier token"
	if im.Encoder() {
		earlier = "other token of the text"
	}
	fmt.Fprintf(b, "; per token: %d bytes read and %d for each %s, %d written\n", l.Read, l.PerRow, earlier, l.Written)
	return b.Flush()
}

func printable(r rune) rune {
	if r < 32 || r == 127 {
		return '?'
	}
	return r
}

type disassembler struct {
	im     *Image
	syms   *Symbols
	script []use
	labels map[int]string // instruction index -> label
	depth  []int          // loops around each instruction
	exit   []bool         // runs only when the loop is left
}

// target returns the index of the instruction that a branch leads to, false if
// in is no branch or leads out of the script.
func (d *disassembler) target(u use) (int, bool) {
	switch u.Op {
	case BEQ, BNE, BLT:
	default:
		return 0, false
	}
	if u.xa < d.im.Script || (u.xa-d.im.Script)%InstructionBytes != 0 {
		return 0, false
	}
	i := int(u.xa-d.im.Script) / InstructionBytes
	return i, i < len(d.script)
}

func always(u use) bool { return u.Op == BEQ && u.A == u.B }

// flow finds labels, loops and the blocks that leave a loop.
func (d *disassembler) flow() {
	n := len(d.script)
	d.labels, d.depth, d.exit = make(map[int]string), make([]int, n), make([]bool, n)
	heads := make(map[int]int) // loop head -> last instruction that leads back
	targets := make(map[int]bool)
	for i, u := range d.script {
		if to, ok := d.target(u); ok {
			targets[to] = true
			if to <= i {
				heads[to] = i
			}
		}
	}
	steps := make([]int, n+1)
	for head, last := range heads {
		steps[head]++
		steps[last+1]--
	}
	depth, loops, others := 0, 0, 0
	for i := range n {
		depth += steps[i]
		d.depth[i] = depth
		switch _, head := heads[i]; {
		case head:
			loops++
			d.labels[i] = fmt.Sprintf("loop%d", loops)
		case targets[i]:
			others++
			d.labels[i] = fmt.Sprintf("L%d", others)
		}
	}
	// A block that ends by branching out of all loops is passed at most once.
	start := 0
	for i, u := range d.script {
		to, branch := d.target(u)
		if targets[i] {
			start = i
		}
		if branch && always(u) && d.depth[i] > 0 && to > i && d.depth[to] == 0 {
			for j := start; j <= i; j++ {
				d.exit[j] = true
			}
		}
		if branch {
			start = i + 1
		}
	}
}

func (d *disassembler) list() (*Listing, error) {
	l := &Listing{Lines: make([]Line, 0, len(d.script))}
	for i, u := range d.script {
		line := Line{
			Addr: d.im.Script + uint32(i)*InstructionBytes, Label: d.labels[i], Depth: d.depth[i],
			Text: d.text(i),
		}
		s := State{N: u.n}
		if u.Op == ATTN {
			var b [AttnBlockBytes]byte
			if u.xa != 0 && d.im.Read(u.xa, b[:]) == nil {
				s.Attn = DecodeAttn(&b)
			}
		}
		read, written := u.Traffic(s)
		if u.Op == ATTN || u.Op == MEANROWS {
			s.R = 1
			more, _ := u.Traffic(s)
			line.PerRow = more - read
		}
		line.Read, line.Written = read+FetchBytes, written
		if line.Depth > 0 && !d.exit[i] {
			l.Read += line.Read
			l.Written += line.Written
			l.PerRow += line.PerRow
		}
		if u.Op == MEANROWS { // its rows are the tokens of the text
			l.Read += line.PerRow
		}
		l.Lines = append(l.Lines, line)
	}
	return l, nil
}

// text spells instruction i with names.
func (d *disassembler) text(i int) string {
	u := d.script[i]
	x, y, z := d.operand(i, u.X), d.operand(i, u.Y), d.operand(i, u.Z)
	a, b := u.A&15, u.B&15
	op := fmt.Sprintf("%-9s ", u.Op)
	switch u.Op {
	case NOP, HALT, SYNC:
		return strings.TrimSpace(op)
	case COPY:
		return op + fmt.Sprintf("%s = %s, %d bytes", y, x, u.Z&0xFFFF)
	case SETN:
		n2 := ""
		if u.Z != 0 {
			n2 = fmt.Sprintf(" N2=%g", math.Float32frombits(u.Z))
		}
		return op + fmt.Sprintf("N0=%d N1=%d%s", u.X, u.Y, n2)
	case LI:
		return op + fmt.Sprintf("R%d = %d", a, u.Z)
	case LDR:
		return op + fmt.Sprintf("R%d = %s", a, x)
	case STR:
		return op + fmt.Sprintf("%s = R%d", x, a)
	case ADDI:
		return op + fmt.Sprintf("R%d = R%d %+d", a, b, int32(u.Z))
	case LEA:
		return op + fmt.Sprintf("A%d = %s + R%d*%d", a, x, b, u.Z)
	case BEQ, BNE, BLT:
		to := x
		if t, ok := d.target(u); ok {
			to = d.labels[t]
		}
		if always(u) {
			return op + to
		}
		return op + fmt.Sprintf("R%d, R%d, %s", a, b, to)
	case GEMV:
		how, suffix := "=", ""
		if u.B&GemvAdd != 0 {
			how = "+="
		}
		if u.B&GemvF16 != 0 {
			suffix = " as F16"
		}
		return op + fmt.Sprintf("%s %s %s %s . %s%s", formatName(u.A), z, how, x, y, suffix)
	case DEQROW:
		return op + fmt.Sprintf("%s %s = %s", formatName(u.A), z, x)
	case ARGMAX:
		return op + fmt.Sprintf("R%d = %s", a, x)
	case VADD:
		return op + fmt.Sprintf("%s = %s + %s", z, x, y)
	case VMUL, SILUMUL, RMSNORM, LAYERNORM:
		return op + fmt.Sprintf("%s = %s, %s", z, x, y)
	case ROPE:
		return op + fmt.Sprintf("%s by %s", x, y)
	case ATTN:
		if k, ok := d.caches(u); ok {
			x = k
		}
		return op + fmt.Sprintf("%s = %s over %s, rows 0..R%d", z, y, x, a)
	case GELU, CVT16:
		return op + fmt.Sprintf("%s = %s", z, x)
	case MEANROWS:
		return op + fmt.Sprintf("%s = %s, R%d rows", z, x, a)
	}
	return op + u.Instruction.String()
}

// caches names what an attention block points to.
func (d *disassembler) caches(u use) (string, bool) {
	var b [AttnBlockBytes]byte
	if u.xa == 0 || d.im.Read(u.xa, b[:]) != nil {
		return "", false
	}
	a := DecodeAttn(&b)
	return d.syms.Name(a.K) + ", " + d.syms.Name(a.V), true
}

// operand names an address operand of instruction i; a relative one as the
// row that the LEA before it chose.
func (d *disassembler) operand(i int, v uint32) string {
	rel, r, off := SplitRel(v)
	if !rel {
		return d.syms.Name(off)
	}
	more := ""
	if off != 0 {
		more = fmt.Sprintf("+$%X", off)
	}
	for j := i - 1; j >= 0 && j >= i-maxLEADistance; j-- {
		if lea := d.script[j]; lea.Op == LEA && int(lea.A&15) == r {
			if lea.xa == 0 {
				break
			}
			return fmt.Sprintf("A%d:%s[R%d]%s", r, d.syms.Name(lea.xa), lea.B&15, more)
		}
	}
	return fmt.Sprintf("A%d%s", r, more)
}

// maxLEADistance bounds the search for the LEA that set a register, so that
// a script of any length is listed in time proportional to it. RoPE's row is
// set once per token, before all layers.
const maxLEADistance = 4096

package convert

import (
	"fmt"
	"math"

	"ssnail-kit/host/image"
)

// Registers of the scripts.
const (
	rPos       = 0 // position being processed
	rToken     = 1
	rNext      = 2 // token that ARGMAX chose
	rPrompt    = 3 // prompt_len
	rCount     = 4 // n_generate
	rEOS       = 5
	rAfter     = 6 // position after rPos; encoders: last row
	rReason    = 7 // stop reason
	rGenerated = 8
	rLimit     = 9 // maximum context; encoders: one more
	rStop      = 10
	rRow       = 11 // encoders: row being computed
	rLen       = 12 // encoders: number of rows
	rZero      = 15 // reads 0
)

// Address registers of the scripts.
const (
	aToken = 0 // slot in the token buffer
	aEmbd  = 1 // row of an embedding
	aRope  = 2 // row of the RoPE table
	aK     = 3 // row of this layer's K cache
	aV     = 4
	aX     = 6 // encoders: row of X
	aQ     = 7 // encoders: row of Q
)

// script is a program for the core being written: instructions from
// image.Payload on, with labels that may be set after they are used.
type script struct {
	ins    []image.Instruction
	labels []uint32 // address, 0 while unset
	fixups []fixup
}

type fixup struct{ ins, label int }

// label makes a label to be set later.
func (s *script) label() int {
	s.labels = append(s.labels, 0)
	return len(s.labels) - 1
}

// set gives a label the address of the next instruction.
func (s *script) set(label int) {
	s.labels[label] = image.Payload + uint32(len(s.ins))*image.InstructionBytes
}

// here makes a label and sets it.
func (s *script) here() int {
	l := s.label()
	s.set(l)
	return l
}

// finish resolves the labels and checks the length.
func (s *script) finish(slots int) ([]image.Instruction, error) {
	for _, f := range s.fixups {
		if s.labels[f.label] == 0 {
			panic("convert: a label of the script was never set")
		}
		s.ins[f.ins].X = s.labels[f.label]
	}
	if len(s.ins) > slots {
		return nil, fmt.Errorf("the script has %d instructions, its slots are %d", len(s.ins), slots)
	}
	return s.ins, nil
}

func (s *script) op(op image.Op, a, b byte, x, y, z uint32) {
	s.ins = append(s.ins, image.Instruction{Op: op, A: a, B: b, X: x, Y: y, Z: z})
}

// n sets N0, N1 and N2.
func (s *script) n(n0, n1 int, n2 uint32) {
	s.op(image.SETN, 0, 0, uint32(n0), uint32(n1), n2)
}

// neps sets N0 and, in N2, the epsilon of a norm.
func (s *script) neps(n0 int, eps float32) { s.n(n0, 0, epsBits(eps)) }

func epsBits(eps float32) uint32 { return math.Float32bits(eps) }

func (s *script) li(r byte, z uint32)          { s.op(image.LI, r, 0, 0, 0, z) }
func (s *script) ldr(r byte, x uint32)         { s.op(image.LDR, r, 0, x, 0, 0) }
func (s *script) str(r byte, x uint32)         { s.op(image.STR, r, 0, x, 0, 0) }
func (s *script) addi(to, from byte, z uint32) { s.op(image.ADDI, to, from, 0, 0, z) }
func (s *script) lea(a byte, x uint32, r byte, stride uint32) {
	s.op(image.LEA, a, r, x, 0, stride)
}

func (s *script) branch(op image.Op, a, b byte, label int) {
	s.fixups = append(s.fixups, fixup{len(s.ins), label})
	s.op(op, a, b, 0, 0, 0)
}
func (s *script) beq(a, b byte, label int) { s.branch(image.BEQ, a, b, label) }
func (s *script) bne(a, b byte, label int) { s.branch(image.BNE, a, b, label) }
func (s *script) blt(a, b byte, label int) { s.branch(image.BLT, a, b, label) }
func (s *script) jump(label int)           { s.beq(rZero, rZero, label) }

// Flags of gemv.
const (
	gemvAdd = image.GemvAdd
	gemvF16 = image.GemvF16
)

// gemv multiplies a matrix's rows with x; flags are gemvAdd and gemvF16.
func (s *script) gemv(w *weight, x, y uint32, flags byte) {
	s.op(image.GEMV, byte(w.format), flags, w.addr, x, y)
}

// part is gemv with the i-th n rows of a matrix.
func (s *script) part(w *weight, i, n int, x, y uint32) {
	s.op(image.GEMV, byte(w.format), 0, w.rowAt(i*n), x, y)
}

// row fetches the row of an embedding that register r numbers.
func (s *script) row(w *weight, r byte, z uint32) {
	s.lea(aEmbd, w.addr, r, w.rowBytes())
	s.op(image.DEQROW, byte(w.format), 0, rel(aEmbd), 0, z)
}

// vadd is z = x + y; add is x += y.
func (s *script) vadd(x, y, z uint32)    { s.op(image.VADD, 0, 0, x, y, z) }
func (s *script) add(x uint32, y uint32) { s.vadd(x, y, x) }

// addBias adds a bias to x.
func (s *script) addBias(x uint32, bias *weight) { s.add(x, bias.addr) }

func (s *script) rmsnorm(x uint32, w *weight, z uint32)   { s.op(image.RMSNORM, 0, 0, x, w.addr, z) }
func (s *script) layernorm(x uint32, w *weight, z uint32) { s.op(image.LAYERNORM, 0, 0, x, w.addr, z) }
func (s *script) silumul(x, y, z uint32)                  { s.op(image.SILUMUL, 0, 0, x, y, z) }
func (s *script) rope(x uint32)                           { s.op(image.ROPE, 0, 0, x, rel(aRope), 0) }
func (s *script) gelu(x uint32)                           { s.op(image.GELU, 0, 0, x, 0, x) }
func (s *script) cvt16(x, z uint32)                       { s.op(image.CVT16, 0, 0, x, 0, z) }

// attn attends with the query at q to rows 0 to R[last].
func (s *script) attn(last byte, block, q, z uint32) { s.op(image.ATTN, last, 0, block, q, z) }

// rel is the address in an address register.
func rel(a int) uint32 { return image.Rel(a, 0) }

// word is the address of a word of the runtime block.
func word(off uint32) uint32 { return image.Base + off }

// decoder emits what decoders share around their forward pass: the loop over
// positions, reading the token, choosing and publishing the next one, and the
// reasons to stop. body gets the row of the token in rToken and leaves logits.
func (s *script) decoder(p *Plan, logits *buffer, body func()) {
	vocab := int(logits.size / 4)
	finish, done, next, fetch := s.label(), s.label(), s.label(), s.label()
	s.ldr(rPos, word(image.OffPos))
	s.ldr(rPrompt, word(image.OffPromptLen))
	s.ldr(rCount, word(image.OffNGenerate))
	s.li(rGenerated, 0)
	s.str(rGenerated, word(image.OffGenerated))
	s.li(rEOS, p.Header.EOS)
	s.li(rLimit, uint32(p.layout.ctx))
	s.li(rReason, image.StopCount)
	s.beq(rCount, rZero, finish)

	loop := s.here()
	s.blt(rPos, rLimit, fetch)
	s.li(rReason, image.StopContext)
	s.jump(finish)

	s.set(fetch)
	s.lea(aToken, image.TokenBuffer, rPos, 4)
	s.ldr(rToken, rel(aToken))
	body()

	// While the prompt lasts its next token is known already.
	s.n(vocab, 0, 0)
	s.op(image.ARGMAX, rNext, 0, logits.addr, 0, 0)
	s.addi(rAfter, rPos, 1)
	s.blt(rAfter, rPrompt, next)
	s.lea(aToken, image.TokenBuffer, rAfter, 4)
	s.str(rNext, rel(aToken))
	s.addi(rGenerated, rGenerated, 1)
	s.str(rGenerated, word(image.OffGenerated))
	s.op(image.SYNC, 0, 0, 0, 0, 0)
	s.li(rReason, image.StopEOS)
	s.beq(rNext, rEOS, done)
	s.li(rReason, image.StopCount)
	s.beq(rGenerated, rCount, done)
	s.ldr(rStop, word(image.OffStopRequest))
	s.li(rReason, image.StopRequested)
	s.bne(rStop, rZero, done)

	s.set(next)
	s.addi(rPos, rPos, 1)
	s.str(rPos, word(image.OffPos))
	s.jump(loop)

	s.set(done)
	s.addi(rPos, rPos, 1)
	s.set(finish)
	s.str(rPos, word(image.OffPos))
	s.end()
}

// end tells the CPU why the script stops, and stops.
func (s *script) end() {
	s.str(rReason, word(image.OffStopReason))
	s.op(image.SYNC, 0, 0, 0, 0, 0)
	s.op(image.HALT, 0, 0, 0, 0, 0)
}

// Package softcore knows the software core: how long it takes for a token. Its
// tests run the core itself, firmware/src/softcore, on the emulated machine.
package softcore

import (
	"encoding/binary"
	"fmt"
	"time"

	"ssnail-kit/host/image"
)

// Cycles at 40.5 MHz, DMA included, as measured on the emulated machine. The
// core's own estimate, estimate.s, has the same numbers.
const (
	stepCycles   = 1500 // any instruction
	blockCycles  = 32   // a weight of Q8_0 and Q4_0
	columnCycles = 90   // a weight of F16 rows that are rewritten
	exactCycles  = 270  // other weights
	rowCycles    = 1700 // a row of weights that are not in blocks
	xCycles      = 180  // a value of the vector
	scoreCycles  = 300  // a value of K and V a step
	headCycles   = 650  // a step of a head
	columns      = 256  // of a rewritten F16 row at most
)

// valueCycles is what a value takes in instructions on vectors.
var valueCycles = map[image.Op]uint64{
	image.DEQROW: 650, image.ARGMAX: 65, image.VADD: 430, image.VMUL: 430, image.RMSNORM: 740, image.SILUMUL: 900,
	image.ROPE: 760, image.LAYERNORM: 2150, image.GELU: 710, image.CVT16: 420,
}

// Hopeless is the time for a token from which on a model is not worth waiting
// for.
const Hopeless = time.Minute

// MaxMemory is the memory that the core reaches, in bytes from image.Base.
const MaxMemory = 8 << 20

// Estimate is about how long the software core takes for one token at a
// position of the context (0 is the first), without the preparation after
// loading. For an encoder it is the time for one token of a line. m holds the
// image. An error is one of reading m.
func Estimate(m image.Memory, h image.Header, position int) (time.Duration, error) {
	var cycles float64
	var n [3]uint32
	var raw [image.InstructionBytes]byte
	for at := h.Script; at+image.InstructionBytes <= h.Weights; at += image.InstructionBytes {
		if err := m.Read(at, raw[:]); err != nil {
			return 0, fmt.Errorf("estimate: script at $%07X: %w", at, err)
		}
		op := image.Op(raw[0])
		if op == image.NOP {
			continue
		}
		cycles += stepCycles
		switch op {
		case image.SETN:
			for i := range n {
				n[i] = binary.LittleEndian.Uint32(raw[4+4*i:])
			}
		case image.GEMV:
			weight, row := float64(exactCycles), float64(rowCycles)
			switch {
			case raw[1] == 8 || raw[1] == 2:
				weight, row = blockCycles, 0
			case raw[1] == 1 && n[0] <= columns:
				weight = columnCycles
			}
			cycles += float64(n[0])*xCycles + float64(n[1])*row + float64(n[0])*float64(n[1])*weight
		case image.ATTN:
			x := binary.LittleEndian.Uint32(raw[4:])
			if x&image.RelFlag != 0 {
				continue
			}
			var b [image.AttnBlockBytes]byte
			if err := m.Read(x&image.AddrMask, b[:]); err != nil {
				return 0, fmt.Errorf("estimate: attention block at $%07X: %w", x&image.AddrMask, err)
			}
			heads, dim := binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[16:])
			cycles += float64(position+1) * float64(heads) * (float64(dim)*scoreCycles + headCycles)
		default:
			cycles += float64(n[0]) * float64(valueCycles[op])
		}
	}
	const tooLong = 1000 * time.Hour
	if s := cycles / 40.5e6; s < tooLong.Seconds() {
		return time.Duration(s * float64(time.Second)), nil
	}
	return tooLong, nil
}

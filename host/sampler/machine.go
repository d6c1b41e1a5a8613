package sampler

import (
	"fmt"
	"math"
	"slices"
)

// MachineOptions are those of the program on the MEGA65: temperature and
// penalty in hundredths, everything a whole number.
type MachineOptions struct {
	Temperature uint32 // hundredths, 1 to 1000; 0 is greedy and not for Machine
	TopK        uint32 // 1 to MachineTopK; 0 means MachineTopK
	Penalty     uint32 // hundredths, 100 (off) to 400
	Seed        uint32
}

// MachineTopK is the most candidates that the program keeps.
const MachineTopK = 128

// MachineWindow is how many of the model's own tokens the penalty looks at.
const MachineWindow = 64

// MachineExp2 is the program's table of 2 to the power of -j/256, times 65535.
func MachineExp2() [256]uint16 {
	var t [256]uint16
	for j := range t {
		t[j] = uint16(math.Round(65535 * math.Exp2(-float64(j)/256)))
	}
	return t
}

// log2e is 100 * log2(e) in units of 2^-16: divided by a temperature in
// hundredths it turns a difference of logits into a power of two.
const log2e = 9454846

// Machine is the bit-faithful model of the sampler in firmware/src/sample.s:
// the same integers in the same order. It is not the PC's sampler: it cuts
// where that rounds, and its random numbers are others.
type Machine struct {
	opt   MachineOptions
	state uint32
	exp2  [256]uint16
}

// NewMachine returns a sampler at the start of its random numbers.
func NewMachine(o MachineOptions) (*Machine, error) {
	switch {
	case o.Temperature < 1 || o.Temperature > 1000:
		return nil, fmt.Errorf("temperature %d hundredths: want 1 to 1000", o.Temperature)
	case o.TopK > MachineTopK:
		return nil, fmt.Errorf("top-k %d: want 0 to %d", o.TopK, MachineTopK)
	case o.Penalty < 100 || o.Penalty > 400:
		return nil, fmt.Errorf("penalty %d hundredths: want 100 to 400", o.Penalty)
	}
	if o.TopK == 0 {
		o.TopK = MachineTopK
	}
	m := &Machine{opt: o, exp2: MachineExp2()}
	m.state = o.Seed*0x9E3779B9 + 0x7F4A7C15
	if m.state == 0 {
		m.state = 0x9E3779B9
	}
	return m, nil
}

// random is xorshift32 with its output scrambled by a multiplication.
func (m *Machine) random() uint32 {
	m.state ^= m.state << 13
	m.state ^= m.state >> 17
	m.state ^= m.state << 5
	return m.state * 0x9E3779BB
}

// machineCandidate is a token with its logit as a key: the bits of the single
// so changed that they sort like numbers.
type machineCandidate struct {
	id, key uint32
}

func keyOf(bits uint32) uint32 {
	if bits>>31 != 0 {
		return ^bits
	}
	return bits | 1<<31
}

// Next chooses a token. recent are the tokens that the model itself made,
// oldest first. A logit that is NaN or infinite is an error, as it is one of
// the core on the machine.
func (m *Machine) Next(logits []float32, recent []uint32) (uint32, error) {
	if _, err := Argmax(logits); err != nil {
		return 0, err
	}
	bits := make([]uint32, len(logits))
	for i, l := range logits {
		bits[i] = math.Float32bits(l)
	}
	m.penalise(bits, recent)
	cand := make([]machineCandidate, len(bits))
	for i, b := range bits {
		cand[i] = machineCandidate{uint32(i), keyOf(b)}
	}
	slices.SortStableFunc(cand, func(a, b machineCandidate) int {
		switch {
		case a.key > b.key:
			return -1
		case a.key < b.key:
			return 1
		}
		return 0
	})
	cand = cand[:min(len(cand), int(m.opt.TopK))]
	return m.draw(cand), nil
}

// penalise changes the logits of recent tokens, each once: positive ones are
// divided, negative ones multiplied.
func (m *Machine) penalise(bits []uint32, recent []uint32) {
	if m.opt.Penalty == 100 {
		return
	}
	if n := len(recent) - MachineWindow; n > 0 {
		recent = recent[n:]
	}
	positive, negative := 6553600/m.opt.Penalty, m.opt.Penalty*65536/100
	for i, id := range recent {
		if uint64(id) >= uint64(len(bits)) || slices.Contains(recent[:i], id) {
			continue
		}
		if bits[id]>>31 == 0 {
			bits[id] = scale(bits[id], positive)
		} else {
			bits[id] = scale(bits[id], negative)
		}
	}
}

// scale multiplies a single by factor/65536, cutting. Zero and denormals stay
// as they are.
func scale(bits, factor uint32) uint32 {
	exponent := bits >> 23 & 0xFF
	if exponent == 0 {
		return bits
	}
	mantissa := uint32(uint64(bits&0x7FFFFF|0x800000) * uint64(factor) >> 16)
	for mantissa >= 1<<24 {
		mantissa >>= 1
		exponent++
	}
	for mantissa < 1<<23 {
		mantissa <<= 1
		exponent--
		if exponent == 0 {
			return bits & (1 << 31)
		}
	}
	if exponent >= 255 {
		return bits&(1<<31) | 0x7F7FFFFF
	}
	return bits&(1<<31) | exponent<<23 | mantissa&0x7FFFFF
}

// fixed is a key's logit in units of 2^-16, cut towards zero; beyond ±32767
// it stays at the end of the range.
func fixed(key uint32) int32 {
	bits := ^key
	if key>>31 != 0 {
		bits = key &^ (1 << 31)
	}
	exponent := int(bits >> 23 & 0xFF)
	mantissa := bits&0x7FFFFF | 0x800000
	var v uint32
	switch shift := exponent - 134; {
	case exponent == 0 || shift < -23:
	case shift > 7:
		v = 0x7FFFFFFF
	case shift >= 0:
		v = mantissa << shift
	default:
		v = mantissa >> -shift
	}
	if key>>31 == 0 {
		return -int32(v)
	}
	return int32(v)
}

// draw picks from candidates in falling order.
func (m *Machine) draw(cand []machineCandidate) uint32 {
	factor := log2e / m.opt.Temperature
	top := fixed(cand[0].key)
	weights := make([]uint32, len(cand))
	var total uint32
	for i, c := range cand {
		power := uint64(uint32(top-fixed(c.key))) * uint64(factor) // a power of two in units of 2^-32
		if n := power >> 32; n < 24 {
			weights[i] = uint32(m.exp2[power>>24&0xFF]) << 8 >> n
		}
		total += weights[i]
	}
	r := uint32(uint64(m.random()) * uint64(total) >> 32)
	for i, c := range cand {
		if r < weights[i] {
			return c.id
		}
		r -= weights[i]
	}
	return cand[len(cand)-1].id
}

package cpu

import (
	"encoding/binary"
	"math/big"
	"math/rand/v2"
	"testing"

	"ssnail-kit/mega65/isa"
)

// quadWant computes a 32-bit operation on big integers: result, and the flags
// that the operation sets, as a mask and values.
func quadWant(name string, q, v uint32, carry byte) (r uint32, mask, flags byte) {
	two32 := new(big.Int).Lsh(big.NewInt(1), 32)
	mod := func(x *big.Int) uint32 { return uint32(new(big.Int).Mod(x, two32).Uint64()) }
	Q, V, C := big.NewInt(int64(q)), big.NewInt(int64(v)), big.NewInt(int64(carry))
	sQ, sV := big.NewInt(int64(int32(q))), big.NewInt(int64(int32(v)))
	mask = FlagN | FlagZ
	setC := func(on bool) {
		mask |= FlagC
		if on {
			flags |= FlagC
		}
	}
	overflow := func(x *big.Int) {
		mask |= FlagV
		if !x.IsInt64() || x.Int64() != int64(int32(x.Int64())) {
			flags |= FlagV
		}
	}
	switch name {
	case "ldq":
		r = v
	case "stq":
		r, mask = q, 0
		return
	case "andq":
		r = mod(new(big.Int).And(Q, V))
	case "orq":
		r = mod(new(big.Int).Or(Q, V))
	case "eorq":
		r = mod(new(big.Int).Xor(Q, V))
	case "adcq":
		sum := new(big.Int).Add(new(big.Int).Add(Q, V), C)
		r = mod(sum)
		setC(sum.Cmp(two32) >= 0)
		overflow(new(big.Int).Add(new(big.Int).Add(sQ, sV), C))
	case "sbcq":
		borrow := big.NewInt(int64(1 - carry))
		diff := new(big.Int).Sub(new(big.Int).Sub(Q, V), borrow)
		r = mod(diff)
		setC(diff.Sign() >= 0)
		overflow(new(big.Int).Sub(new(big.Int).Sub(sQ, sV), borrow))
	case "cpq":
		r = mod(new(big.Int).Sub(Q, V))
		setC(Q.Cmp(V) >= 0)
	case "bitq":
		mask |= FlagV
		if new(big.Int).And(Q, V).Sign() == 0 {
			flags |= FlagZ
		}
		flags |= byte(V.Bit(31)<<7 | V.Bit(30)<<6)
		return q, mask, flags
	case "inq":
		r = mod(new(big.Int).Add(V, big.NewInt(1)))
	case "deq":
		r = mod(new(big.Int).Sub(V, big.NewInt(1)))
	case "aslq":
		r = mod(new(big.Int).Lsh(V, 1))
		setC(V.Bit(31) != 0)
	case "rolq":
		r = mod(new(big.Int).Add(new(big.Int).Lsh(V, 1), C))
		setC(V.Bit(31) != 0)
	case "lsrq":
		r = mod(new(big.Int).Rsh(V, 1))
		setC(V.Bit(0) != 0)
	case "rorq":
		r = mod(new(big.Int).Rsh(new(big.Int).Add(V, new(big.Int).Mul(C, two32)), 1))
		setC(V.Bit(0) != 0)
	case "asrq":
		r = mod(new(big.Int).Rsh(sV, 1))
		setC(V.Bit(0) != 0)
	}
	if r == 0 {
		flags |= FlagZ
	}
	flags |= byte(r>>31) << 7
	return r, mask, flags
}

// TestQuadAgainstBig runs every documented 32-bit instruction on random and
// awkward operands and compares it with big integers.
func TestQuadAgainstBig(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	awkward := []uint32{0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x00010000, 0x40000000}
	value := func() uint32 {
		if rng.IntN(4) == 0 {
			return awkward[rng.IntN(len(awkward))]
		}
		return rng.Uint32()
	}
	c, b := newFlat(true)
	for _, op := range isa.All() {
		if op.Prefix != isa.Quad && op.Prefix != isa.QuadFar {
			continue
		}
		load := op.Name == "ldq"
		for range 400 {
			q, v, p := value(), value(), byte(rng.Uint32())&^FlagB|FlagE
			clear(b.flat)
			code := op.Encoding()
			var where uint32 // of v
			const pointer = 0x40
			c.SetQ(q)
			c.B = 0x06
			switch op.Mode {
			case isa.Base:
				code, where = append(code, 0x80), 0x0680
			case isa.BaseX:
				code, where = append(code, 0x80), 0x0600|uint32(0x80+c.X)
			case isa.Absolute:
				code, where = append(code, 0xFE, 0x41), 0x41FE
			case isa.AbsoluteX:
				code, where = append(code, 0xFE, 0x41), 0x41FE+uint32(c.X)
			case isa.BaseIndirect, isa.Far:
				code, where = append(code, pointer), 0x5432
				if op.Mode == isa.Far {
					where |= 0x0876_0000
				}
				binary.LittleEndian.PutUint32(b.ram[0x0600|pointer:], where)
				if load {
					where += uint32(c.Z)
				}
			}
			switch op.Mode {
			case isa.Implied:
				v = q // the operand is the register
			case isa.Far:
				for i := range uint32(4) {
					b.flat[where+i] = byte(v >> (8 * i))
				}
			default:
				binary.LittleEndian.PutUint32(b.ram[where:], v)
			}
			copy(b.ram[0x2000:], code)
			c.PC, c.P = 0x2000, p
			c.Step()

			r, mask, flags := quadWant(op.Name, q, v, p&FlagC)
			inRegister, inMemory := q, v // what both hold afterwards
			switch op.Name {
			case "stq":
				inMemory = q
				// The prefix leaves N and Z of A behind.
				mask, flags = FlagN|FlagZ, nz[byte(q)]
			case "cpq", "bitq":
			case "ldq", "andq", "orq", "eorq", "adcq", "sbcq":
				inRegister = r
			default:
				if op.Mode == isa.Implied {
					inRegister = r
				} else {
					inMemory = r
				}
			}
			wantP := p&^mask | flags
			stored := v
			switch op.Mode {
			case isa.Implied:
				stored, inMemory = 0, 0
			case isa.Far:
				stored = 0
				for i := range uint32(4) {
					stored |= uint32(b.flat[where+i]) << (8 * i)
				}
			default:
				stored = binary.LittleEndian.Uint32(b.ram[where:])
			}
			if c.Q() != inRegister || c.P != wantP || stored != inMemory || c.PC != 0x2000+uint16(op.Bytes) {
				t.Fatalf("%s %s: Q = %08X, operand %08X, P = %02X: Q = %08X, memory %08X, P = %02X, PC = %04X, want %08X, %08X, %02X",
					op.Name, op.Mode, q, v, p, c.Q(), stored, c.P, c.PC, inRegister, inMemory, wantP)
			}
		}
	}
}

// TestFarWrapsAt28Bits: pointers are cut to 28 bits, Z carries through them.
func TestFarWrapsAt28Bits(t *testing.T) {
	c, b := newFlat(true)
	copy(b.ram[0x2000:], []byte{0xEA, 0xB2, 0x10, 0xEA, 0x92, 0x10})
	copy(b.ram[0x10:], []byte{0xFE, 0xFF, 0xFF, 0xFF})
	b.flat[3] = 0x77
	c.PC, c.Z = 0x2000, 5
	c.Step()
	if c.A != 0x77 || c.PC != 0x2003 {
		t.Errorf("lda [bp],z: A = %02X, PC = %04X", c.A, c.PC)
	}
	c.Z = 0x81
	copy(b.ram[0x10:], []byte{0xFF, 0xFF, 0x12, 0xF5})
	c.Step()
	if b.flat[0x5130080] != 0x77 {
		t.Errorf("sta [bp],z: bank carry lost, flat = %v", b.flat)
	}
}

// TestPrefixesInVain: what prefixes do before opcodes they do not change.
func TestPrefixesInVain(t *testing.T) {
	c, b := newFlat(true)
	// neg neg neg, lda $40: the third neg starts anew, the load stays 8 bits.
	copy(b.ram[0x2000:], []byte{0x42, 0x42, 0x42, 0xA5, 0x40, 0x42, 0x42, 0xA9, 0x55})
	copy(b.ram[0x40:], []byte{1, 2, 3, 4})
	c.PC, c.A = 0x2000, 0x12
	c.Step()
	c.Step()
	if c.A != 0xEE || c.PC != 0x2003 {
		t.Fatalf("three negs: A = %02X, PC = %04X, want EE at 2003", c.A, c.PC)
	}
	c.Step()
	if c.Q() != 1 || c.PC != 0x2005 {
		t.Fatalf("lda after three negs: Q = %08X, PC = %04X", c.Q(), c.PC)
	}
	c.Step() // neg neg; there is no 32-bit immediate load
	c.Step()
	if c.Q() != 0x55 || c.PC != 0x2009 {
		t.Fatalf("lda # after neg neg: Q = %08X, PC = %04X", c.Q(), c.PC)
	}
}

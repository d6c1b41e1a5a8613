package cpu

import (
	"fmt"
	"testing"

	"ssnail-kit/mega65/isa"
)

// TestEveryOpcodeAgainstTable executes each instruction of the table once with
// plain pages and once through the Bus: it must move PC by its length, unless
// it jumps, count the table's cycles, and leave alone what its kind leaves.
func TestEveryOpcodeAgainstTable(t *testing.T) {
	jumps := map[string]uint16{ // where these go with the operands and RAM below
		"brk": 0x0302, "jmp nn": 0x0302, "jmp (nn)": 0x0302, "jmp (nn,x)": 0x0302,
		"jsr nn": 0x0302, "jsr (nn)": 0x0302, "jsr (nn,x)": 0x0302,
		"rts": 0x0303, "rtn #n": 0x0303, "rti": 0x0203,
		"bsr rel16": 0x2002 + 0x0302, "lbra rel16": 0x2002 + 0x0302,
		"bra rel": 0x2004,
	}
	for _, op := range isa.All() {
		for _, plain := range []bool{true, false} {
			// 2FE: 3x the bytes 02 03 02 03 ...: every pointer and vector is $0302.
			c, b := newFlat(plain)
			for i := range b.ram {
				b.ram[i] = 2 + byte(i&1)
			}
			b.ram[0xFFFE], b.ram[0xFFFF] = 0x02, 0x03
			code := op.Encoding()
			for i := range op.Mode.OperandBytes() {
				code = append(code, 2+byte(i))
			}
			copy(b.ram[0x2000:], append(code, 0xB8))
			c.PC, c.SP, c.P = 0x2000, 0x01F7, FlagE|FlagI
			c.Step()

			name := op.Name
			if op.Mode != isa.Implied {
				name += " " + op.Mode.String()
			}
			want, jump := jumps[name]
			length := uint16(op.Bytes)
			if !jump {
				want = 0x2000 + length
			}
			// A branch taken goes a fixed way beyond the instruction.
			var taken uint16
			switch op.Mode {
			case isa.Relative:
				taken = 0x2004
			case isa.RelativeWord:
				taken = 0x2304
			case isa.BaseRelative:
				taken = 0x2006
			}
			if c.PC != want && (taken == 0 || c.PC != taken) {
				t.Errorf("% X %s (plain pages %v): PC = %04X, want %04X", code, name, plain, c.PC, want)
			}
			if c.Cycles != uint64(op.Cycles) {
				t.Errorf("% X %s (plain pages %v): %d cycles, want %d", code, name, plain, c.Cycles, op.Cycles)
			}
		}
	}
}

// TestBranchConditions takes and does not take each conditional branch.
func TestBranchConditions(t *testing.T) {
	flags := map[string]struct {
		mask byte
		set  bool
	}{
		"pl": {FlagN, false}, "mi": {FlagN, true}, "vc": {FlagV, false}, "vs": {FlagV, true},
		"cc": {FlagC, false}, "cs": {FlagC, true}, "ne": {FlagZ, false}, "eq": {FlagZ, true},
	}
	for cond, f := range flags {
		for _, mode := range []isa.Mode{isa.Relative, isa.RelativeWord} {
			name, back := "b"+cond, uint16(0x2000)
			if mode == isa.RelativeWord {
				name = "lb" + cond
			}
			op, ok := isa.Lookup(name, mode)
			if !ok {
				t.Fatalf("no %s", name)
			}
			for _, p := range []byte{FlagE, FlagE | f.mask, 0xE3 &^ f.mask, 0xE3} {
				c, b := newFlat(true)
				copy(b.ram[0x2000:], []byte{op.Code, 0xFE, 0xFF})
				c.PC, c.P = 0x2000, p
				c.Step()
				want := 0x2000 + uint16(op.Bytes)
				if (p&f.mask != 0) == f.set {
					want = back
				}
				if c.PC != want || c.P != p {
					t.Errorf("%s with P = %02X: PC = %04X, want %04X; P = %02X", name, p, c.PC, want, c.P)
				}
			}
		}
	}
	for bit := range byte(8) {
		for _, v := range []byte{1 << bit, ^byte(1 << bit), 0, 0xFF} {
			for _, set := range []bool{false, true} {
				code := 0x0F | bit<<4
				if set {
					code |= 0x80
				}
				c, b := newFlat(true)
				copy(b.ram[0x2000:], []byte{code, 0x40, 0x10})
				b.ram[0x40], c.PC = v, 0x2000
				c.Step()
				want := uint16(0x2003)
				if (v>>bit&1 != 0) == set {
					want = 0x2013
				}
				if c.PC != want {
					t.Errorf("opcode %02X with %02X: PC = %04X, want %04X", code, v, c.PC, want)
				}
			}
		}
	}
}

// TestAddSubtractExhaustive compares adc and sbc, binary and decimal, with
// arithmetic on integers, for all operands and carries.
func TestAddSubtractExhaustive(t *testing.T) {
	c, b := newFlat(true)
	bad := 0
	for n := range 4 {
		sub, dec := n&1 != 0, n&2 != 0
		code := byte(0x69)
		if sub {
			code = 0xE9
		}
		for i := range 1 << 17 {
			a, v, carry := byte(i), byte(i>>8), i>>16
			if dec && (a&15 > 9 || a>>4 > 9 || v&15 > 9 || v>>4 > 9) {
				continue // what such digits give is left to the vectors
			}
			b.ram[0x2000], b.ram[0x2001] = code, v
			c.PC, c.A, c.P = 0x2000, a, FlagE|byte(carry)
			if dec {
				c.P |= FlagD
			}
			c.Step()

			var sum, signed int
			if sub {
				sum, signed = int(a)-int(v)-(1-carry), int(int8(a))-int(int8(v))-(1-carry)
			} else {
				sum, signed = int(a)+int(v)+carry, int(int8(a))+int(int8(v))+carry
			}
			want, carries := byte(sum), sum > 0xFF || sub && sum >= 0
			zero := want == 0 // also in decimal mode: that of the binary sum
			if dec {
				x, y := int(a>>4)*10+int(a&15), int(v>>4)*10+int(v&15)
				d := x + y + carry
				carries = d >= 100
				if sub {
					d = x - y - (1 - carry)
					carries = d >= 0
				}
				d = (d + 200) % 100
				want = byte(d/10<<4 | d%10)
			}
			ok := c.A == want && (c.P&FlagC != 0) == carries && (c.P&FlagZ != 0) == zero
			if !dec || sub {
				ok = ok && (c.P&FlagV != 0) == (signed != int(int8(signed))) && c.P&FlagN == byte(sum)&FlagN
			}
			if !ok {
				if bad++; bad < 20 {
					t.Errorf("%02X: %02X, %02X, carry %d, decimal %v: A = %02X, P = %02X, want A = %02X, carry %v, zero %v",
						code, a, v, carry, dec, c.A, c.P, want, carries, zero)
				}
			}
		}
	}
}

// TestDecimalIsDigitwise pins decimal mode with digits above 9 to the NMOS
// adder, written digit by digit.
func TestDecimalIsDigitwise(t *testing.T) {
	c, b := newFlat(true)
	for i := range 1 << 17 {
		a, v, carry := byte(i), byte(i>>8), i>>16
		b.ram[0x2000], b.ram[0x2001] = 0x69, v
		c.PC, c.A, c.P = 0x2000, a, FlagE|FlagD|byte(carry)
		c.Step()
		lo, hi := int(a&15)+int(v&15)+carry, int(a>>4)+int(v>>4)
		if lo > 9 {
			lo, hi = (lo+6)&15, hi+1
		}
		mid := byte(hi << 4)
		if hi > 9 {
			hi += 6
		}
		want := fmt.Sprint(byte(hi<<4|lo), hi > 15, mid&0x80 != 0, (a^mid)&^(a^v)&0x80 != 0)
		got := fmt.Sprint(c.A, c.P&FlagC != 0, c.P&FlagN != 0, c.P&FlagV != 0)
		if got != want {
			t.Fatalf("%02X + %02X + %d: A, C, N, V = %s, want %s", a, v, carry, got, want)
		}
	}
}

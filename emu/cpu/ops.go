package cpu

// nz holds FlagN and FlagZ for each value.
var nz = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i) & FlagN
	}
	t[0] = FlagZ
	return t
}()

func (c *CPU) setNZ(v byte) { c.P = c.P&^(FlagN|FlagZ) | nz[v] }

// flag sets or clears the bits of mask.
func (c *CPU) flag(mask byte, on bool) {
	c.P &^= mask
	if on {
		c.P |= mask
	}
}

// pointer reads the word at a base-page address; it wraps inside the page.
func (c *CPU) pointer(n byte) uint16 {
	page := uint16(c.B) << 8
	return uint16(c.rd(page|uint16(n))) | uint16(c.rd(page|uint16(n+1)))<<8
}

func (c *CPU) lda(addr uint16) {
	c.A = c.rd(addr)
	c.setNZ(c.A)
}

func (c *CPU) ldx(addr uint16) {
	c.X = c.rd(addr)
	c.setNZ(c.X)
}

func (c *CPU) ldy(addr uint16) {
	c.Y = c.rd(addr)
	c.setNZ(c.Y)
}

func (c *CPU) ldz(addr uint16) {
	c.Z = c.rd(addr)
	c.setNZ(c.Z)
}

func (c *CPU) and(addr uint16) {
	c.A &= c.rd(addr)
	c.setNZ(c.A)
}

func (c *CPU) ora(addr uint16) {
	c.A |= c.rd(addr)
	c.setNZ(c.A)
}

func (c *CPU) eor(addr uint16) {
	c.A ^= c.rd(addr)
	c.setNZ(c.A)
}

func (c *CPU) adc(addr uint16) { c.add(c.rd(addr)) }

func (c *CPU) sbc(addr uint16) { c.subtract(c.rd(addr)) }

func (c *CPU) cmp(addr uint16) { c.compare(c.A, c.rd(addr)) }

// compare sets N, Z and C from r - v.
func (c *CPU) compare(r, v byte) {
	p := c.P&^(FlagN|FlagZ|FlagC) | nz[r-v]
	if r >= v {
		p |= FlagC
	}
	c.P = p
}

// add is adc.
func (c *CPU) add(v byte) {
	if c.P&FlagD != 0 {
		c.addDecimal(v)
		return
	}
	c.addBinary(v)
}

// subtract is sbc.
func (c *CPU) subtract(v byte) {
	if c.P&FlagD != 0 {
		c.subtractDecimal(v)
		return
	}
	c.addBinary(^v)
}

func (c *CPU) addBinary(v byte) {
	a := c.A
	sum := uint(a) + uint(v) + uint(c.P&FlagC)
	r := byte(sum)
	c.P = c.P&^(FlagN|FlagV|FlagZ|FlagC) | nz[r] | byte(sum>>8) | (a^r)&(v^r)>>1&FlagV
	c.A = r
}

// addDecimal adds two-digit numbers. Z is that of the binary sum, N and V those
// of the sum before its upper digit is corrected, as on the NMOS 6502. Digits
// above 9 give what the adder makes of them.
func (c *CPU) addDecimal(v byte) {
	a, carry := c.A, c.P&FlagC
	lo := uint(a&15) + uint(v&15) + uint(carry)
	if lo > 9 {
		lo = (lo+6)&15 | 16
	}
	sum := uint(a&0xF0) + uint(v&0xF0) + lo
	half := byte(sum)
	p := c.P&^(FlagN|FlagV|FlagZ|FlagC) | half&FlagN | (a^half)&^(a^v)>>1&FlagV
	if a+v+carry == 0 {
		p |= FlagZ
	}
	if sum > 0x9F {
		sum += 0x60
		p |= FlagC
	}
	c.P = p
	c.A = byte(sum)
}

// subtractDecimal subtracts two-digit numbers; all flags are those of the
// binary difference.
func (c *CPU) subtractDecimal(v byte) {
	a := c.A
	lo := int(a&15) - int(v&15) - int(1-c.P&FlagC)
	hi := int(a>>4) - int(v>>4)
	if lo < 0 {
		lo -= 6
		hi--
	}
	if hi < 0 {
		hi -= 6
	}
	c.addBinary(^v)
	c.A = byte(hi<<4) | byte(lo&15)
}

// shiftLeft is asl with in = 0 and rol with in = carry.
func (c *CPU) shiftLeft(v, in byte) byte {
	r := v<<1 | in
	c.P = c.P&^(FlagN|FlagZ|FlagC) | nz[r] | v>>7
	return r
}

// shiftRight is lsr, ror or asr, according to the new bit 7, in.
func (c *CPU) shiftRight(v, in byte) byte {
	r := v>>1 | in&0x80
	c.P = c.P&^(FlagN|FlagZ|FlagC) | nz[r] | v&FlagC
	return r
}

// modify writes the result of a read-modify-write instruction. The CPU writes
// the old value first only at $D019, where programs acknowledge the raster
// interrupt that way.
func (c *CPU) modify(addr uint16, old, v byte) {
	if m := c.WPage[addr>>8]; m != nil {
		m[byte(addr)] = v
		return
	}
	if addr == 0xD019 {
		c.Bus.Write(addr, old)
	}
	c.Bus.Write(addr, v)
}

func (c *CPU) inc(addr uint16) {
	v := c.rd(addr)
	c.setNZ(v + 1)
	c.modify(addr, v, v+1)
}

func (c *CPU) dec(addr uint16) {
	v := c.rd(addr)
	c.setNZ(v - 1)
	c.modify(addr, v, v-1)
}

// push writes at SP, then counts it down: in its page while FlagE is set.
func (c *CPU) push(v byte) {
	c.wr(c.SP, v)
	if c.P&FlagE != 0 {
		c.SP = c.SP&0xFF00 | uint16(byte(c.SP)-1)
		return
	}
	c.SP--
}

// pull is the inverse of push.
func (c *CPU) pull() byte {
	if c.P&FlagE != 0 {
		c.SP = c.SP&0xFF00 | uint16(byte(c.SP)+1)
	} else {
		c.SP++
	}
	return c.rd(c.SP)
}

// pushWord pushes the high byte first, so that the word lies little-endian.
func (c *CPU) pushWord(v uint16) {
	c.push(byte(v >> 8))
	c.push(byte(v))
}

func (c *CPU) pullWord() uint16 {
	lo := c.pull()
	return uint16(lo) | uint16(c.pull())<<8
}

package machine

import (
	"fmt"
	"strings"

	"ssnail-kit/emu/cpu"
	"ssnail-kit/mega65/isa"
)

// dump is m, M and @: lines of 16 bytes, from the last address on if none is
// given.
func (mon *Monitor) dump(a *arguments, cpuView bool, lines int) {
	mon.cpuView = cpuView
	if !mon.continueAt(a) {
		return
	}
	for range lines {
		mon.print(fmt.Sprintf(":%08X:", mon.addr))
		for range 16 {
			mon.print(fmt.Sprintf("%02X", mon.read(mon.addr)))
			mon.addr++
		}
		mon.print("\r\n")
	}
}

// continueAt takes an address if there is one.
func (mon *Monitor) continueAt(a *arguments) bool {
	v, n := a.hex()
	if n > 8 {
		mon.complain("Address parse error")
		return false
	}
	if n > 0 {
		mon.addr = v
	}
	if mon.cpuView {
		mon.addr = mon.addr&0xFFFF | 0x7770000
	}
	return true
}

// disassemble is d and D, in the view of the last dump.
func (mon *Monitor) disassemble(a *arguments, lines int) {
	if !mon.continueAt(a) {
		return
	}
	for range lines {
		mon.addr += mon.instruction(mon.addr)
	}
}

// instruction prints the opcode at addr, without what a prefix makes of it, as
// the monitor does not know prefixes. It returns the length.
func (mon *Monitor) instruction(addr uint32) uint32 {
	var code [3]byte
	code[0] = mon.read(addr)
	op, ok := isa.Prefixed(isa.None, code[0])
	if !ok {
		panic("emulated serial monitor: the instruction table has a hole")
	}
	var hex strings.Builder
	for i := range int(op.Bytes) {
		code[i] = mon.read(addr + uint32(i))
		fmt.Fprintf(&hex, " %02X", code[i])
	}
	_, arg, _ := isa.Decode(code[:op.Bytes], uint16(addr))
	name, operand, _ := strings.Cut(op.Format(arg, nil), " ")
	text := fmt.Sprintf("%-6s%s", strings.ToUpper(name), strings.ToUpper(operand))
	mon.print(fmt.Sprintf(",%08X %-9s  %s\r\n", addr, hex.String(), strings.TrimRight(text, " ")))
	return uint32(op.Bytes)
}

const registerHeader = "PC   A  X  Y  Z  B  SP   MAPH MAPL LAST-OP In     P  P-FLAGS   RGP uS IO ws h RECA8LHC"

// registers is r. What only the chip has, its microcode state and wait states,
// reads 00; the last opcode is that of the instruction to come.
func (mon *Monitor) registers() {
	c := mon.target.processor()
	op := mon.target.monitorReadCPU(c.PC)
	mon.print(fmt.Sprintf("\r\n%s\r\n", registerHeader))
	mon.print(fmt.Sprintf("%04X %02X %02X %02X %02X %02X %04X %04X %04X %02X      %02X     %02X %s ---P 00 -  00 -  ........\r\n",
		c.PC, c.A, c.X, c.Y, c.Z, c.B, c.SP, mapWord(c.MapHi), mapWord(c.MapLo), op, op, c.P, flagLetters(c.P)))
	mon.instruction(0x7770000 | uint32(c.PC))
}

func mapWord(m cpu.Map) uint16 { return uint16(m.Blocks)<<12 | m.Offset }

// flagLetters shows P with a dot for each clear bit.
func flagLetters(p byte) string {
	s := []byte("NVEBDIZC")
	for i := range s {
		if p>>(7-i)&1 == 0 {
			s[i] = '.'
		}
	}
	return string(s)
}

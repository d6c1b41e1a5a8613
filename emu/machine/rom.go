package machine

import (
	"ssnail-kit/emu/cpu"
	"ssnail-kit/mega65/hw"
)

// The machine's ROM is ours and tiny: the KERNAL's jump table, an interrupt
// handler, a loop for the READY prompt, two charsets. Its routines are one store
// each, to an address in the ROM itself: hooks to the Go code in kernal.go. A
// store to write-protected ROM does nothing on a board, so no program's own
// store can be meant.
const (
	kernalROM = 0x3E000
	hookPage  = 0xFE00
	hookBase  = kernalROM + hookPage - 0xE000
	fontUpper = 0x2D000 // upper case and graphics, screen codes 1-26 A-Z
	fontLower = 0x2D800 // the program's font, lower case at 1-26
)

// The hooks, offsets in the hook page.
const (
	hookReady = iota // waits at the READY prompt
	hookIRQ
	hookBreak   // BRK was executed
	hookReturn  // a program returned to BASIC by RTS
	hookUnknown // a KERNAL routine that is not there
	hookCHROUT
	hookCHRIN
	hookGETIN
	hookPRIMM
	hookSETBNK
	hookSETLFS
	hookSETNAM
	hookOPEN
	hookCLOSE
	hookCHKIN
	hookCKOUT
	hookCLRCH
	hookLOAD
	hookSAVE
	hookREADSS
	hookCLOSEALL
	hookSTOP
	hookPLOT
	hookNothing // calls that have nothing to do here
	hooks
)

// kernalCalls is the jump table: CPU address and hook.
var kernalCalls = map[uint16]int{
	0xFF50: hookCLOSEALL, 0xFF6B: hookSETBNK, 0xFF7D: hookPRIMM, 0xFF81: hookNothing, 0xFF84: hookNothing,
	0xFF87: hookNothing, 0xFF8A: hookNothing, 0xFF90: hookNothing, 0xFFB7: hookREADSS, 0xFFBA: hookSETLFS,
	0xFFBD: hookSETNAM, 0xFFC0: hookOPEN, 0xFFC3: hookCLOSE, 0xFFC6: hookCHKIN, 0xFFC9: hookCKOUT,
	0xFFCC: hookCLRCH, 0xFFCF: hookCHRIN, 0xFFD2: hookCHROUT, 0xFFD5: hookLOAD, 0xFFD8: hookSAVE,
	0xFFE1: hookSTOP, 0xFFE4: hookGETIN, 0xFFE7: hookCLOSEALL, 0xFFF0: hookPLOT,
}

// Places of our code in the ROM.
const (
	romReady   = 0xE000 // loop: STA hookReady : BRA loop
	romReturn  = 0xE010 // STA hookReturn : BRA to the loop
	romIRQ     = 0xE020
	romIRQBody = 0xE040
	romNMI     = 0xE060
	romHooks   = 0xE100 // four bytes a hook: STA hook : RTS
)

// installROM writes charsets and KERNAL into the ROM area.
func (m *Machine) installROM() {
	clear(m.chip[hw.ROMStart:hw.ROMEnd])
	font := hw.Font()
	copy(m.chip[fontLower:], font[:])
	copy(m.chip[fontUpper:], font[:])
	for _, half := range []int{0, 1024} {
		copy(m.chip[fontUpper+half+8:fontUpper+half+27*8], font[half+65*8:half+91*8])
	}
	rom := m.chip[kernalROM : kernalROM+0x2000]
	put := func(addr uint16, code ...byte) { copy(rom[addr-0xE000:], code) }
	hook := func(addr uint16, n int) { put(addr, 0x8D, byte(n), hookPage>>8) }
	hook(romReady, hookReady)
	put(romReady+3, 0x80, 0xFB) // BRA romReady
	hook(romReturn, hookReturn)
	put(romReturn+3, 0x4C, romReady&0xFF, romReady>>8)
	// PHA PHX PHY PHZ, then through the vector at $0314.
	put(romIRQ, 0x48, 0xDA, 0x5A, 0xDB, 0x6C, 0x14, 0x03)
	hook(romIRQBody, hookIRQ)
	put(romIRQBody+3, 0xFB, 0x7A, 0xFA, 0x68, 0x40) // PLZ PLY PLX PLA RTI
	put(romNMI, 0x40)
	for n := range hooks {
		hook(romHooks+uint16(n)*4, n)
		put(romHooks+uint16(n)*4+3, 0x60)
	}
	for addr := uint16(0xFF4D); addr < 0xFFF6; addr += 3 {
		n, ok := kernalCalls[addr]
		if !ok {
			n = hookUnknown
		}
		entry := romHooks + uint16(n)*4
		put(addr, 0x4C, byte(entry), byte(entry>>8))
	}
	// The table is not one grid of three bytes throughout.
	for addr, n := range kernalCalls {
		entry := romHooks + uint16(n)*4
		put(addr, 0x4C, byte(entry), byte(entry>>8))
	}
	put(cpu.VectorNMI, romNMI&0xFF, romNMI>>8, romReady&0xFF, romReady>>8, romIRQ&0xFF, romIRQ>>8)
	copy(m.chip[0x2E000:0x30000], rom) // where the C64's banking looks for it
}

// bootState is what BASIC leaves behind when it starts a program: KERNAL mapped
// to $E000, I/O in the C64 personality, a raster interrupt that reads the
// keyboard, 80 columns, 40 MHz.
func (m *Machine) bootState() {
	m.chip[0], m.chip[1] = 0x2F, 0x35
	m.chip[0x314], m.chip[0x315] = romIRQBody&0xFF, romIRQBody>>8
	m.chip[keyCount] = 0
	m.cpu.MapHi = cpu.Map{Offset: 0x300, Blocks: 8}
	m.MapChanged()
	m.cpu.PC = romReady
	m.cpu.SP = 0x01FB
	m.cpu.P = cpu.FlagE
	m.writeVIC(0x11, 0x1B)
	m.writeVIC(0x12, 0xFF)
	m.writeVIC(0x1A, 1)
	m.writeVIC(0x20, 6)
	m.vic.irq = 0
	m.kernal.colour = 1
	m.clearScreen()
}

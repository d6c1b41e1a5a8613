package machine

import "ssnail-kit/emu/cpu"

// CPU is the processor, for tests and tools that set registers or call routines
// between two frames.
func (m *Machine) CPU() *cpu.CPU { return &m.cpu }

// Load reads a 28-bit address as the CPU would, with what that does to devices.
// Registers of the MEGA65 personality are at $FFD3xxx.
func (m *Machine) Load(addr uint32) byte { return m.readPhys(addr) }

// Store writes a 28-bit address likewise. A DMA that it starts is done when the
// next frame has run.
func (m *Machine) Store(addr uint32, v byte) {
	m.sliceEnd = m.nextLine(m.now())
	m.writePhys(addr, v)
}

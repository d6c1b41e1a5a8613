package machine

import "ssnail-kit/emu/cpu"

// What the serial monitor does to the machine.

// hypervisorRAM is $FFF8000-$FFFBFFF, which only hypervisor and monitor see. No
// hypervisor is in it: the traps are Go code.
type hypervisorRAM [0x4000]byte

// monitorState is a CPU that may be halted, and the monitor's breakpoint.
type monitorState struct {
	halted   bool
	breakSet bool
	breakPC  uint16
	hit      bool // a breakpoint was reached and not yet reported
	looking  bool // the monitor reads: what it passes is no use of a device
	hyper    *hypervisorRAM
}

const hypervisorBase = 0xFFF8000

// privileged returns memory that the monitor sees and user mode does not: the
// hypervisor's RAM, and the sector buffers as separate buffers.
func (m *Machine) privileged(addr uint32) *byte {
	switch {
	case addr >= hypervisorBase && addr < hypervisorBase+uint32(len(hypervisorRAM{})):
		if m.mon.hyper == nil {
			m.mon.hyper = new(hypervisorRAM)
		}
		return &m.mon.hyper[addr-hypervisorBase]
	case addr>>12 == 0xFFD6 && addr&0xE00 == 0xC00:
		m.settleFloppy()
		return &m.floppy.buffer[addr&0x1FF]
	case addr>>12 == 0xFFD6 && addr&0xE00 == 0xE00:
		return &m.sd.buffer[addr&0x1FF]
	}
	return nil
}

// monitorRead reads without warnings: a dump passes everything that lies in its
// way, which says nothing about the program.
func (m *Machine) monitorRead(addr uint32) byte {
	if p := m.privileged(addr & 0xFFFFFFF); p != nil {
		return *p
	}
	m.mon.looking = true
	defer func() { m.mon.looking = false }()
	return m.readPhys(addr)
}

func (m *Machine) monitorWrite(addr uint32, v byte) {
	if p := m.privileged(addr & 0xFFFFFFF); p != nil {
		*p = v
		return
	}
	m.writePhys(addr, v)
}

func (m *Machine) monitorReadCPU(addr uint16) byte {
	m.mon.looking = true
	defer func() { m.mon.looking = false }()
	return m.cpu.Peek(addr)
}

func (m *Machine) monitorWriteCPU(addr uint16, v byte) { m.cpu.Poke(addr, v) }
func (m *Machine) processor() *cpu.CPU                 { return &m.cpu }

// hold halts or frees the CPU; devices and time go on.
func (m *Machine) hold(halt bool) {
	m.mon.halted = halt
	if halt {
		m.cpu.Stop()
	} else {
		m.skipStop = true // a breakpoint where it stands does not stop it again
	}
}

func (m *Machine) held() bool { return m.mon.halted }

// single executes one instruction of a halted CPU; no interrupt enters.
func (m *Machine) single() {
	m.sliceEnd = m.nextLine(m.now())
	for m.dma.active { // the one before may have started a long list
		m.runDMA()
		m.sliceEnd = m.nextLine(m.now())
	}
	m.cpu.StepOnly()
}

// breakAt sets or clears the monitor's breakpoint.
func (m *Machine) breakAt(pc uint16, on bool) { m.mon.breakSet, m.mon.breakPC = on, pc }

// atBreak reports once that the CPU was halted at the breakpoint.
func (m *Machine) atBreak() bool {
	hit := m.mon.hit
	m.mon.hit = false
	return hit
}

// resetByMonitor is the monitor's '!': the machine boots anew.
func (m *Machine) resetByMonitor() {
	m.mon.halted, m.mon.hit = false, false
	m.Reset()
	if err := m.Boot(); err != nil {
		m.warn("boot: %s", err.Error())
	}
}

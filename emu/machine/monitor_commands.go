package machine

import "strings"

// banner is what '?' prints. Tools take the version from behind "build GIT: ".
const banner = "MEGA65 Serial Monitor\r\nbuild GIT: ssnail-kit,emulated\r\n"

// execute carries out a command line. The first letter decides, in either case;
// an unknown one does nothing.
func (mon *Monitor) execute(line string) {
	if line == "" {
		mon.step()
		return
	}
	letter := line[0]
	a := &arguments{strings.TrimLeft(line[1:], " ")}
	lines := 16
	if letter >= 'a' {
		lines = 1
	}
	switch letter &^ ('a' - 'A') {
	case 'T':
		mon.trace(a.rest)
		return
	case 'S':
		mon.set(letter == 'S', a)
		return
	case 'L':
		mon.startLoad(a)
		return
	case 'F':
		mon.startFill(a)
		return
	case 'M':
		mon.dump(a, false, lines)
		return
	case 'D':
		mon.disassemble(a, lines)
		return
	case 'R':
		mon.registers()
		return
	case 'G':
		if pc, ok := mon.address(a, 4); ok {
			mon.addr = pc
			mon.target.processor().PC = uint16(pc)
		}
		return
	case 'B':
		mon.setBreak(a)
		return
	case 'H':
		mon.print(banner)
		return
	case 'W', 'E', 'Z', 'I', 'J':
		mon.complain("The emulated monitor has no command " + line[:1])
		return
	}
	switch letter {
	case '@':
		mon.dump(a, true, lines)
	case '?':
		mon.print(banner)
	case '!':
		mon.reset()
	case '+':
		v, n := a.hex()
		if n == 0 || n > 4 {
			mon.complain("Bad bit rate divisor")
			return
		}
		mon.setBaud(40.5e6 / float64(v+1))
	}
}

func (mon *Monitor) trace(arg string) {
	switch {
	case arg == "":
		mon.step()
	case arg[0] == '1':
		mon.target.hold(true)
	case arg[0] == '0', arg[0] == 'l':
		mon.target.hold(false)
	case arg[0] == 'c', arg[0] == 'C':
		mon.target.hold(true)
		mon.continuous = true
	}
}

// step executes an instruction, if the CPU is halted, and shows where it is.
func (mon *Monitor) step() {
	if mon.target.held() {
		mon.target.single()
	}
	mon.registers()
}

// reset is '!': the whole board starts anew, the monitor with it.
func (mon *Monitor) reset() {
	mon.print("@")
	mon.target.breakAt(0, false)
	mon.target.hold(false)
	mon.target.resetByMonitor()
	mon.addr, mon.cpuView = 0, false
	mon.setBaud(float64(mon.opt.Baud))
	mon.print(strings.Repeat("\r\n", 21) + banner)
}

func (mon *Monitor) setBreak(a *arguments) {
	pc, n := a.hex()
	if n > 4 {
		mon.complain("Address parse error")
		n = 0
	}
	mon.target.breakAt(uint16(pc), n > 0)
}

// read and write serve addresses as the user writes them: $777xxxx is the
// CPU's view, all else flat.
func (mon *Monitor) read(addr uint32) byte {
	if addr>>16&0xFFF == 0x777 {
		return mon.target.monitorReadCPU(uint16(addr))
	}
	return mon.target.monitorRead(addr & 0xFFFFFFF)
}

func (mon *Monitor) write(addr uint32, v byte) {
	if addr>>16&0xFFF == 0x777 {
		mon.target.monitorWriteCPU(uint16(addr), v)
		return
	}
	mon.target.monitorWrite(addr&0xFFFFFFF, v)
}

func (mon *Monitor) set(cpuView bool, a *arguments) {
	addr, ok := mon.address(a, 8)
	if !ok {
		return
	}
	if cpuView {
		addr = addr&0xFFFF | 0x7770000
	}
	mon.addr = addr
	for {
		v, n := a.hex()
		if n == 0 {
			return
		}
		if n == 3 {
			mon.complain("Bad fill value")
			return
		}
		mon.write(mon.addr, byte(v))
		mon.addr++
	}
}

// startLoad is 'l START END': from now on bytes are data, until the low word
// of the running address is END. If it is that already there are none.
func (mon *Monitor) startLoad(a *arguments) {
	start, ok := mon.address(a, 8)
	if !ok {
		return
	}
	mon.addr = start
	end, ok := mon.address(a, 4)
	if !ok {
		return
	}
	mon.loadEnd = uint16(end)
	mon.loading = uint16(start) != mon.loadEnd
}

func (mon *Monitor) load(v byte) {
	mon.write(mon.addr, v)
	mon.addr++
	if uint16(mon.addr) == mon.loadEnd {
		mon.loading = false
		mon.prompt()
	}
}

func (mon *Monitor) startFill(a *arguments) {
	start, ok := mon.address(a, 8)
	if !ok {
		return
	}
	mon.addr = start
	end, ok := mon.address(a, 8)
	if !ok {
		return
	}
	v, n := a.hex()
	if n == 0 || n > 2 {
		mon.complain("Bad fill value")
		return
	}
	mon.filling, mon.fillEnd, mon.fillByte = true, end, byte(v)
}

// fill writes what the monitor manages in a byte time.
func (mon *Monitor) fill() {
	for range fillSpeed {
		if mon.addr >= mon.fillEnd {
			mon.filling = false
			mon.prompt()
			return
		}
		mon.write(mon.addr, mon.fillByte)
		mon.addr++
	}
}

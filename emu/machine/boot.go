package machine

import (
	"errors"
	"fmt"

	"ssnail-kit/emu/cpu"
	"ssnail-kit/mega65/hw"
)

const bootName = "AUTOBOOT.C65" // upper-case letters are the same in PETSCII

// Boot does what power-on does: AUTOBOOT.C65 of the disk is loaded and run if
// there is a disk that has one, else the machine stands at a READY prompt. An
// error says what is wrong with the disk (track, sector); the machine then is
// at the prompt all the same.
func (m *Machine) Boot() error {
	m.print("\n    ssnail-kit's emulated mega65\n")
	err := m.autoboot()
	if err != nil || m.cpu.PC == romReady {
		m.print("\nready.\n")
	}
	return err
}

func (m *Machine) autoboot() error {
	if m.floppy.drive[0].image == nil && m.opt.SD != nil {
		m.mountDefault()
	}
	image := m.floppy.drive[0].image
	if image == nil {
		return nil
	}
	prg, err := diskFile(image, bootName)
	if errors.Is(err, errNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("disk: %w", err)
	}
	return m.LoadPRG(prg)
}

// defaultImage is the disk image in the card's root that power-on mounts.
const defaultImage = "MEGA65.D81"

func (m *Machine) mountDefault() {
	list, code := m.sdList()
	if code != 0 {
		return
	}
	for i := range list {
		e := &list[i]
		if e.name != defaultImage || e.isDir {
			continue
		}
		data, code := m.contents(e)
		if code != 0 {
			return
		}
		if err := m.floppy.insert(0, data); err != nil {
			m.warn("%s on the SD card: %s", defaultImage, err.Error())
			return
		}
		m.floppy.drive[0].fromCard = true
	}
}

// LoadPRG puts a program at its load address and starts it: by the SYS of its
// BASIC line at $2001, else at the load address itself.
func (m *Machine) LoadPRG(prg []byte) error {
	if len(prg) < 3 {
		return fmt.Errorf("program of %d bytes: a PRG has its load address and at least one byte", len(prg))
	}
	addr := int(prg[0]) | int(prg[1])<<8
	body := prg[2:]
	if addr+len(body) > 0x10000 {
		return fmt.Errorf("program of %d bytes at $%04X: reaches beyond $FFFF", len(body), addr)
	}
	if addr < 2 {
		return fmt.Errorf("program at $%04X: that is the CPU port", addr)
	}
	m.Poke(uint32(addr), body)
	if addr == hw.BASICStart {
		end := uint16(addr + len(body))
		m.chip[0x82], m.chip[0x83] = byte(end), byte(end>>8)
		return m.run()
	}
	m.sys(uint16(addr))
	return nil
}

// run starts the BASIC line at $2001. The only BASIC that it knows is SYS, with
// REM, BANK and colons before it.
func (m *Machine) run() error {
	const (
		tokenSYS  = 0x9E
		tokenBANK = 0x02 // after $FE
	)
	line := m.chip[hw.BASICStart+4 : hw.BASICStart+4+250]
	bank := 128
	for i := 0; i < len(line) && line[i] != 0; i++ {
		switch {
		case line[i] == 0xFE && line[i+1] == tokenBANK:
			bank, _ = number(line[i+2:])
			i++
		case line[i] == tokenSYS:
			addr, ok := number(line[i+1:])
			if !ok || addr > 0xFFFF {
				return fmt.Errorf("the BASIC line at $2001 has a SYS without an address of 0 to 65535")
			}
			if bank != 0 && bank != 128 {
				return fmt.Errorf("the BASIC line at $2001 says BANK %d: only banks 0 and 128 are emulated", bank)
			}
			m.sys(uint16(addr))
			return nil
		}
	}
	return errors.New("the BASIC line at $2001 has no SYS: the emulated machine has no BASIC that could run it")
}

// number reads a decimal number, or a hexadecimal one behind '$'.
func number(text []byte) (n int, ok bool) {
	base := 10
	for _, c := range text {
		d := -1
		switch {
		case c == ' ' && !ok:
			continue
		case c == '$' && !ok:
			base = 16
			continue
		case '0' <= c && c <= '9':
			d = int(c - '0')
		case base == 16 && 'A' <= c && c <= 'F':
			d = int(c-'A') + 10
		}
		if d < 0 || n > 1<<20 {
			break
		}
		n, ok = n*base+d, true
	}
	return n, ok
}

// sys jumps to a machine language program whose RTS returns to the prompt.
func (m *Machine) sys(addr uint16) {
	c := &m.cpu
	c.A, c.X, c.Y, c.Z, c.B = 0, 0, 0, 0, 0
	c.P = cpu.FlagE
	c.SP = 0x01F8
	ret := uint16(romReturn - 1)
	m.chip[0x1F9], m.chip[0x1FA] = byte(ret), byte(ret>>8)
	c.PC = addr
	m.kernal.atReady = false
}

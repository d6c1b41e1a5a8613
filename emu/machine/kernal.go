package machine

import (
	"fmt"

	"ssnail-kit/emu/cpu"
	"ssnail-kit/mega65/hw"
)

// The KERNAL's keyboard buffer, where push tools put keys, too.
const (
	keyCount  = 0xD0
	keyBuffer = 0x2B0
	keyRoom   = 10
)

// kernal is the state of our KERNAL and READY prompt.
type kernal struct {
	x, y    int  // cursor
	colour  byte // foreground
	reverse bool
	line    []byte // typed at the prompt
	atReady bool

	bank, nameBank    byte
	lfn, device, sa   byte
	name              []byte
	files             map[byte]*openFile
	input, output     byte // logical file, 0 keyboard and screen
	status            byte
	message           string // of the drive, for the command channel
	pendingInput      []byte // a line taken by CHRIN
	deliveringPending bool
}

// buffered is how many keys wait in the KERNAL's own buffer.
func (k *kernal) buffered(m *Machine) int {
	if k.atReady {
		return min(int(m.chip[keyCount]), keyRoom)
	}
	return 0
}

// hook is a store from ROM code to the hook page: routine n is called. Carry and
// registers are the CPU's own.
func (m *Machine) hook(n int) {
	c := &m.cpu
	k := &m.kernal
	k.atReady = n == hookReady || n == hookIRQ && k.atReady
	ok := func() { c.P &^= cpu.FlagC }
	fail := func(code byte) { c.P |= cpu.FlagC; c.A = code }
	result := func(code byte) {
		if code != 0 {
			fail(code)
		} else {
			ok()
		}
	}
	switch n {
	case hookReady:
		m.prompt()
	case hookReturn:
		m.print("\nready.\n")
	case hookIRQ:
		m.interrupt()
	case hookUnknown:
		at := uint16(m.cpu.Peek(c.SP+1)) | uint16(m.cpu.Peek(c.SP+2))<<8
		m.warn("KERNAL routine $%04X, called from $%04X: does nothing here",
			uint16(m.cpu.Peek(at-1))|uint16(m.cpu.Peek(at))<<8, at-2)
	case hookCHROUT:
		if k.output == 0 {
			m.chrout(c.A)
		}
		ok()
	case hookGETIN:
		if k.input != 0 {
			c.A = m.readFile(k.input)
		} else {
			c.A = m.getKey()
		}
		m.setNZ(c.A)
		ok()
	case hookCHRIN:
		m.chrin()
	case hookPRIMM:
		m.primm()
	case hookSETBNK:
		k.bank, k.nameBank = c.A, c.X
	case hookSETLFS:
		k.lfn, k.device, k.sa = c.A, c.X, c.Y
	case hookSETNAM:
		m.setName()
	case hookOPEN:
		result(m.openFile())
	case hookCLOSE:
		delete(k.files, c.A)
		ok()
	case hookCHKIN:
		result(m.setInput(c.X))
	case hookCKOUT:
		result(m.setOutput(c.X))
	case hookCLRCH:
		k.input, k.output = 0, 0
	case hookLOAD:
		result(m.loadFile())
	case hookSAVE:
		m.warn("KERNAL SAVE: not written, error 9 returned")
		fail(9)
	case hookREADSS:
		c.A = k.status
		m.setNZ(c.A)
	case hookCLOSEALL:
		clear(k.files)
		k.input, k.output = 0, 0
	case hookSTOP:
		c.P &^= cpu.FlagZ
		for _, v := range m.keys.virtual {
			if v == 63 {
				c.P |= cpu.FlagZ
			}
		}
	case hookPLOT:
		if c.P&cpu.FlagC != 0 {
			c.X, c.Y = byte(k.y), byte(k.x)
		} else {
			k.y, k.x = int(c.X)%m.textRows(), int(c.Y)%m.textCols()
		}
	case hookBreak, hookNothing:
	}
}

func (m *Machine) setNZ(v byte) {
	m.cpu.P &^= cpu.FlagN | cpu.FlagZ
	m.cpu.P |= v & cpu.FlagN
	if v == 0 {
		m.cpu.P |= cpu.FlagZ
	}
}

// interrupt is the KERNAL's: acknowledge, move a key from the hardware's queue
// to the buffer. A BRK ends up here, too.
func (m *Machine) interrupt() {
	sp := m.cpu.SP
	if p := m.cpu.Peek(sp + 5); p&cpu.FlagB != 0 {
		pc := uint16(m.cpu.Peek(sp+6)) | uint16(m.cpu.Peek(sp+7))<<8
		m.warn("BRK at $%04X: back to READY", pc-2)
		m.toPrompt(fmt.Sprintf("\nbreak at $%04x\n\nready.\n", pc-2))
		return
	}
	m.vic.irq = 0
	m.readCIA(0, 13)
	m.updateIRQ()
	if n := m.chip[keyCount]; len(m.keys.queue) > 0 && n < keyRoom {
		m.chip[keyBuffer+int(n)] = m.keys.head().ascii
		m.chip[keyCount] = n + 1
		m.keys.pop()
	}
}

// toPrompt leaves whatever runs and prints a message at the READY prompt.
func (m *Machine) toPrompt(text string) {
	m.cpu.MapLo = cpu.Map{}
	m.cpu.MapHi = cpu.Map{Offset: 0x300, Blocks: 8}
	m.MapChanged()
	m.cpu.B, m.cpu.Z = 0, 0
	m.cpu.SP = 0x01FB
	m.cpu.P = cpu.FlagE
	m.cpu.PC = romReady
	m.print(text)
}

// getKey takes a key from the KERNAL's buffer, 0 if there is none.
func (m *Machine) getKey() byte {
	n := min(m.chip[keyCount], keyRoom)
	if n == 0 {
		m.idle.poll(m.now())
		m.keys.wanted = true
		return 0
	}
	v := m.chip[keyBuffer]
	copy(m.chip[keyBuffer:keyBuffer+int(n)-1], m.chip[keyBuffer+1:])
	m.chip[keyCount] = n - 1
	return eventFor(v).petscii
}

// again makes the CPU come back to this hook: it waits.
func (m *Machine) again() { m.cpu.PC -= 3 }

// chrin takes a line from the keyboard, echoing it, and hands it out a byte a
// call; or a byte of the file that CHKIN chose.
func (m *Machine) chrin() {
	k := &m.kernal
	c := &m.cpu
	c.P &^= cpu.FlagC
	if k.input != 0 {
		c.A = m.readFile(k.input)
		return
	}
	if k.deliveringPending {
		c.A = k.pendingInput[0]
		k.pendingInput = k.pendingInput[1:]
		k.deliveringPending = len(k.pendingInput) > 0
		return
	}
	v := m.getKey()
	switch {
	case v == 0:
	case v == hw.KeyReturn:
		k.pendingInput = append(k.pendingInput, v)
		k.deliveringPending = true
	case v == hw.KeyDel:
		if len(k.pendingInput) > 0 {
			k.pendingInput = k.pendingInput[:len(k.pendingInput)-1]
			m.chrout(v)
		}
	case len(k.pendingInput) < 160:
		k.pendingInput = append(k.pendingInput, v)
		m.chrout(v)
	}
	m.again()
}

// primm prints the text behind the JSR, up to a NUL.
func (m *Machine) primm() {
	c := &m.cpu
	at := uint16(c.Peek(c.SP+1)) | uint16(c.Peek(c.SP+2))<<8
	for range 256 {
		at++
		v := c.Peek(at)
		if v == 0 {
			break
		}
		m.chrout(v)
	}
	c.Poke(c.SP+1, byte(at))
	c.Poke(c.SP+2, byte(at>>8))
}

// setName takes the name of SETNAM from the name bank.
func (m *Machine) setName() {
	k := &m.kernal
	addr := uint32(m.cpu.X) | uint32(m.cpu.Y)<<8 | uint32(k.nameBank&0x0F)<<16
	k.name = k.name[:0]
	for i := range uint32(m.cpu.A) {
		k.name = append(k.name, m.readPhys(addr+i))
	}
}

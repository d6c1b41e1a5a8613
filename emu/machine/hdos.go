package machine

import (
	"strings"

	"ssnail-kit/emu/cpu"
	"ssnail-kit/mega65/hw"
	"ssnail-kit/mega65/isa"
)

// Hyppo's disk operating system over a host folder: the traps at $D640 with the
// flags, registers and side effects that programs meet on a board.

// HDOS error codes.
const (
	hdosAddress     = 0x10
	hdosReadError   = 0x20
	hdosNoDrive     = 0x80
	hdosNameLong    = 0x81
	hdosNotWritten  = 0x82
	hdosFileLong    = 0x83
	hdosTooMany     = 0x84
	hdosCluster     = 0x85 // beyond the last cluster: how a directory ends
	hdosIsDir       = 0x86
	hdosNotDir      = 0x87
	hdosNotFound    = 0x88
	hdosDescriptor  = 0x89
	hdosImageLength = 0x8A
	hdosEOF         = 0xFF
)

// sdTicks is what a sector from the card takes, trap included: 0.3 ms.
const sdTicks = hw.ClockHz / 10000 * 3

const hdosDescriptors = 4

// hdos is its state.
type hdos struct {
	name  string // of setname, upper case
	dir   string // current directory, "." is the root
	found *sdEntry
	fds   [hdosDescriptors]*descriptor
	// HDOS reads one file at a time: whichever was opened last.
	reading  *descriptor
	err      byte
	transfer byte
}

// descriptor is an open file or directory.
type descriptor struct {
	data    []byte    // file: what remains
	entries []sdEntry // directory: what remains
	isDir   bool
}

func (h *hdos) reset() { *h = hdos{dir: "."} }

// hypervisor is a store to $D640 + table.
func (m *Machine) hypervisor(table uint32, v byte) {
	c := &m.cpu
	m.idle.work()
	m.checkAfterTrap()
	m.sd.mapped = false // every return from a trap unmaps the sector buffer
	switch table {
	case 0x00:
		if code, ok := m.hdosCall(c.A & 0x7E); ok {
			c.P |= cpu.FlagC
		} else {
			c.P &^= cpu.FlagC
			c.A = code
		}
	case 0x01:
		switch c.A & 0x7E {
		case 0x00:
			m.protectROM(true)
		case 0x02:
			m.protectROM(false)
		default:
			m.warn("hypervisor trap $D641 function $%02X: does nothing", c.A)
		}
		c.P |= cpu.FlagC
	case 0x03:
		m.serialOut(c.A)
		c.P |= cpu.FlagC
	default:
		m.warn("hypervisor trap $D%03X: does nothing", 0x640+table)
	}
}

// checkAfterTrap warns of a byte behind a trap that must not be skipped: on a
// board the CPU may or may not execute it.
func (m *Machine) checkAfterTrap() {
	const clv, eom = 0xB8, 0xEA
	pc := m.cpu.PC
	b := m.cpu.Peek(pc)
	if b == clv || b == eom {
		return
	}
	if op := isa.Table()[b]; op.Bytes != 1 {
		m.warn("the byte behind the hypervisor trap before $%04X is no one-byte instruction: a board may skip it, put CLV there", pc)
	}
}

func (m *Machine) protectROM(on bool) {
	if m.romWritable == on {
		m.romWritable = !on
		m.MapChanged()
	}
}

func (m *Machine) serialOut(v byte) {
	if m.opt.Serial != nil {
		m.opt.Serial.Write([]byte{v})
	}
}

// hdosCall does function fn. When it fails the code goes to A and becomes the
// last error.
func (m *Machine) hdosCall(fn byte) (code byte, ok bool) {
	c := &m.cpu
	h := &m.hdos
	fail := func(code byte) (byte, bool) {
		h.err = code
		return code, false
	}
	result := func(code byte) (byte, bool) {
		if code != 0 {
			return fail(code)
		}
		return 0, true
	}
	switch fn {
	case 0x00:
		c.A, c.X, c.Y, c.Z = 1, 2, 1, 2
	case 0x02, 0x04:
		c.A = 0
	case 0x06:
		if c.X != 0 || m.opt.SD == nil {
			return fail(hdosNoDrive)
		}
	case 0x0C:
		return result(m.sdChdir())
	case 0x12:
		return result(m.sdOpendir())
	case 0x14:
		return m.sdReaddir(fail)
	case 0x16, 0x20:
		return result(h.close(c.X))
	case 0x18:
		return result(m.sdOpen())
	case 0x1A:
		return m.sdRead()
	case 0x1E:
		return fail(hdosNotWritten)
	case 0x22:
		h.fds = [hdosDescriptors]*descriptor{}
	case 0x2E:
		return result(m.sdSetname())
	case 0x30:
		return result(m.sdFindfirst())
	case 0x32:
		return result(m.sdFindnext())
	case 0x34:
		return result(m.sdFindfile())
	case 0x36:
		return result(m.sdLoad(0))
	case 0x3E:
		return result(m.sdLoad(hw.AtticStart))
	case 0x38:
		c.A = h.err
	case 0x3A:
		if !userPage(c.Y) {
			return fail(hdosAddress)
		}
		h.transfer = c.Y
	case 0x3C:
		if c.X != 0 || m.opt.SD == nil {
			return fail(hdosNoDrive)
		}
		h.dir = "."
	case 0x40:
		return result(m.sdAttach(0))
	case 0x46:
		return result(m.sdAttach(1))
	case 0x42:
		m.floppy.drive = [2]drive{}
	case 0x44:
		for i := range m.floppy.drive {
			m.floppy.drive[i].writeProtected = false
		}
	case 0x70:
		m.protectROM(m.romWritable)
	case 0x74, 0x76:
		return result(m.mapState(fn == 0x76))
	case 0x7C:
		m.serialOut(c.Y)
	default:
		if fn != 0x1C && fn != 0x26 && fn != 0x4A { // these exist in a later HDOS only
			m.warn("HDOS function $%02X: not emulated, fails as an unknown one", fn)
		}
		return fail(hdosEOF)
	}
	return 0, true
}

// userPage tells whether a buffer may lie in a page: below $7F00.
func userPage(y byte) bool { return y < 0x7F }

func (h *hdos) close(fd byte) byte {
	if fd >= hdosDescriptors || h.fds[fd] == nil {
		return hdosDescriptor
	}
	h.fds[fd] = nil
	return 0
}

// open finds a free descriptor.
func (h *hdos) open(d *descriptor) (fd byte, code byte) {
	for i := range h.fds {
		if h.fds[i] == nil {
			h.fds[i] = d
			return byte(i), 0
		}
	}
	return 0, hdosTooMany
}

// sdSetname takes the NUL-terminated name in page Y.
func (m *Machine) sdSetname() byte {
	if !userPage(m.cpu.Y) {
		return hdosAddress
	}
	var name []byte
	for i := range uint16(64) {
		v := m.cpu.Peek(uint16(m.cpu.Y)<<8 + i)
		if v == 0 {
			m.hdos.name = strings.ToUpper(string(name))
			if strings.ContainsAny(m.hdos.name, "/\\") {
				m.warn("HDOS setname %q: HDOS parses no paths, this name never matches", m.hdos.name)
			}
			return 0
		}
		name = append(name, v)
	}
	return hdosNameLong
}

// sdRead fills the sector buffer with the next 512 bytes of the file that was
// opened last; the descriptor in X is ignored.
func (m *Machine) sdRead() (code byte, ok bool) {
	c := &m.cpu
	h := &m.hdos
	d := h.reading
	if d == nil {
		h.err = hdosDescriptor
		return hdosDescriptor, false
	}
	n := min(len(d.data), sectorSize)
	c.X, c.Y = byte(n), byte(n>>8)
	if n == 0 {
		return 0, false // the end: C clear, A = 0
	}
	copy(m.sd.buffer[:], d.data[:n])
	clear(m.sd.buffer[n:]) // the whole sector is read, not only the file's part
	d.data = d.data[n:]
	m.sectorRead()
	return 0, true
}

// sectorRead is what every trap that reads the card costs and clobbers.
func (m *Machine) sectorRead() {
	m.stats.SDSectors++
	m.stall(sdTicks)
	if m.vic.reg[0x30]&1 != 0 {
		m.vic.reg[0x30] &^= 1
		m.MapChanged()
	}
}

// mapState writes the MAP registers to page Y, or sets them from there: offset
// and blocks of both halves, then their megabytes.
func (m *Machine) mapState(set bool) byte {
	c := &m.cpu
	if !userPage(c.Y) {
		return hdosAddress
	}
	at := uint16(c.Y) << 8
	half := func(p *cpu.Map, i uint16, mb uint16) {
		if set {
			v := uint16(c.Peek(at+i)) | uint16(c.Peek(at+i+1))<<8
			*p = cpu.Map{Offset: v & 0xFFF, Blocks: byte(v >> 12), MB: c.Peek(at + mb)}
			return
		}
		c.Poke(at+i, byte(p.Offset))
		c.Poke(at+i+1, byte(p.Offset>>8)|p.Blocks<<4)
		c.Poke(at+mb, p.MB)
	}
	lo, hi := c.MapLo, c.MapHi
	half(&lo, 0, 4)
	half(&hi, 2, 5)
	if set {
		c.MapLo, c.MapHi = lo, hi
		m.MapChanged()
	}
	return 0
}

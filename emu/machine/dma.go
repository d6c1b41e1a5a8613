package machine

// dma is the DMAgic: its registers and the job list in progress. A job may
// take longer than a slice; the CPU stands still until the list is done.
type dma struct {
	addr        uint32 // list address, 28 bits
	revisionB   bool   // $D703 bit 0: F018B lists unless the list says otherwise
	noWrap      bool   // $D703 bit 1
	active      bool
	mapped      bool // the list is read through the CPU's map
	inline      bool // ... and lies at PC
	enhanced    bool // the list has options
	opt         dmaOptions
	job         dmaJob
	transferred bool // job holds a job whose bytes remain
}

// dmaOptions last from one job of a chain to the next.
type dmaOptions struct {
	revisionB        bool
	crossMB          bool
	transparent      bool
	transparentValue byte
	srcMB, dstMB     byte
	srcStep, dstStep uint16 // in 1/256 byte
	unknown          bool   // a mode that is not emulated was asked for
}

// dmaJob is one copy or fill. Addresses are in 1/256 byte: 28 bits and 8.
type dmaJob struct {
	fill, chain      bool
	value            byte
	left             uint32
	src, dst         uint64
	srcStep, dstStep uint64 // two's complement; 0 holds the address
	srcIO, dstIO     bool
	// The copier reads a byte ahead of the one that it writes.
	ahead    byte
	hasAhead bool
}

const (
	dmaAddrMask = 1<<36 - 1
	dmaMB       = 1 << 28 // one megabyte
)

// writeDMA stores into $D700-$D70E.
func (m *Machine) writeDMA(r uint32, v byte) {
	d := &m.dma
	switch r {
	case 0x00:
		d.addr = d.addr&0x7FFF00 | uint32(v)
		m.startDMA(false, false, false)
	case 0x01:
		d.addr = d.addr&^0xFF00 | uint32(v)<<8
	case 0x02:
		d.addr = d.addr&0xFFFF | uint32(v&0x7F)<<16
	case 0x03:
		d.revisionB, d.noWrap = v&1 != 0, v&2 != 0
	case 0x04:
		d.addr = d.addr&0xFFFFF | uint32(v)<<20
	case 0x05, 0x06:
		d.addr = d.addr&^0xFF | uint32(v)
		m.startDMA(true, r == 0x06, false)
	case 0x07:
		d.addr = d.addr&^0xFFFF | uint32(m.cpu.PC)
		m.startDMA(true, true, true)
	case 0x0E:
		d.addr = d.addr&^0xFF | uint32(v)
	}
}

func (m *Machine) readDMA(r uint32) byte {
	d := &m.dma
	switch r {
	case 0x00, 0x05:
		return byte(d.addr)
	case 0x01:
		return byte(d.addr >> 8)
	case 0x02:
		return byte(d.addr >> 16 & 0x7F)
	case 0x03:
		var v byte
		if d.revisionB {
			v |= 1
		}
		if d.noWrap {
			v |= 2
		}
		return v
	case 0x04:
		return byte(d.addr >> 20)
	}
	return 0
}

func (m *Machine) startDMA(enhanced, mapped, inline bool) {
	d := &m.dma
	d.active, d.enhanced, d.mapped, d.inline = true, enhanced, mapped, inline
	d.transferred = false
	d.opt = dmaOptions{revisionB: d.revisionB, srcStep: 0x100, dstStep: 0x100}
	m.runDMA()
	if d.active {
		m.cpu.Stop()
	}
}

// runDMA works on the job list until it is done or the slice ends.
func (m *Machine) runDMA() {
	d := &m.dma
	for d.active && m.now() < m.sliceEnd {
		if !d.transferred {
			d.job = m.readJob()
			d.transferred = true
			continue
		}
		m.transfer(&d.job)
		if d.job.left > 0 {
			continue
		}
		d.transferred = false
		if d.job.chain {
			continue
		}
		d.active = false
		if d.inline {
			m.cpu.PC = uint16(d.addr)
		}
	}
}

// listByte reads the next byte of the job list.
func (m *Machine) listByte() byte {
	d := &m.dma
	m.stall(1)
	a := d.addr
	if d.mapped {
		d.addr = a&^0xFFFF | uint32(uint16(a+1))
		return m.cpu.Peek(uint16(a))
	}
	d.addr = (a + 1) & 0xFFFFFFF
	return m.readPhys(a)
}

// readOptions reads the option list in front of an enhanced job.
func (m *Machine) readOptions() {
	o := &m.dma.opt
	for range 256 { // an option list without end would be data
		id := m.listByte()
		if id < 0x80 {
			switch id {
			case 0x00:
				return
			case 0x01:
				o.crossMB = true
			case 0x06:
				o.transparent = false
			case 0x07:
				o.transparent = true
			case 0x0A:
				o.revisionB = false
			case 0x0B:
				o.revisionB = true
			case 0x0D, 0x0E, 0x0F, 0x10, 0x53:
				o.unknown = true
				m.warn("DMA option $%02X: the job is left out", id)
			}
			continue
		}
		v := m.listByte()
		switch id {
		case 0x80:
			o.srcMB = v
		case 0x81:
			o.dstMB = v
		case 0x82:
			o.srcStep = o.srcStep&0xFF00 | uint16(v)
		case 0x83:
			o.srcStep = o.srcStep&0xFF | uint16(v)<<8
		case 0x84:
			o.dstStep = o.dstStep&0xFF00 | uint16(v)
		case 0x85:
			o.dstStep = o.dstStep&0xFF | uint16(v)<<8
		case 0x86:
			o.transparentValue = v
		case 0x90:
			m.dma.job.left = uint32(v) << 16 // length bits 16-23 of the job to come
		case 0x8F, 0x9F:
			if v&0x80 != 0 {
				o.unknown = true
				m.warn("DMA line drawing (option $%02X): the job is left out", id)
			}
		}
	}
	m.warn("a DMA option list of more than 256 options")
}

// readJob reads options and job at the list address.
func (m *Machine) readJob() dmaJob {
	d := &m.dma
	d.job = dmaJob{}
	if d.enhanced {
		m.readOptions()
	}
	high := d.job.left
	o := &d.opt
	n := 11
	if o.revisionB {
		n = 12
	}
	var l [12]byte
	for i := range n {
		l[i] = m.listByte()
	}
	cmd, srcBank, dstBank := l[0], l[5], l[8]
	j := dmaJob{fill: cmd&3 == 3, chain: cmd&4 != 0, value: l[3]}
	j.left = high | uint32(l[2])<<8 | uint32(l[1])
	if j.left == 0 {
		j.left = 0x10000
	}
	srcMB, dstMB := uint64(o.srcMB), uint64(o.dstMB)
	var srcHold, srcDown, dstHold, dstDown, modulo bool
	if o.revisionB {
		srcMB += uint64(srcBank >> 4 & 7)
		dstMB += uint64(dstBank >> 4 & 7)
		srcDown, dstDown = cmd&0x10 != 0, cmd&0x20 != 0
		srcHold, dstHold = l[9]&2 != 0, l[9]&8 != 0
		modulo = l[9]&5 != 0
	} else {
		srcDown, dstDown = srcBank&0x40 != 0, dstBank&0x40 != 0
		srcHold, dstHold = srcBank&0x10 != 0, dstBank&0x10 != 0
		modulo = (srcBank|dstBank)&0x20 != 0
	}
	if modulo {
		m.warn("DMA modulo: has no effect, as on the board")
	}
	if cmd&3 == 1 || cmd&3 == 2 {
		m.warn("DMA mix and swap: the list ends there, as on the board")
		return dmaJob{}
	}
	if o.unknown {
		return dmaJob{chain: j.chain}
	}
	j.src = (srcMB&0xFF)<<28 | uint64(srcBank&15)<<24 | uint64(l[4])<<16 | uint64(l[3])<<8
	j.dst = (dstMB&0xFF)<<28 | uint64(dstBank&15)<<24 | uint64(l[7])<<16 | uint64(l[6])<<8
	j.srcIO, j.dstIO = srcBank&0x80 != 0, dstBank&0x80 != 0
	j.srcStep = step(o.srcStep, srcHold, srcDown)
	j.dstStep = step(o.dstStep, dstHold, dstDown)
	return j
}

func step(s uint16, hold, down bool) uint64 {
	switch {
	case hold:
		return 0
	case down:
		return -uint64(s)
	}
	return uint64(s)
}

// next advances an address; it stays in its megabyte unless that was lifted.
func (m *Machine) next(a, step uint64) uint64 {
	n := (a + step) & dmaAddrMask
	if !m.dma.opt.crossMB && !m.dma.noWrap {
		n = a&^(dmaMB-1) | n&(dmaMB-1)
	}
	return n
}

// physical is the 28-bit address of a job's address: with the I/O bit $D000 of
// bank 0 is the I/O area.
func (m *Machine) physical(a uint64, io bool) uint32 {
	p := uint32(a >> 8)
	if io && p>>12 == 0xD {
		return m.ioBase() | p&0xFFF
	}
	return p
}

package machine

// Ticks a byte takes: 40.5 MB/s for a fill, half of that for a copy. Copies to
// and from attic RAM are slower on a board by an amount that is not documented.
const (
	fillTicks = 1
	copyTicks = 2
)

// transfer moves bytes of a job until the slice ends or the job does.
func (m *Machine) transfer(j *dmaJob) {
	for j.left > 0 {
		t := m.now()
		if t >= m.sliceEnd {
			return
		}
		ticks := uint64(copyTicks)
		if j.fill {
			ticks = fillTicks
		}
		n := min(uint64(j.left), (m.sliceEnd-t+ticks-1)/ticks)
		n = m.bulk(j, n)
		if n == 0 {
			m.one(j)
			n = 1
		}
		j.left -= uint32(n)
		m.stats.DMABytes += n
		m.stall(n * ticks)
	}
}

// one moves a single byte.
func (m *Machine) one(j *dmaJob) {
	if j.fill {
		m.writeDMAByte(j, j.value)
		return
	}
	if !j.hasAhead {
		j.ahead, j.hasAhead = m.readDMAByte(j), true
	}
	v := j.ahead
	j.ahead = m.readDMAByte(j) // also behind the last byte, as on the board
	m.writeDMAByte(j, v)
}

func (m *Machine) readDMAByte(j *dmaJob) byte {
	v := m.readPhys(m.physical(j.src, j.srcIO))
	j.src = m.next(j.src, j.srcStep)
	return v
}

func (m *Machine) writeDMAByte(j *dmaJob, v byte) {
	if o := &m.dma.opt; !o.transparent || v != o.transparentValue {
		m.writePhys(m.physical(j.dst, j.dstIO), v)
	}
	j.dst = m.next(j.dst, j.dstStep)
}

// bulk moves up to n bytes at once where that is the same as one by one, and
// returns how many; 0 if it is not.
func (m *Machine) bulk(j *dmaJob, n uint64) uint64 {
	if m.dma.opt.transparent || m.stale != nil {
		return 0
	}
	if m.isLoadPort(j) {
		return m.bulkLoad(j, n)
	}
	dst := m.plain(j.dst, j.dstStep, j.dstIO, true)
	n = min(n, uint64(len(dst)))
	if n < 16 {
		return 0
	}
	if j.fill {
		fillBytes(dst[:n], j.value)
		j.dst = m.next(j.dst, n<<8)
		return n
	}
	if j.hasAhead {
		return 0
	}
	src := m.plain(j.src, j.srcStep, j.srcIO, false)
	n = min(n, uint64(len(src)))
	if n < 16 {
		return 0
	}
	// The byte read ahead makes a shift by one harmless; a longer one forward
	// repeats what it has written.
	if j.dst > j.src+1<<8 && j.dst < j.src+n<<8 {
		return 0
	}
	if aliased(j.src, n) || aliased(j.dst, n) {
		return 0
	}
	copy(dst[:n], src[:n])
	j.src = m.next(j.src, n<<8)
	j.dst = m.next(j.dst, n<<8)
	return n
}

// aliased tells whether the bytes are colour RAM, which has two addresses.
func aliased(a, n uint64) bool {
	p := a >> 8
	return p < 0x20000 && p+n > colourAlias || p >= 0xFF80000
}

func fillBytes(b []byte, v byte) {
	if v == 0 {
		clear(b)
		return
	}
	b[0] = v
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// plain returns the memory from an address that advances by whole bytes, to the
// end of its region or megabyte.
func (m *Machine) plain(a, step uint64, io, write bool) []byte {
	if step != 0x100 || a&0xFF != 0 {
		return nil
	}
	p := uint32(a >> 8)
	if io && p < 0x10000 || p < 2 {
		return nil
	}
	var s []byte
	if write {
		s = m.writable(p)
	} else {
		s = m.readable(p)
	}
	return s[:min(len(s), int(0x100000-p&0xFFFFF))]
}

// isLoadPort tells whether a job stores into SSNAIL's load port.
func (m *Machine) isLoadPort(j *dmaJob) bool {
	return j.dstStep == 0 && !j.fill && !m.opt.NoSSNAIL && j.dst>>8 == loadDataAddr
}

// bulkLoad feeds the load port from plain memory, each byte at its time.
func (m *Machine) bulkLoad(j *dmaJob, n uint64) uint64 {
	if j.hasAhead {
		return 0
	}
	src := m.plain(j.src, j.srcStep, j.srcIO, false)
	if src == nil && j.srcStep == 0x100 && j.src&0xFF == 0 {
		src = m.sectorWindow(uint32(j.src >> 8))
	}
	n = min(n, uint64(len(src)))
	m.ssn.load(src[:n], m.now())
	j.src = m.next(j.src, n<<8)
	return n
}

// sectorWindow is the sector buffer from an address in $FFD6000-$FFD6FFF to the
// end of the copy that the address is in; nil for other addresses.
func (m *Machine) sectorWindow(p uint32) []byte {
	if p>>12 != 0xFFD6 {
		return nil
	}
	return m.sectorBuffer()[p&0x1FF:]
}

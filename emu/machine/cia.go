package machine

// ciaTicks is how many ticks a CIA timer counts as one: 40.5 MHz / 41 is about
// the 985 kHz of a PAL machine.
const ciaTicks = 41

// cia is a 6526 as far as programs of text use it: the two timers, their
// interrupts, the ports. Serial shift and alarm do nothing.
type cia struct {
	reg    [16]byte
	timer  [2]ciaTimer
	flags  byte // interrupt data, bits 0 and 1
	enable byte
}

// ciaTimer is computed when somebody looks: it ran since tick start, from value.
type ciaTimer struct {
	latch   uint16
	value   uint16
	start   uint64
	control byte
}

func (t *ciaTimer) running() bool { return t.control&1 != 0 }

// count is the counter at tick now.
func (t *ciaTimer) count(now uint64) uint16 {
	if !t.running() {
		return t.value
	}
	n := (now - t.start) / ciaTicks
	if n <= uint64(t.value) {
		return t.value - uint16(n)
	}
	return t.latch - uint16((n-uint64(t.value)-1)%(uint64(t.latch)+1))
}

// pass lets time pass to now and reports whether the timer ran out.
func (t *ciaTimer) pass(now uint64) bool {
	if !t.running() {
		return false
	}
	n := (now - t.start) / ciaTicks
	if n <= uint64(t.value) {
		return false
	}
	v := t.count(now)
	t.start += n * ciaTicks
	t.value = v
	if t.control&8 != 0 { // one shot
		t.control &^= 1
		t.value = t.latch
	}
	return true
}

func (c *cia) pending() bool { return c.flags&c.enable&0x1F != 0 }

// port is what the pins of port p (0 A, 1 B) show: inputs are pulled up.
func (c *cia) port(p int) byte { return c.reg[p] | ^c.reg[2+p] }

// timers lets the time-driven devices catch up with tick t.
func (m *Machine) timers(t uint64) {
	m.rasterIRQ(t)
	for i := range m.cia {
		m.cia[i].pass(t)
	}
	if c := &m.cia[1]; c.pending() && !m.nmiLevel {
		m.nmiLevel = true
		m.cpu.NMI()
	}
}

func (c *cia) pass(t uint64) {
	for i := range c.timer {
		if c.timer[i].control&0x60 != 0 && i == 1 || c.timer[i].control&0x20 != 0 {
			continue // counts something else than the clock
		}
		if c.timer[i].pass(t) {
			c.flags |= 1 << i
		}
	}
}

func (m *Machine) readCIA(n int, r uint32) byte {
	c := &m.cia[n]
	r &= 15
	switch r {
	case 0, 1:
		v := c.port(int(r))
		if n == 0 {
			m.idle.poll(m.now())
			v &= m.keys.matrix(int(r), c.port(1-int(r)))
		}
		return v
	case 4, 6:
		m.idle.look(m.now())
		return byte(c.timer[(r-4)/2].count(m.now()))
	case 5, 7:
		return byte(c.timer[(r-4)/2].count(m.now()) >> 8)
	case 8, 9, 10, 11:
		return m.timeOfDay(r)
	case 13:
		c.pass(m.now())
		v := c.flags
		if c.pending() {
			v |= 0x80
		}
		c.flags = 0
		if n == 1 {
			m.nmiLevel = false
		}
		m.updateIRQ()
		return v
	case 14, 15:
		c.pass(m.now())
		return c.timer[r-14].control
	}
	return c.reg[r]
}

func (m *Machine) writeCIA(n int, r uint32, v byte) {
	c := &m.cia[n]
	r &= 15
	t := m.now()
	c.pass(t)
	c.reg[r] = v
	switch r {
	case 0, 2:
		if n == 1 && m.vic.reg[0x5D]&0x80 != 0 {
			m.vic.hotRegisters(m.vicBank())
		}
	case 4, 6:
		tm := &c.timer[(r-4)/2]
		tm.latch = tm.latch&0xFF00 | uint16(v)
	case 5, 7:
		tm := &c.timer[(r-4)/2]
		tm.latch = tm.latch&0xFF | uint16(v)<<8
		if !tm.running() {
			tm.value = tm.latch
		}
	case 13:
		if v&0x80 != 0 {
			c.enable |= v & 0x1F
		} else {
			c.enable &^= v & 0x1F
		}
		m.updateIRQ()
	case 14, 15:
		tm := &c.timer[r-14]
		tm.value = tm.count(t)
		if v&0x10 != 0 {
			tm.value = tm.latch
		}
		tm.start = t
		tm.control = v &^ 0x10
		if v&1 != 0 && (v&0x20 != 0 || r == 15 && v&0x60 != 0) {
			m.warn("CIA timers that count anything but the clock: they stand still")
		}
	}
}

// timeOfDay counts from the machine's start, in BCD; setting it does nothing.
func (m *Machine) timeOfDay(r uint32) byte {
	tenths := uint64(m.Time().Milliseconds() / 100)
	bcd := func(n uint64) byte { return byte(n/10<<4 | n%10) }
	switch r {
	case 8:
		return byte(tenths % 10)
	case 9:
		return bcd(tenths / 10 % 60)
	case 10:
		return bcd(tenths / 600 % 60)
	}
	return bcd(tenths / 36000 % 12)
}

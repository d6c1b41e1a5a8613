package cpu

import "testing"

// lineCPU is a CPU with a program at $2000 and handlers that only return:
// IRQ at $3000, NMI at $3100.
func lineCPU(program ...byte) (*CPU, *flatBus) {
	c, b := newFlat(true)
	copy(b.ram[0x2000:], program)
	b.ram[0x3000], b.ram[0x3100] = 0x40, 0x40 // rti
	copy(b.ram[0xFFFA:], []byte{0x00, 0x31, 0x00, 0x20, 0x00, 0x30})
	c.PC, c.SP, c.P = 0x2000, 0x01FF, FlagE
	return c, b
}

// enters lists the PCs at which the handlers were entered from, running until
// PC is end.
func enters(t *testing.T, c *CPU, end uint16, handlers ...uint16) []uint16 {
	t.Helper()
	var from []uint16
	last := c.PC
	c.RunHooked(c.Cycles+1000, func(c *CPU) {
		for _, h := range handlers {
			if c.PC == h {
				from = append(from, uint16(c.Peek(c.SP+2))|uint16(c.Peek(c.SP+3))<<8)
				c.SetIRQ(false)
			}
		}
		if c.PC == end {
			c.Stop()
		}
		last = c.PC
	})
	if last != end {
		t.Fatalf("stopped at %04X, want %04X", last, end)
	}
	return from
}

func TestIRQ(t *testing.T) {
	c, b := lineCPU(0x78, 0xE8, 0x58, 0xE8, 0xE8) // sei inx cli inx inx
	c.P |= FlagI | FlagD | FlagC
	c.SetIRQ(true)
	if from := enters(t, c, 0x2005, 0x3000); len(from) != 1 || from[0] != 0x2003 {
		t.Errorf("entered from %04X, want 2003, behind cli", from)
	}
	if p := b.ram[0x1FD]; p != FlagE|FlagD|FlagC {
		t.Errorf("pushed P = %02X, want B clear", p)
	}
	if c.SP != 0x1FF || c.P&FlagD == 0 || c.X != 3 {
		t.Errorf("after rti: SP = %04X, P = %02X, X = %d", c.SP, c.P, c.X)
	}
}

func TestInterruptClearsDecimal(t *testing.T) {
	c, _ := lineCPU(0xE8)
	c.P |= FlagD
	c.SetIRQ(true)
	c.Step()
	if c.PC != 0x3000 || c.P&(FlagD|FlagI) != FlagI || c.Cycles != 7 {
		t.Errorf("PC = %04X, P = %02X, %d cycles", c.PC, c.P, c.Cycles)
	}
}

func TestNMIOnce(t *testing.T) {
	c, _ := lineCPU(0xE8, 0xE8, 0xE8)
	c.P |= FlagI
	c.NMI()
	if from := enters(t, c, 0x2003, 0x3100); len(from) != 1 || from[0] != 0x2000 {
		t.Errorf("entered from %04X, want once from 2000", from)
	}
}

// TestMapHoldsInterrupts: from MAP to EOM neither IRQ nor NMI enters, and EOM
// as a prefix holds them for one instruction more.
func TestMapHoldsInterrupts(t *testing.T) {
	// map, inx, inx, eom, inx, inx
	c, b := lineCPU(0x5C, 0xE8, 0xE8, 0xEA, 0xE8, 0xE8)
	c.Step()
	if !c.Held() || b.maps != 1 {
		t.Fatalf("after map: held %v, MapChanged called %d times", c.Held(), b.maps)
	}
	c.SetIRQ(true)
	c.NMI()
	if from := enters(t, c, 0x2006, 0x3000, 0x3100); len(from) != 1 || from[0] != 0x2005 {
		t.Errorf("entered from %04X, want the NMI from 2005", from)
	}
	if c.Held() {
		t.Error("held after eom")
	}
}

// TestPrefixHoldsInterrupts raises the line at every cycle of a row of
// prefixed instructions: no handler may be entered between prefix and opcode.
func TestPrefixHoldsInterrupts(t *testing.T) {
	program := []byte{
		0x42, 0x42, 0xA5, 0x40, // 2000 ldq $40
		0xEA, 0xB2, 0x40, // 2004 lda [$40],z
		0x42, 0x42, 0xEA, 0xB2, 0x40, // 2007 ldq [$40]
		0xEA, 0xE8, // 200C eom, inx
		0x42, 0x42, 0xE8, // 200E neg neg inx
		0xE8, 0xE8, 0xE8, // 2011
	}
	allowed := map[uint16]bool{0x2000: true, 0x2004: true, 0x2007: true, 0x200C: true, 0x200E: true, 0x2011: true, 0x2012: true, 0x2013: true}
	seen := map[uint16]bool{}
	for at := range uint64(50) {
		c, _ := lineCPU(program...)
		c.Run(at)
		if c.PC >= 0x2014 {
			break
		}
		c.SetIRQ(true)
		for c.PC != 0x3000 {
			c.Run(c.Cycles + 1)
		}
		from := uint16(c.Peek(c.SP+2)) | uint16(c.Peek(c.SP+3))<<8
		if !allowed[from] {
			t.Errorf("line raised at cycle %d: entered from %04X, between prefix and opcode", at, from)
		}
		seen[from] = true
	}
	if len(seen) < 6 {
		t.Errorf("entered only from %v", seen)
	}
}

// logBus sends everything to a list.
type logBus struct {
	flatBus
	writes [][2]uint16
	trap   func()
}

func (b *logBus) Write(addr uint16, v byte) {
	b.writes = append(b.writes, [2]uint16{addr, uint16(v)})
	b.flatBus.Write(addr, v)
	if b.trap != nil {
		b.trap()
	}
}

func TestRasterAcknowledgeWritesTwice(t *testing.T) {
	for _, c := range []struct {
		code byte
		addr uint16
		want []uint16
	}{
		{0xEE, 0xD019, []uint16{0x81, 0x82}}, // inc
		{0x0E, 0xD019, []uint16{0x81, 0x02}}, // asl
		{0x4E, 0xD019, []uint16{0x81, 0x40}}, // lsr
		{0x0C, 0xD019, []uint16{0x81, 0x81}}, // tsb
		{0xEE, 0xD01A, []uint16{0x82}},
	} {
		b := &logBus{}
		cpu := &CPU{Bus: b, P: FlagE, PC: 0x2000}
		copy(b.ram[0x2000:], []byte{c.code, byte(c.addr), byte(c.addr >> 8)})
		b.ram[c.addr] = 0x81
		cpu.Step()
		ok := len(b.writes) == len(c.want)
		for i := range b.writes {
			ok = ok && b.writes[i] == [2]uint16{c.addr, c.want[i]}
		}
		if !ok {
			t.Errorf("%02X at %04X writes %04X, want %02X", c.code, c.addr, b.writes, c.want)
		}
	}
}

// TestBusMayChangeRegisters: a write may act as a hypervisor trap or as an
// inline DMA list, and may stop the CPU.
func TestBusMayChangeRegisters(t *testing.T) {
	b := &logBus{}
	c := &CPU{Bus: b, P: FlagE, PC: 0x2000}
	copy(b.ram[0x2000:], []byte{0x8D, 0x40, 0xD6, 0, 0, 0xE8, 0xE8}) // sta $d640, 2 bytes of list, inx inx
	b.trap = func() {
		if c.PC != 0x2003 || c.Cycles != 4 {
			t.Errorf("in the trap PC = %04X, %d cycles", c.PC, c.Cycles)
		}
		c.A, c.X, c.P = 1, 2, c.P|FlagC
		c.PC += 2
		c.Cycles += 100
		c.Stop()
	}
	c.Run(1000)
	if c.PC != 0x2005 || c.A != 1 || c.X != 2 || c.P&FlagC == 0 || c.Cycles != 104 {
		t.Errorf("PC = %04X, A = %d, X = %d, P = %02X, %d cycles", c.PC, c.A, c.X, c.P, c.Cycles)
	}
	c.Run(106)
	if c.X != 4 {
		t.Errorf("going on: X = %d, want 4", c.X)
	}
}

func TestMap(t *testing.T) {
	c, b := lineCPU(0x5C, 0xEA, 0xB8, 0x5C, 0xEA)
	c.A, c.X, c.Y, c.Z = 0x80, 0x0F, 0xFF, 0x0F // megabytes $80 and $FF
	c.Step()
	c.Step()
	c.Step()
	c.A, c.X, c.Y, c.Z = 0x50, 0x91, 0x02, 0x4D
	c.Step()
	if b.maps != 2 {
		t.Errorf("MapChanged called %d times", b.maps)
	}
	for _, want := range []struct {
		addr   uint16
		flat   uint32
		mapped bool
	}{
		{0x0000, 0x8015000, true}, // X = $9x: blocks 0 and 3; offset $15000
		{0x2000, 0x0002000, false},
		{0x7FFF, 0x801CFFF, true},
		{0x8000, 0x0008000, false},
		{0xC345, 0xFFDC545 + 0x0, true}, // Z = $4D: block 2 of the upper half; offset $D0200
		{0xE000, 0x000E000, false},
	} {
		if want.addr == 0xC345 {
			want.flat = 0xFF00000 | (0xD0200+0xC345)&0xFFFFF
		}
		if flat, mapped := c.Physical(want.addr); flat != want.flat || mapped != want.mapped {
			t.Errorf("%04X is at %07X, %v, want %07X, %v", want.addr, flat, mapped, want.flat, want.mapped)
		}
	}
}

func TestStackModes(t *testing.T) {
	c, b := lineCPU(0x48, 0x68, 0x02, 0x48, 0x68, 0xF4, 0x34, 0x12) // pha pla cle pha pla phw
	c.A, c.SP = 0x99, 0x0300
	c.Step()
	if c.SP != 0x03FF || b.ram[0x300] != 0x99 {
		t.Errorf("8-bit pha: SP = %04X", c.SP)
	}
	c.Step()
	if c.SP != 0x0300 {
		t.Errorf("8-bit pla: SP = %04X", c.SP)
	}
	c.Step()
	c.Step()
	if c.SP != 0x02FF {
		t.Errorf("16-bit pha: SP = %04X", c.SP)
	}
	c.Step()
	if c.SP != 0x0300 || c.A != 0x99 {
		t.Errorf("16-bit pla: SP = %04X", c.SP)
	}
	c.Step()
	if c.SP != 0x02FE || b.ram[0x300] != 0x34 || b.ram[0x2FF] != 0x12 {
		t.Errorf("phw: SP = %04X, % X", c.SP, b.ram[0x2FF:0x301])
	}
}

func TestReset(t *testing.T) {
	c, b := lineCPU()
	c.A, c.Z, c.B, c.SP, c.MapLo.Blocks = 1, 2, 3, 0x4444, 1
	c.Reset()
	if c.PC != 0x2000 || c.SP != 0x1FF || c.P != FlagE|FlagI || c.Z|c.B != 0 || b.maps != 1 || c.MapLo != (Map{}) {
		t.Errorf("PC = %04X, SP = %04X, P = %02X, Z = %d, B = %d, MapChanged %d times", c.PC, c.SP, c.P, c.Z, c.B, b.maps)
	}
}

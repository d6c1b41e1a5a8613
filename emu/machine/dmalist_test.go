package machine

import (
	"testing"

	"ssnail-kit/emu/cpu"
)

// The revision of a list without option is $D703's, for plain lists, too: a
// program that relies on one fails when the other was left there.
func TestDMARevision(t *testing.T) {
	for _, revB := range []bool{false, true} {
		m := newMachine(t, Options{})
		// Two chained fills, in the F018A form: 11 bytes each.
		m.Poke(0x50000, []byte{
			7, 2, 0, 5, 0, 0, 0, 0x20, 4, 0, 0,
			3, 2, 0, 6, 0, 0, 0, 0x21, 4, 0, 0, 0, 0,
		})
		d703 := byte(0)
		if revB {
			d703 = 1
		}
		m.writePhys(0xFFD3703, d703)
		m.writePhys(0xFFD3702, 5)
		m.writePhys(0xFFD3701, 0)
		m.sliceEnd = m.nextLine(m.now())
		m.writePhys(0xFFD3700, 0)
		second := m.chip[0x42100]
		if m.chip[0x42000] != 5 || (second == 6) == revB {
			t.Errorf("F018B %v: $42000 = %d, $42100 = %d", revB, m.chip[0x42000], second)
		}
	}
}

// An inline list behind STA $D707, and the next instruction after it.
func TestDMAInline(t *testing.T) {
	m := start(t, Options{},
		0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0,
		0x8D, 0x07, 0xD7, // STA $D707
		0x0B, 0x81, 0x00, 0x00,
		0x03, 0x10, 0x00, 0x2A, 0, 0, 0x00, 0x40, 4, 0, 0, 0,
		0xA9, 0x21, // LDA #33
		0x8D, 0x00, 0x50, // STA $5000
		0x60)
	if m.chip[0x44000] != 0x2A || m.chip[0x4400F] != 0x2A || m.chip[0x44010] != 0 || m.chip[0x5000] != 33 {
		t.Errorf("filled % X, then $5000 = %d", m.chip[0x44000:0x44011], m.chip[0x5000])
	}
}

// DMA stops the CPU: 40.5 MB/s fill, half of that copy.
func TestDMATakesTime(t *testing.T) {
	m := newMachine(t, Options{})
	for _, c := range []struct {
		cmd   byte
		ticks uint64
	}{{3, 65536}, {0, 131072}} {
		t0 := m.now()
		runDMAList(m, []byte{0x0B, 0x80, 0x80, 0x81, 0x80, 0, c.cmd, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0})
		if d := m.now() - t0; d < c.ticks || d > c.ticks+100 {
			t.Errorf("command %d: %d ticks for 65,536 bytes, want %d", c.cmd, d, c.ticks)
		}
	}
}

// A chain without end does not hang the emulator: time goes on, frames end.
func TestDMAEndlessChain(t *testing.T) {
	m := newMachine(t, Options{})
	for i := range m.hyper {
		m.hyper[i] = 4 // copy, chained
	}
	m.writePhys(0xFFD3702, 0)
	m.writePhys(0xFFD3704, 0x80)
	m.sliceEnd = m.nextLine(m.now())
	m.writePhys(0xFFD3700, 0)
	m.writePhys(0xFFD3704, 0x80)
	for range 20 {
		if err := m.RunFrame(); err != nil {
			t.Fatal(err)
		}
	}
	if m.Stats().Frames == 0 {
		t.Error("no frame ended")
	}
}

// $D706 reads the list as the CPU sees memory, $D705 flat.
func TestDMAMappedList(t *testing.T) {
	list := []byte{0x0B, 0, 3, 1, 0, 0x77, 0, 0, 0, 0x20, 4, 0, 0, 0}
	for _, mapped := range []bool{true, false} {
		m := newMachine(t, Options{})
		m.cpu.MapLo = cpu.Map{Offset: 0x400, Blocks: 4} // $4000 is $44000
		m.MapChanged()
		m.Poke(0x44000, list)
		m.writePhys(0xFFD3702, 0)
		m.writePhys(0xFFD3701, 0x40)
		m.sliceEnd = m.nextLine(m.now())
		trigger := uint32(0xFFD3705)
		if mapped {
			trigger++
		}
		m.writePhys(trigger, 0)
		if got := m.chip[0x42000] == 0x77; got != mapped {
			t.Errorf("mapped %v: the list was run: %v", mapped, got)
		}
	}
}

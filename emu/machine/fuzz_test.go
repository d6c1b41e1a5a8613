package machine

import (
	"testing"

	"ssnail-kit/mega65/hw"
)

// FuzzProgram runs any bytes as a program for a few frames: no panic, no hang,
// time goes on.
func FuzzProgram(f *testing.F) {
	f.Add([]byte{0x00}, byte(0))
	f.Add(busyProgram, byte(1))
	f.Add([]byte{0x78, 0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0, 0x8D, 0x07, 0xD7, 0x0B, 0, 4}, byte(2))
	f.Add([]byte{0xA9, 0x47, 0x8D, 0x2F, 0xD0, 0xA9, 0x53, 0x8D, 0x2F, 0xD0, 0xA9, 0x1A, 0x8D, 0x40, 0xD6, 0x5C, 0x5C}, byte(3))
	f.Fuzz(func(t *testing.T, code []byte, mode byte) {
		if len(code) > 0x8000 {
			return
		}
		m, err := New(Options{
			Board: hw.BoardR3, Disk: fuzzDisk, SD: fuzzCard, StrictCache: mode&1 != 0, TestExit: mode&2 != 0,
			Float: mode&4 != 0, Profile: mode&8 != 0, NTSC: mode&16 != 0,
		})
		if err != nil {
			t.Fatal(err)
		}
		// Half of the inputs meet the I/O unlocked.
		if mode&32 != 0 {
			m.knock(0x47)
			m.knock(0x53)
		}
		if err := m.LoadPRG(append([]byte{0x00, 0x20}, append(code, 0)...)); err != nil {
			t.Fatal(err)
		}
		m.TypeText("x\ry")
		last := m.Time()
		for range 4 {
			if err := m.RunFrame(); err != nil {
				t.Fatal(err)
			}
			if m.Stopped() == Running && m.Time() <= last {
				t.Fatal("a frame without time")
			}
			last = m.Time()
		}
		m.Idle()
		_ = m.Screen().String()
		m.Screen().Image()
		m.Stats()
		m.Profile()
	})
}

var (
	fuzzDisk = testDisk(testFile{"X", 0x81, make([]byte, 600)})
	fuzzCard = card()
)

// FuzzRegisters stores into and reads from any address of the I/O area.
func FuzzRegisters(f *testing.F) {
	f.Add([]byte{0x05, 0x37, 1, 0x40, 0x36, 2})
	f.Fuzz(func(t *testing.T, ops []byte) {
		m, err := New(Options{Board: hw.BoardR3, Disk: fuzzDisk, SD: fuzzCard})
		if err != nil {
			t.Fatal(err)
		}
		for len(ops) >= 3 && m.stop == Running {
			a := uint32(ops[0]) | uint32(ops[1])<<8
			if a&0x8000 != 0 {
				a = hw.SSNAIL + a&0x1F
			} else {
				a = 0xFFD0000 + a&0x7FFF
			}
			m.sliceEnd = m.nextLine(m.now())
			if ops[2]&1 != 0 {
				m.readPhys(a)
			} else {
				m.writePhys(a, ops[2])
			}
			m.slice()
			ops = ops[3:]
		}
		m.Screen().Image()
	})
}

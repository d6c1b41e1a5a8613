package machine

import (
	"encoding/binary"
	"testing"

	"ssnail-kit/host/image"
	"ssnail-kit/mega65/hw"
)

func (m *Machine) reg(r uint32) byte       { return m.readPhys(hw.SSNAIL + r) }
func (m *Machine) setReg(r uint32, v byte) { m.writePhys(hw.SSNAIL+r, v) }

// commit sets the load pointer.
func (m *Machine) commit(addr uint32, clear byte) {
	m.setReg(hw.SSNLoadPointer, byte(addr))
	m.setReg(hw.SSNLoadPointer+1, byte(addr>>8))
	m.setReg(hw.SSNLoadPointer+2, byte(addr>>16))
	m.setReg(hw.SSNLoadCommit, byte(addr>>24)|clear)
}

// load puts bytes into SSNAIL's memory as a program does, 512 at a time.
func (m *Machine) load(t testing.TB, addr uint32, data []byte) {
	t.Helper()
	m.commit(addr, hw.SSNClearError)
	for len(data) > 0 {
		m.waitReady(t)
		n := min(512, len(data))
		m.Poke(0x42000, data[:n])
		// Copy to $FFD7518, destination held.
		runDMAList(m, []byte{
			0x0B, 0x80, 0, 0x81, 0xFF, 0, 0, byte(n), byte(n >> 8), 0, 0x20, 4, 0x18, 0x75, 0x0D, 8, 0, 0,
		})
		data = data[n:]
	}
	m.commit(0x8000000, 0)
	m.waitReady(t)
	if m.reg(hw.SSNLoadCommit)&hw.SSNLoadError != 0 {
		t.Error("load port ERROR")
	}
}

func (m *Machine) waitReady(t testing.TB) {
	t.Helper()
	for range 1000 {
		if m.reg(hw.SSNLoadCommit)&hw.SSNReady != 0 {
			return
		}
		m.stall(100)
	}
	t.Fatal("the load port does not become READY")
}

func (m *Machine) goJob(addr uint32) {
	for i := range uint32(4) {
		m.setReg(hw.SSNJob+i, byte(addr>>(8*i)))
	}
	m.setReg(hw.SSNControl, hw.SSNGo)
}

func script(ins ...image.Instruction) []byte {
	var b []byte
	for _, i := range ins {
		e := i.Encode()
		b = append(b, e[:]...)
	}
	return b
}

func TestRegistersByBoard(t *testing.T) {
	for _, c := range []struct {
		board        hw.Board
		caps, sdram  byte
		atticIsSDRAM bool
	}{{hw.BoardR3, 0, 0, false}, {hw.BoardR6, 1, 64, true}, {hw.BoardNexys4DDR, 0, 0, false}} {
		m := newMachine(t, Options{Board: c.board})
		got := [6]byte{m.reg(0), m.reg(1), m.reg(2), m.reg(0x10), m.reg(0x11), m.reg(0x12)}
		if want := [6]byte{0x53, 1, c.caps, 8, 0x80, c.sdram}; got != want {
			t.Errorf("%v: registers %v, want %v", c.board, got, want)
		}
		m.load(t, 0x8000000, []byte("SSNAIL"))
		m.setIO(hw.SDRAMSelect, 0x10)
		if got := m.readPhys(0x8000000) == 'S'; got != true {
			t.Errorf("%v: what was loaded at $8000000 is not seen there", c.board)
		}
		m.setIO(hw.SDRAMSelect, 0)
		if got := m.readPhys(0x8000000) == 'S'; got == c.atticIsSDRAM {
			t.Errorf("%v: HyperRAM holds the image: %v", c.board, got)
		}
	}
}

func TestNoSSNAIL(t *testing.T) {
	m := newMachine(t, Options{NoSSNAIL: true})
	for r := range uint32(hw.SSNRegisters) {
		if v := m.reg(r); v != 0xFF {
			t.Errorf("register $%02X = $%02X without SSNAIL", r, v)
		}
	}
}

func TestLoadPortByDMA(t *testing.T) {
	m := newMachine(t, Options{})
	data := make([]byte, 5000)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	m.load(t, 0x8012345, data)
	for i, v := range data {
		if m.hyper[0x12345+i] != v {
			t.Fatalf("byte %d is $%02X, want $%02X", i, m.hyper[0x12345+i], v)
		}
	}
	if s := m.Stats(); s.LoadBytes != 5000 || s.LostBytes != 0 {
		t.Errorf("%d bytes loaded, %d lost", s.LoadBytes, s.LostBytes)
	}
}

// A DMA faster than the ring drains loses bytes and sets ERROR; commit with bit 6
// clears it.
func TestLoadPortOverrun(t *testing.T) {
	m := newMachine(t, Options{Bandwidth: 1e6})
	m.commit(0x8000000, hw.SSNClearError)
	runDMAList(m, []byte{
		0x0B, 0x80, 0, 0x81, 0xFF, 0, 0, 0x00, 0x08, 0, 0x20, 4, 0x18, 0x75, 0x0D, 8, 0, 0,
	})
	if m.reg(hw.SSNLoadCommit)&hw.SSNLoadError == 0 || m.Stats().LostBytes == 0 {
		t.Errorf("2 KB at once into a ring of 1 KB that drains at 1 MB/s: $17 = $%02X, %d lost",
			m.reg(hw.SSNLoadCommit), m.Stats().LostBytes)
	}
	m.commit(0x8000000, hw.SSNClearError)
	if m.reg(hw.SSNLoadCommit)&hw.SSNLoadError != 0 {
		t.Error("ERROR was not cleared")
	}
}

// A block outside RAM sets ERROR.
func TestLoadOutsideRAM(t *testing.T) {
	m := newMachine(t, Options{})
	m.commit(0x8800000, hw.SSNClearError)
	m.setReg(hw.SSNLoadData, 1)
	m.commit(0x8000000, 0)
	m.waitReady(t)
	if m.reg(hw.SSNLoadCommit)&hw.SSNLoadError == 0 {
		t.Error("no ERROR")
	}
}

// A job is busy for its traffic divided by the bandwidth.
func TestJobTime(t *testing.T) {
	m := newMachine(t, Options{Bandwidth: 1e6})
	// 62,500 turns of two instructions: 2 MB of fetches, 2 s.
	const at = 0x8005000
	m.load(t, at, script(
		image.Instruction{Op: image.LI, A: 2, Z: 62500},
		image.Instruction{Op: image.ADDI, A: 1, B: 1, Z: 1},
		image.Instruction{Op: image.BLT, A: 1, B: 2, X: at + 16},
		image.Instruction{Op: image.STR, A: 1, X: 0x8010000},
		image.Instruction{Op: image.HALT},
	))
	m.goJob(at)
	t0 := m.Time()
	if m.reg(hw.SSNStatus) != hw.SSNBusy || m.reg(hw.SSNLoadCommit)&hw.SSNReady != 0 {
		t.Error("not busy after GO, or the load port READY during a job")
	}
	for m.reg(hw.SSNStatus) == hw.SSNBusy {
		m.stall(40500)
		if m.Time()-t0 > 5e9 {
			t.Fatal("never ends")
		}
	}
	if d := (m.Time() - t0).Seconds(); d < 1.99 || d > 2.01 {
		t.Errorf("busy for %.3f s, want 2.0", d)
	}
	if m.reg(hw.SSNError) != 0 || binary.LittleEndian.Uint32(m.hyper[0x10000:]) != 62500 {
		t.Errorf("error %d, result %d", m.reg(hw.SSNError), binary.LittleEndian.Uint32(m.hyper[0x10000:]))
	}
	if s := m.Stats(); s.CoreInstr != 125003 || s.CoreTime.Seconds() < 1.99 {
		t.Errorf("stats %+v", s)
	}
}

func TestJobFaults(t *testing.T) {
	m := newMachine(t, Options{})
	m.load(t, 0x8005000, script(
		image.Instruction{Op: image.LDR, A: 1, X: 0x7000000},
		image.Instruction{Op: 0x77},
	))
	for _, c := range []struct {
		job  uint32
		want byte
	}{{0x8005000, hw.SSNErrAddress}, {0x8005010, hw.SSNErrIllegal}, {0x8005008, hw.SSNErrAlignment}, {0x1000, hw.SSNErrAddress}} {
		m.goJob(c.job)
		for m.reg(hw.SSNStatus) == hw.SSNBusy {
			m.stall(1000)
		}
		if got := m.reg(hw.SSNError); got != c.want {
			t.Errorf("job $%X: error %d, want %d", c.job, got, c.want)
		}
	}
}

// With StrictCache the CPU reads what was there before the job until SYNC, by
// MAP, far pointer and DMA alike; its own writes and the load port's it sees.
func TestStrictCache(t *testing.T) {
	for _, strict := range []bool{false, true} {
		m := newMachine(t, Options{StrictCache: strict})
		const at, result = 0x8005000, 0x8010000
		code := script(
			image.Instruction{Op: image.LI, A: 1, Z: 0x11223344},
			image.Instruction{Op: image.STR, A: 1, X: result},
			image.Instruction{Op: image.STR, A: 1, X: result + 0x1000},
			image.Instruction{Op: image.HALT},
		)
		m.load(t, at, code)
		m.goJob(at)
		for m.reg(hw.SSNStatus) == hw.SSNBusy {
			m.stall(1000)
		}
		want := byte(0x44)
		if strict {
			want = 0
		}
		check := func(what string, want byte) {
			t.Helper()
			if got := m.readPhys(result); got != want {
				t.Errorf("strict %v, %s: read $%02X, want $%02X", strict, what, got, want)
			}
			runDMAList(m, []byte{0x0B, 0x80, 0x80, 0, 0, 2, 0, 0, 0, 1, 0, 0x20, 4, 0, 0, 0})
			if got := m.chip[0x42000]; got != want {
				t.Errorf("strict %v, %s: DMA read $%02X, want $%02X", strict, what, got, want)
			}
		}
		check("no SYNC", want)
		m.writePhys(result+1, 0x99)
		if got := m.readPhys(result + 1); got != 0x99 {
			t.Errorf("own write reads $%02X", got)
		}
		check("after an own write beside it", want)
		m.load(t, 0x8005100, script(image.Instruction{Op: image.SYNC}, image.Instruction{Op: image.HALT}))
		check("after a load", 0x44)
		m.goJob(at)
		for m.reg(hw.SSNStatus) == hw.SSNBusy {
			m.stall(1000)
		}
		m.goJob(0x8005100)
		for m.reg(hw.SSNStatus) == hw.SSNBusy {
			m.stall(1000)
		}
		check("after SYNC", 0x44)
	}
}

// stop_request is stored by the CPU while the job runs, and the script sees it.
func TestStopRequest(t *testing.T) {
	m := newMachine(t, Options{})
	const at, flag = 0x8005000, image.Base + image.OffStopRequest
	m.load(t, at, script(
		image.Instruction{Op: image.LDR, A: 1, X: flag},
		image.Instruction{Op: image.BEQ, A: 1, B: 15, X: at},
		image.Instruction{Op: image.HALT},
	))
	m.goJob(at)
	m.stall(100000)
	if m.reg(hw.SSNStatus) != hw.SSNBusy {
		t.Fatal("the script did not wait")
	}
	m.writePhys(flag, 1)
	m.stall(1000)
	if m.reg(hw.SSNStatus) == hw.SSNBusy {
		t.Error("the script did not see stop_request")
	}
}

package core

import (
	"bytes"
	"errors"
	"testing"
)

func TestMemory(t *testing.T) {
	for _, k := range []struct {
		board Board
		size  uint32
		ram   []string
	}{{R3, 8 << 20, []string{"HyperRAM"}}, {R4, 72 << 20, []string{"SDRAM", "HyperRAM"}}, {R6, 72 << 20, []string{"SDRAM", "HyperRAM"}}} {
		m := NewMemory(k.board)
		if m.Size() != k.size || len(m.Regions()) != len(k.ram) {
			t.Errorf("%v: %d bytes, %v", k.board, m.Size(), m.Regions())
		}
		for i, r := range m.Regions() {
			if r.Name != k.ram[i] {
				t.Errorf("%v: region %d is %s", k.board, i, r.Name)
			}
		}
		last := Base + k.size - 1
		if err := m.Write(last, []byte{7}); err != nil {
			t.Error(err)
		}
		var a *AddressError
		if err := m.Write(last, []byte{1, 2}); !errors.As(err, &a) {
			t.Errorf("%v: wrote beyond the end: %v", k.board, err)
		}
		b := []byte{9}
		if err := m.Read(last, b); err != nil || b[0] != 7 {
			t.Errorf("%v: %v %v: a write that fails must write nothing", k.board, b, err)
		}
		if _, err := m.Slice(Base-1, 1); err == nil {
			t.Error("a slice below memory")
		}
		if _, err := m.Slice(0xFFFFFFFF, 0xFFFFFFFF); err == nil {
			t.Error("a slice around the end of addresses")
		}
	}
	for _, k := range []struct {
		n  uint32
		b  Board
		ok bool
	}{{0, R3, true}, {8 << 20, R3, true}, {8<<20 + 1, R6, true}, {72 << 20, R6, true}, {72<<20 + 1, 0, false}} {
		if b, ok := BoardFor(k.n); b != k.b || ok != k.ok {
			t.Errorf("%d bytes: %v %v", k.n, b, ok)
		}
	}
}

// TestPort follows bytes through the ring at a known speed: 100 bytes a
// cycle.
func TestPort(t *testing.T) {
	m := NewMemory(R3)
	p := NewPort(m, 100, 1)
	now := uint64(1000)
	commit := func(addr uint32, flags byte) {
		p.WriteReg(RegPointer, byte(addr), now)
		p.WriteReg(RegPointer+1, byte(addr>>8), now)
		p.WriteReg(RegPointer+2, byte(addr>>16), now)
		p.WriteReg(RegCommit, byte(addr>>24)|flags, now)
	}
	status := func() byte { return p.ReadReg(RegCommit, now) }
	write := func(n int) {
		for i := range n {
			p.WriteReg(RegData, byte(i+1), now)
		}
	}
	at := func(addr uint32) byte {
		var b [1]byte
		if err := m.Read(addr, b[:]); err != nil {
			t.Fatal(err)
		}
		return b[0]
	}
	commit(0x8000010, PortClear)
	if status() != PortReady {
		t.Fatalf("status $%02X", status())
	}
	write(10)
	now += 100
	if status() != PortReady || at(0x8000010) != 0 {
		t.Error("a block left before the pointer did")
	}
	commit(0x80000F0, 0)
	if status() != 0 {
		t.Error("READY while a commit is outstanding")
	}
	now++
	if status() != PortReady || at(0x8000019) != 10 || at(0x800001A) != 0 {
		t.Errorf("10 bytes did not arrive in a cycle: status $%02X", status())
	}
	// 16 bytes to the end of a block, which leaves by itself, and 4 more.
	write(20)
	now++
	if status() != PortReady || at(0x80000FF) != 16 || at(0x8000100) != 0 {
		t.Error("the full block did not leave by itself")
	}
	// Fill the ring: 4 wait already.
	write(1020)
	if p.Failed() || status()&PortReady != 0 {
		t.Errorf("status $%02X with a full ring", status())
	}
	if at := p.ReadyAt(); at != now+6 { // 252 + 256 bytes make room for 512, at 100 a cycle
		t.Errorf("READY in %d cycles, want 6", at-now)
	}
	write(1)
	if !p.Failed() || p.Lost != 1 {
		t.Errorf("a byte too many: failed %v, %d lost", p.Failed(), p.Lost)
	}
	now = p.ReadyAt()
	if status() != PortReady|PortError {
		t.Errorf("status $%02X after the wait", status())
	}
	commit(0x8000000, PortClear)
	now += 100
	if status() != PortReady {
		t.Errorf("status $%02X after clearing", status())
	}
	// Outside RAM.
	commit(0x8800000-2, 0)
	write(4)
	commit(0x8000000, 0)
	now += 100
	if status() != PortReady|PortError || at(0x8800000-1) != 2 {
		t.Errorf("status $%02X after writing outside RAM", status())
	}
	// While a job runs nothing is taken.
	commit(0x8000020, PortClear)
	now += 100
	p.SetBusy(true)
	if status() != 0 {
		t.Errorf("status $%02X while a job runs", status())
	}
	write(3)
	p.SetBusy(false)
	commit(0x8000000, 0)
	now += 100
	if at(0x8000020) != 0 || p.Dropped != 3 {
		t.Errorf("%d dropped", p.Dropped)
	}
}

// TestStore writes through the port at a real speed, across blocks.
func TestStore(t *testing.T) {
	m := NewMemory(R6)
	want := make([]byte, 3000)
	for i := range want {
		want[i] = byte(i * i >> 3)
	}
	for _, addr := range []uint32{0x8000001, 0xBFFFF80, 0xC7FF000} {
		p := NewPort(m, 130e6, 40.5e6)
		reached := 0
		p.OnWrite = func(_ uint32, n int) { reached += n }
		if err := p.Store(addr, want, nil); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want))
		if err := m.Read(addr, got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) || reached != len(want) || p.Stored != uint64(len(want)) {
			t.Errorf("$%X: %d of %d bytes reached RAM", addr, reached, len(want))
		}
		// 3000 bytes at 130 MB/s are 935 cycles.
		if p.now < 930 || p.now > 1100 {
			t.Errorf("$%X: it took %d cycles", addr, p.now)
		}
	}
	if err := NewPort(m, 0, 0).Store(0xC7FFFFF, want, nil); err == nil {
		t.Error("no error outside RAM")
	}
}

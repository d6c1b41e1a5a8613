package machine

import (
	"bytes"
	"testing"

	"ssnail-kit/mega65/hw"
)

// numberedDisk has each 512-byte sector's index in all of its byte pairs.
func numberedDisk() []byte {
	d := make([]byte, diskBytes)
	for i := 0; i < len(d); i += 2 {
		d[i], d[i+1] = byte(i/512), byte(i/512>>8)
	}
	return d
}

// readSector reads as programs do; ok is false when the controller said no.
func readSector(t *testing.T, m *Machine, track, sector, side byte) (b [512]byte, ok bool) {
	t.Helper()
	m.setIO(hw.F011Track, track)
	m.setIO(hw.F011Sector, sector)
	m.setIO(hw.F011Side, side)
	m.setIO(hw.F011Command, 1)
	m.setIO(hw.F011Command, 0x40)
	waitFloppy(t, m)
	if m.io(hw.F011Status)&0x18 != 0 {
		return b, false
	}
	for i := range b {
		b[i] = m.readPhys(hw.SectorF011 + uint32(i))
	}
	return b, true
}

func waitFloppy(t *testing.T, m *Machine) {
	t.Helper()
	for range 100 {
		if m.io(hw.F011Status)&0x80 == 0 {
			return
		}
		m.stall(hw.ClockHz / 50)
	}
	t.Fatal("F011 stays busy")
}

func TestFloppyReadsEverySector(t *testing.T) {
	m := newMachine(t, Options{Disk: numberedDisk()})
	m.setIO(hw.F011Control, 0x60)
	m.setIO(hw.F011Command, 0x20)
	if m.io(hw.F011Status)&0x80 == 0 {
		t.Error("not busy while the motor spins up")
	}
	waitFloppy(t, m)
	for track := range byte(80) {
		for sector := byte(1); sector <= 10; sector++ {
			for side := range byte(2) {
				b, ok := readSector(t, m, track, sector, side)
				want := int(track)*20 + int(sector) - 1 + 10*int(side)
				if got := int(b[510]) | int(b[511])<<8; !ok || got != want {
					t.Fatalf("track %d sector %d side %d: sector %d of the image, want %d", track, sector, side, got, want)
				}
			}
		}
	}
	if b, ok := readSector(t, m, 80, 5, 0); !ok || b[0] != 0 || b[1] != 0 {
		t.Error("track 80 does not give sector 0")
	}
}

func TestFloppyDataRegister(t *testing.T) {
	m := newMachine(t, Options{Disk: numberedDisk()})
	m.setIO(hw.F011Control, 0x60)
	if _, ok := readSector(t, m, 2, 3, 0); !ok {
		t.Fatal("not read")
	}
	if s := m.io(hw.F011Status); s&0x60 != 0x40 {
		t.Errorf("status $%02X after a read, want DRQ without EQ", s)
	}
	n := 0
	for ; n < 600; n++ {
		if v := m.io(hw.F011Data); n%2 == 0 && v != 42 {
			t.Fatalf("byte %d = %d, want 42", n, v)
		}
		if m.io(hw.F011Status)&0x20 != 0 {
			break
		}
	}
	if n != 511 {
		t.Errorf("EQ after byte %d", n)
	}
}

func TestFloppyWrites(t *testing.T) {
	m := newMachine(t, Options{Disk: numberedDisk()})
	m.setIO(hw.F011Control, 0x60)
	m.setIO(hw.F011Command, 1)
	for i := range 512 {
		m.setIO(hw.F011Data, byte(i*7))
	}
	m.setIO(hw.F011Track, 10)
	m.setIO(hw.F011Sector, 4)
	m.setIO(hw.F011Side, 1)
	m.setIO(hw.F011Command, 0x80)
	if m.DiskImage()[(10*20+13)*512+1] == 7 {
		t.Error("written before BUSY ends")
	}
	waitFloppy(t, m)
	d := m.DiskImage()[(10*20+13)*512:]
	if d[1] != 7 || d[511] != byte(511*7&0xFF) {
		t.Errorf("image holds % X ...", d[:4])
	}
	if bytes.Equal(m.DiskImage(), numberedDisk()) {
		t.Error("image unchanged")
	}
}

func TestFloppyWithoutDisk(t *testing.T) {
	m := newMachine(t, Options{})
	m.setIO(hw.F011Control, 0x60)
	if _, ok := readSector(t, m, 0, 1, 0); ok {
		t.Error("a sector of no disk")
	}
}

// The buffer at $FFD6000-$FFD6FFF is the F011's or the SD card's, by $D689 bit 7,
// eight times.
func TestSectorBufferAlias(t *testing.T) {
	m := newMachine(t, Options{Disk: numberedDisk()})
	m.setIO(hw.F011Control, 0x60)
	m.sd.buffer[0] = 0xAA
	readSector(t, m, 0, 2, 0)
	for a := uint32(hw.SectorBuffers); a < hw.SectorBuffers+0x1000; a += 512 {
		if v := m.readPhys(a); v != 1 {
			t.Errorf("$%07X = $%02X with $D689 bit 7 clear, want the F011's 1", a, v)
		}
	}
	m.setIO(hw.SDControl, 0x80)
	for a := uint32(hw.SectorBuffers); a < hw.SectorBuffers+0x1000; a += 512 {
		if v := m.readPhys(a); v != 0xAA {
			t.Errorf("$%07X = $%02X with $D689 bit 7 set, want the SD card's $AA", a, v)
		}
	}
}

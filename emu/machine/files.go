package machine

import (
	"errors"

	"ssnail-kit/emu/cpu"
)

// openFile is a file that the KERNAL reads: its contents are taken at OPEN.
type openFile struct {
	device  byte
	data    []byte
	command bool // the drive's command channel
	missing bool
}

// KERNAL error codes.
const (
	kernalTooMany  = 1
	kernalOpen     = 2
	kernalNotOpen  = 3
	kernalNotFound = 4
	kernalNoDevice = 5
	kernalNotInput = 6
	kernalNotOut   = 7
	kernalNoName   = 8
	kernalDevice   = 9
)

// openFile is OPEN: files of the disk in drive 0 for reading, keyboard and
// screen. A missing file is no error here; the command channel and READSS tell.
func (m *Machine) openFile() byte {
	k := &m.kernal
	if k.files == nil {
		k.files = map[byte]*openFile{}
	}
	if k.files[k.lfn] != nil {
		return kernalOpen
	}
	if len(k.files) >= 10 {
		return kernalTooMany
	}
	f := &openFile{device: k.device}
	k.status = 0
	switch k.device {
	case 0, 3:
	case 8:
		if k.sa == 15 {
			f.command = true
			break
		}
		name := diskName(k.name)
		data, err := diskFile(m.floppy.drive[0].image, name)
		if err != nil {
			f.missing = true
			k.message = "62, FILE NOT FOUND,00,00\r"
			if !errors.Is(err, errNotFound) {
				m.warn("KERNAL OPEN: %s", err.Error())
				k.message = "66, ILLEGAL TRACK OR SECTOR,00,00\r"
			}
		} else {
			k.message = "00, OK,00,00\r"
		}
		f.data = data
	default:
		k.status = 0x80
		return kernalNoDevice
	}
	k.files[k.lfn] = f
	return 0
}

// diskName is the name without drive prefix and ",S,R" behind it.
func diskName(b []byte) string {
	for i, c := range b {
		if c == ',' {
			b = b[:i]
			break
		}
	}
	if len(b) > 2 && b[1] == ':' {
		b = b[2:]
	}
	return string(b)
}

func (m *Machine) setInput(lfn byte) byte {
	k := &m.kernal
	f := k.files[lfn]
	if f == nil {
		return kernalNotOpen
	}
	k.input = lfn
	if f.device != 8 {
		k.input = 0
	}
	if f.command && len(f.data) == 0 {
		if k.message == "" {
			k.message = "00, OK,00,00\r"
		}
		f.data, k.message = []byte(k.message), ""
	}
	return 0
}

func (m *Machine) setOutput(lfn byte) byte {
	k := &m.kernal
	f := k.files[lfn]
	switch {
	case f == nil:
		return kernalNotOpen
	case f.device == 8:
		m.warn("KERNAL output to the disk: error 7 returned")
		return kernalNotOut
	}
	k.output = 0
	return 0
}

// readFile is the next byte of an open file; the status tells its end.
func (m *Machine) readFile(lfn byte) byte {
	k := &m.kernal
	f := k.files[lfn]
	if f == nil || f.missing || len(f.data) == 0 {
		k.status = 0x42
		return 0x0D
	}
	v := f.data[0]
	f.data = f.data[1:]
	k.status = 0
	if len(f.data) == 0 {
		k.status = 0x40
	}
	return v
}

// loadFile is LOAD: A = 0, to XY with secondary address 0, else to the file's own
// address; the bank is SETBNK's.
func (m *Machine) loadFile() byte {
	k := &m.kernal
	c := &m.cpu
	if c.A != 0 {
		m.warn("KERNAL VERIFY: not done, error 9 returned")
		return kernalDevice
	}
	if k.device != 8 {
		return kernalNoDevice
	}
	if len(k.name) == 0 {
		return kernalNoName
	}
	data, err := diskFile(m.floppy.drive[0].image, diskName(k.name))
	if err != nil || len(data) < 2 {
		if err != nil && !errors.Is(err, errNotFound) {
			m.warn("KERNAL LOAD: %s", err.Error())
		}
		return kernalNotFound
	}
	addr := int(data[0]) | int(data[1])<<8
	if k.sa == 0 {
		addr = int(c.X) | int(c.Y)<<8
	}
	data = data[2:]
	if addr+len(data) > 0x10000 {
		data = data[:0x10000-addr] // does not cross a bank
	}
	base := uint32(k.bank&0x0F) << 16
	for i, v := range data {
		m.writePhys(base+uint32(addr+i), v)
	}
	m.stall(uint64(len(data)+sectorSize-1) / sectorSize * diskTicks)
	m.idle.work()
	end := uint16(addr + len(data))
	c.X, c.Y = byte(end), byte(end>>8)
	c.P &^= cpu.FlagC
	return 0
}

package machine

import "ssnail-kit/mega65/hw"

// sdCard is the SD controller's registers and buffer. The card's contents are a
// host folder (hdos.go), so raw sectors cannot be had.
type sdCard struct {
	control byte // $D689
	sector  [4]byte
	mapped  bool // the buffer shows at $DE00
	failed  bool
	buffer  [sectorSize]byte
}

func (s *sdCard) reset() { *s = sdCard{} }

func (m *Machine) readSD(off uint32) byte {
	s := &m.sd
	switch off {
	case hw.SDCommand & 0xFFF:
		if s.failed {
			return 0x60
		}
		return 0
	case 0x681, 0x682, 0x683, 0x684:
		return s.sector[off-0x681]
	case hw.SDControl & 0xFFF:
		return s.control
	case 0x68B:
		var v byte
		for n, d := range m.floppy.drive {
			if d.image == nil {
				continue
			}
			bits := byte(3) // image, present
			if !d.writeProtected {
				bits |= 4
			}
			v |= bits << (3 * n)
		}
		return v
	case 0x6A1:
		return 0
	}
	m.warn("register $D%03X: reads as $FF", off)
	return 0xFF
}

func (m *Machine) writeSD(off uint32, v byte) {
	s := &m.sd
	switch off {
	case hw.SDCommand & 0xFFF:
		m.sdCommand(v)
	case 0x681, 0x682, 0x683, 0x684:
		s.sector[off-0x681] = v
	case hw.SDControl & 0xFFF:
		s.control = v
	case 0x6A1:
		if v&1 != 0 {
			m.warn("real floppy drives ($D6A1): the mounted image stays")
		}
	case hw.ReconfigStatus & 0xFFF:
		m.writeExit(v)
	default:
		m.warn("register $D%03X: writes are dropped", off)
	}
}

func (m *Machine) sdCommand(v byte) {
	s := &m.sd
	s.failed = false
	switch v {
	case 0x00, 0x01, 0x57:
	case 0x81:
		s.mapped = true
	case 0x82:
		s.mapped = false
	case 0x02, 0x03:
		s.failed = true
		m.warn("raw sectors of the SD card: the card is a folder here, read it through HDOS")
	default:
		m.warn("SD controller command $%02X: does nothing", v)
	}
}

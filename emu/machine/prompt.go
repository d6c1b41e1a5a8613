package machine

import (
	"fmt"
	"strings"

	"ssnail-kit/mega65/hw"
)

// prompt is one turn of the READY loop: it takes a key, echoes it, and obeys a
// line when RETURN ends it.
func (m *Machine) prompt() {
	k := &m.kernal
	v := m.getKey()
	switch v {
	case 0:
	case hw.KeyReturn:
		line := string(k.line)
		k.line = k.line[:0]
		m.newLine()
		m.obey(line)
	case hw.KeyDel:
		if len(k.line) > 0 {
			k.line = k.line[:len(k.line)-1]
			m.chrout(v)
		}
	default:
		if v >= 0xC1 && v <= 0xDA {
			v -= 0x80
		}
		if v >= 0x20 && v < 0x60 && len(k.line) < 160 {
			k.line = append(k.line, v)
			m.chrout(v)
		}
	}
}

// obey does a line of the prompt's few commands. What BASIC would do beyond them
// is answered by an error, as BASIC answers what it does not know.
func (m *Machine) obey(line string) {
	line = strings.TrimSpace(line)
	word, rest, _ := strings.Cut(line, " ")
	if w, r, ok := strings.Cut(line, "\""); ok {
		word, rest = strings.TrimSpace(w), r
	}
	var err error
	switch strings.TrimRight(word, ":") {
	case "":
		return
	case "REM", "SPEED", "NEW", "CLR":
	case "RUN":
		if rest != "" {
			if err = m.loadPrompt(rest); err != nil {
				break
			}
		}
		if err = m.run(); err == nil {
			return
		}
	case "LOAD", "DLOAD":
		err = m.loadPrompt(rest)
	case "BOOT":
		before := m.cpu.PC
		if err = m.autoboot(); err == nil && m.cpu.PC != before {
			return
		}
		if err == nil {
			err = errNotFound
		}
	case "SYS":
		n, ok := number([]byte(rest))
		if ok && n < 0x10000 {
			m.sys(uint16(n))
			return
		}
		err = fmt.Errorf("illegal quantity")
	case "DIR", "DIRECTORY", "CATALOG":
		err = m.listDirectory()
	default:
		err = fmt.Errorf("syntax")
	}
	if err != nil {
		m.print("\n?" + err.Error() + " error\n")
	}
	m.print("\nready.\n")
}

// loadPrompt loads a program by name, without starting it.
func (m *Machine) loadPrompt(rest string) error {
	name, _, _ := strings.Cut(strings.Trim(rest, "\" "), "\"")
	prg, err := diskFile(m.floppy.drive[0].image, name)
	if err != nil {
		return err
	}
	if len(prg) < 3 || int(prg[0])|int(prg[1])<<8 != hw.BASICStart {
		return fmt.Errorf("%s is no program for $2001", showName(name))
	}
	if len(prg)-2 > 0xF700-hw.BASICStart {
		return fmt.Errorf("out of memory")
	}
	m.Poke(hw.BASICStart, prg[2:])
	return nil
}

func (m *Machine) listDirectory() error {
	kinds := [...]string{"del", "seq", "prg", "usr", "rel", "cbm"}
	return directory(m.floppy.drive[0].image, func(f dirEntry) bool {
		kind := "?"
		if n := int(f.kind & 7); n < len(kinds) {
			kind = kinds[n]
		}
		m.print(fmt.Sprintf("%-5d\"%s\"%*s%s\n", f.blocks, showName(f.name), 18-len(f.name), "", kind))
		return true
	})
}

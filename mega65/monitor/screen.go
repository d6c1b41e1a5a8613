package monitor

import (
	"context"
	"fmt"
	"strings"

	"ssnail-kit/mega65/hw"
)

// The VIC-IV registers that say where the text is, from $FFD3000 on.
const (
	vicRegisters = 0x80
	romUpperCase = 0x2D000 // the ROM's charset of capitals and graphics
)

// Screen reads the machine's text screen: its lines without trailing spaces.
// Codes are shown as the chat program's font has them, which is the ROM's
// lower-case set for letters, digits and most signs; with the ROM's upper-case
// set, as capitals. Other charsets cannot be recognised.
//
// A bank of the ROM or a program may have graphics on; the text that is shown
// then is whatever the registers point to.
func (c *Conn) Screen(ctx context.Context) ([]string, error) {
	r, err := c.Read(ctx, hw.IOMEGA65, vicRegisters)
	if err != nil {
		return nil, err
	}
	l := layoutOf(r)
	if l.cols == 0 || l.cols > 255 || l.rows > 128 || l.step < l.cols*l.cell || l.step > 1024 {
		return nil, fmt.Errorf("serial monitor: the VIC-IV shows no text screen that can be read: %d columns, %d rows, %d bytes a row", l.cols, l.rows, l.step)
	}
	b, err := c.Read(ctx, l.addr, l.rows*l.step)
	if err != nil {
		return nil, err
	}
	var lines []string
	for y := range l.rows {
		var s strings.Builder
		for x := range l.cols {
			s.WriteRune(l.rune(b[y*l.step+x*l.cell:][:l.cell]))
		}
		lines = append(lines, strings.TrimRight(s.String(), " "))
	}
	return lines, nil
}

// textLayout is a text screen in memory.
type textLayout struct {
	cols, rows, step, cell int // cells and bytes
	addr, charset          uint32
}

func layoutOf(r []byte) textLayout {
	reg := func(a int) int { return int(r[a&0x7F]) }
	l := textLayout{
		cols: reg(hw.VICColumns) | reg(0x63)>>4&3<<8,
		rows: reg(hw.VICRows) + 1,
		step: reg(hw.VICLineStepLo) | reg(hw.VICLineStepHi)<<8,
		cell: 1,
		addr: uint32(reg(hw.VICScreen) | reg(hw.VICScreen+1)<<8 | reg(hw.VICScreen+2)<<16 | reg(hw.VICScreen+3)&15<<24),

		charset: uint32(reg(hw.VICCharset) | reg(hw.VICCharset+1)<<8 | reg(hw.VICCharset+2)<<16),
	}
	if reg(hw.VICControlC)&1 != 0 {
		l.cell = 2
	}
	return l
}

func (l textLayout) rune(cell []byte) rune {
	if len(cell) == 2 && cell[1]&0x1F != 0 {
		return ' '
	}
	if c := cell[0] & 0x7F; l.charset == romUpperCase && c >= 1 && c <= 26 {
		return rune('A' + c - 1)
	}
	return hw.RuneOf(cell[0])
}

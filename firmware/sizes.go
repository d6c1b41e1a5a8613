package firmware

import (
	"fmt"
	"strings"
)

// CodeEnd is the first address that the CPU does not see as plain memory: the
// program must end below it.
const CodeEnd = 0xD000

// SizeTable lists the bytes of each source file that makes any, the sum, and
// how far below CodeEnd, and below the label BUFFERS if the sources have one,
// the program ends.
func (p *Program) SizeTable() string {
	var b strings.Builder
	for _, m := range p.Sizes {
		if m.Bytes > 0 {
			fmt.Fprintf(&b, "%-20s %6d\n", m.File, m.Bytes)
		}
	}
	end := int(p.Load) + len(p.PRG) - 2
	fmt.Fprintf(&b, "%-20s %6d  $%04x-$%04x\n", "total", len(p.PRG)-2, p.Load, end-1)
	if limit, ok := p.Symbols["BUFFERS"]; ok && int(limit) >= end {
		fmt.Fprintf(&b, "%-20s %6d  below its buffers at $%04x\n", "free", int(limit)-end, limit)
	}
	if end <= CodeEnd {
		fmt.Fprintf(&b, "%-20s %6d  below $%04x, buffers included\n", "free", CodeEnd-end, CodeEnd)
	}
	return b.String()
}

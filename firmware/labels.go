package firmware

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Labels returns the addresses of the program's labels, without constants and
// cheap labels: the routines of a profile or a trace. Of labels that share an
// address only the last one is there.
func (p *Program) Labels() map[string]uint32 {
	m := map[string]uint32{}
	for _, r := range p.Routines() {
		m[r.Name] = uint32(r.Start)
	}
	return m
}

// maxLabels bounds what ReadLabels keeps.
const maxLabels = 1 << 16

// ReadLabels reads a label file as asm --symbols, ACME's --vicelabels and
// ld65's -Ln write it: lines "al 002011 .name", the address perhaps behind
// "C:". Cheap labels ("routine@name") and other commands are left out. Errors
// name the line.
func ReadLabels(r io.Reader) (map[string]uint32, error) {
	m := map[string]uint32{}
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		f := strings.Fields(s.Text())
		if len(f) == 0 || f[0] != "al" && f[0] != "add_label" {
			continue
		}
		if len(f) != 3 {
			return nil, fmt.Errorf("label file line %d: expected \"al ADDRESS .NAME\", found %d words", n, len(f))
		}
		addr, err := strconv.ParseUint(strings.TrimPrefix(f[1], "C:"), 16, 32)
		if err != nil {
			return nil, fmt.Errorf("label file line %d: %q is no hexadecimal address", n, f[1])
		}
		name := strings.TrimPrefix(f[2], ".")
		if name == "" || strings.Contains(name, "@") {
			continue
		}
		if len(m) == maxLabels {
			return nil, fmt.Errorf("label file line %d: more than %d labels", n, maxLabels)
		}
		m[name] = uint32(addr)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("read label file: %w", err)
	}
	return m, nil
}

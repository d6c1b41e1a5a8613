package asm

import "fmt"

// note is what the passes learned about a statement and the printer needs.
type note struct {
	seen  bool
	down  bool          // For: counts downwards
	binds []int         // Macro: how tight the loosest value of each parameter binds, in ca65
	minus map[Expr]bool // Data and immediates: a negative value
}

func (a *assembler) note(s any) *note {
	n := a.notes[s]
	if n == nil {
		n = &note{}
		a.notes[s] = n
	}
	return n
}

func (n *note) negative(x Expr) {
	if n.minus == nil {
		n.minus = map[Expr]bool{}
	}
	n.minus[x] = true
}

// mark says where bytes come from.
type mark struct {
	addr int
	place
}

// emit appends bytes, which belong to the line being assembled.
func (a *assembler) emit(b ...byte) error {
	if a.pc < 0 {
		return fmt.Errorf("code or data before the program's start is set (* = $2001)")
	}
	if a.pc+len(b) > topOfMap {
		a.stopped = true
		return fmt.Errorf("the program runs beyond $ffff")
	}
	at := place{a.file.Name, a.line}
	if a.inMacro {
		at = a.site
	}
	if n := len(a.marks); len(b) > 0 && (n == 0 || a.marks[n-1].place != at) {
		a.marks = append(a.marks, mark{a.pc, at})
	}
	a.out = append(a.out, b...)
	a.pc += len(b)
	return nil
}

func little(n int64, size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
	return b
}

// fits checks a value for a place of size bytes, signed or unsigned.
func fits(v value, size int) error {
	bits := uint(8 * size)
	if !v.undef && (v.n < -1<<(bits-1) || v.n > 1<<bits-1) {
		return fmt.Errorf("value %d ($%x) does not fit %d byte(s)", v.n, uint32(v.n), size)
	}
	return nil
}

func (a *assembler) data(s *Data) error {
	a.last = lastOps{}
	var b []byte
	for i, x := range s.Items {
		v, err := a.eval(x)
		if err == nil && i > 0 && hasPC(x) {
			err = fmt.Errorf("* behind the first value of a line means different addresses to different assemblers")
		}
		if err == nil {
			err = fits(v, s.Size)
		}
		if err != nil {
			return err
		}
		if v.n < 0 {
			a.note(s).negative(x)
		}
		b = append(b, little(v.n, s.Size)...)
	}
	return a.emit(b...)
}

func (a *assembler) text(s *Text) error {
	a.last = lastOps{}
	var b []byte
	for _, x := range s.Items {
		if t, ok := x.(*String); ok {
			b = append(b, t.S...)
			continue
		}
		v, err := a.eval(x)
		if err == nil {
			err = fits(v, 1)
		}
		if err == nil && hasPC(x) {
			err = fmt.Errorf("* in a text")
		}
		if err != nil {
			return err
		}
		if v.n < 0 {
			a.note(s).negative(x)
		}
		b = append(b, byte(v.n))
	}
	return a.emit(b...)
}

// fillByte evaluates the value that a gap is filled with.
func (a *assembler) fillByte(s Stmt, x Expr, otherwise byte) (byte, error) {
	if x == nil {
		return otherwise, nil
	}
	v, err := a.eval(x)
	if err == nil {
		err = fits(v, 1)
	}
	if err != nil {
		return 0, err
	}
	if v.n < 0 {
		a.note(s).negative(x)
	}
	return byte(v.n), nil
}

func (a *assembler) gap(n int64, fill byte) error {
	a.last = lastOps{}
	if n < 0 || n > topOfMap {
		return fmt.Errorf("cannot fill %d bytes", n)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = fill
	}
	return a.emit(b...)
}

func (a *assembler) fill(s *Fill) error {
	n, err := a.known(s.Count, "the number of bytes")
	if err != nil {
		return err
	}
	v, err := a.fillByte(s, s.Value, 0)
	if err != nil {
		return err
	}
	return a.gap(n, v)
}

func (a *assembler) align(s *Align) error {
	mask, err := a.known(s.Mask, "the mask")
	if err != nil {
		return err
	}
	low, err := a.known(s.Low, "the alignment")
	if err != nil {
		return err
	}
	if mask < 0 || mask > 0xFFFF || mask&(mask+1) != 0 || low < 0 || low > mask {
		return fmt.Errorf("!align %d, %d: expected a mask of ones such as 255, and a value within it", mask, low)
	}
	v, err := a.fillByte(s, s.Value, 0xEA)
	if err != nil {
		return err
	}
	if a.pc < 0 {
		return fmt.Errorf("!align before the program's start is set")
	}
	return a.gap((low-int64(a.pc))&mask, v)
}

package asm

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// The files that the ca65 dialect adds.
const (
	macroFile  = "45gs02.inc"
	configFile = "program.cfg"
	farSuffix  = "_far"
)

// ca65 prints the program for ca65 2.19, which knows the 4510 and not the
// 45GS02: 32-bit operations become macros of the same names, those through
// four-byte pointers macros with the suffix _far.
func (r *Result) ca65() map[string][]byte {
	p := &ca65Printer{notes: r.notes}
	for range 2 { // the first round finds out which macros are needed
		p.out = map[string][]byte{}
		for _, f := range r.Files {
			p.b.Reset()
			p.lines(f.Body, -1, 0)
			p.out[f.Name] = bytes.Clone(p.b.Bytes())
		}
	}
	if len(p.macros) > 0 {
		p.out[macroFile] = p.macroSource()
	}
	p.out[configFile] = []byte(fmt.Sprintf(`# The program loads at $%04x.
MEMORY {
  LOADADDR: start=$0000, size=$0002, file=%%O;
  MAIN:     start=$%04x, size=$%04x, file=%%O;
}
SEGMENTS {
  LOADADDR: load=LOADADDR, type=ro;
  CODE:     load=MAIN, type=rw;
}
`, r.Origin, r.Origin, topOfMap-r.Origin))
	return p.out
}

type ca65Printer struct {
	b      bytes.Buffer
	out    map[string][]byte
	notes  map[any]*note
	names  map[string]substitute // parameters and loop variables in force
	macros map[string]bool       // 45GS02 instructions that were used
}

// substitute is what stands for a parameter or a loop variable: text, and how
// tight it binds once ca65 has put the value's text there.
type substitute struct {
	text string
	bind int
}

func pad(s string, col int) string {
	if n := col - len(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// flush writes a finished line of output with its comment, which goes to the
// column it had or behind the code.
func (p *ca65Printer) flush(code, comment string, col int) {
	if comment != "" {
		if code != "" {
			code += " "
		}
		code = pad(code, col) + comment
	}
	p.b.WriteString(strings.TrimRight(code, " "))
	p.b.WriteByte('\n')
}

// lines prints lines. Statements that stood on the line oneLine, that of the
// enclosing block, are indented to col.
func (p *ca65Printer) lines(lines []*Line, oneLine, col int) {
	for _, l := range lines {
		p.line(l, l.Num == oneLine, col)
	}
}

func (p *ca65Printer) line(l *Line, inner bool, col int) {
	if inner && len(l.Stmts) == 0 && l.Comment == "" {
		return
	}
	code := ""
	comment, ccol := l.Comment, l.CommentCol
	behind := false
	for i, s := range l.Stmts {
		at := s.pos().col
		if inner || behind {
			at = col
		}
		if lab, ok := s.(*Label); ok {
			if code != "" {
				p.flush(code, comment, ccol)
				comment = ""
			}
			code = lab.Name + ":"
			continue
		}
		if code != "" && !strings.HasSuffix(code, ":") {
			p.flush(code, comment, ccol)
			code, comment = "", ""
		}
		col, behind = at, true // what follows on this line stands below
		if p.blockStmt(s, code, at) {
			code = ""
			if i == len(l.Stmts)-1 && comment != "" {
				p.b.Truncate(p.b.Len() - 1)
				p.b.WriteString(" " + comment + "\n")
				comment = ""
			}
			continue
		}
		if code != "" {
			code += " "
		}
		code = pad(code, at) + p.simple(s, len(pad(code, at)))
	}
	if code != "" || comment != "" || len(l.Stmts) == 0 {
		p.flush(code, comment, ccol)
	}
}

// blockStmt prints statements that take several lines.
func (p *ca65Printer) blockStmt(s Stmt, label string, col int) bool {
	switch s.(type) {
	case *If, *For, *Macro, *Origin, *CPU:
	default:
		return false
	}
	if label != "" {
		p.flush(label, "", 0)
	}
	ind := strings.Repeat(" ", col)
	switch s := s.(type) {
	case *CPU:
		p.flush(ind+`.setcpu "4510"`, "", 0)
		if len(p.macros) > 0 {
			p.flush(ind+`.include "`+macroFile+`"`, "; the 45GS02's instructions beyond the 4510", 0)
		}
	case *Origin:
		p.flush(ind+`.segment "LOADADDR"`, "", 0)
		p.flush(ind+"  .word "+p.expr(s.Value), "", 0)
		p.flush(ind+`.segment "CODE"`, "", 0)
		p.flush(ind+"  .org "+p.expr(s.Value), "", 0)
	case *If:
		p.branch(s, ind)
	case *For:
		p.loop(s, ind)
	case *Macro:
		p.macro(s, ind)
	}
	return true
}

func (p *ca65Printer) body(b *Block, head string, line, col int) {
	p.flush(head, b.Comment, 0)
	p.lines(b.Lines, line, col+2)
}

func (p *ca65Printer) branch(s *If, ind string) {
	head := ".if"
	for {
		switch {
		case s.Cond != nil:
			head += " " + p.expr(s.Cond)
		case head == ".if" && s.Not:
			head = ".ifndef " + s.Name
		case head == ".if":
			head = ".ifdef " + s.Name
		case s.Not:
			head += " .not .defined(" + s.Name + ")"
		default:
			head += " .defined(" + s.Name + ")"
		}
		p.body(s.Then, ind+head, s.line, len(ind))
		if !s.Chain {
			break
		}
		s = s.Else.Lines[0].Stmts[0].(*If)
		head = ".elseif"
	}
	if s.Else != nil {
		p.body(s.Else, ind+".else", s.line, len(ind))
	}
	p.flush(ind+".endif", "", 0)
}

// loop prints .repeat, whose counter always runs from 0 upwards.
func (p *ca65Printer) loop(s *For, ind string) {
	v := "_" + strings.TrimPrefix(s.Var, ".")
	n := p.notes[s]
	first, last := s.First, s.Last
	down := n != nil && n.down
	var sub substitute
	if z, ok := first.(*Num); ok && z.Value == 0 && !down {
		sub = substitute{v, ca65Leaf}
	} else if down {
		sub = substitute{p.term(first) + " - " + v, ca65Binding["-"]}
	} else {
		sub = substitute{p.term(first) + " + " + v, ca65Binding["+"]}
	}
	if down {
		first, last = last, first
	}
	a, aok := first.(*Num)
	b, bok := last.(*Num)
	var count string
	switch {
	case aok && bok:
		count = fmt.Sprint(b.Value - a.Value + 1)
	case aok && a.Value == 1:
		count = p.expr(last)
	default:
		count = p.expr(&Binary{"+", &Binary{"-", last, &Paren{first}, true}, &Num{1, "1", false}, true})
	}
	old := p.bind(s.Var, sub)
	p.body(s.Body, ind+".repeat "+count+", "+v, s.line, len(ind))
	p.flush(ind+".endrepeat", "", 0)
	p.names = old
}

// bind adds a name to those in force and returns the old set.
func (p *ca65Printer) bind(name string, s substitute) map[string]substitute {
	old := p.names
	p.names = map[string]substitute{name: s}
	for k, v := range old {
		if k != name {
			p.names[k] = v
		}
	}
	return old
}

func (p *ca65Printer) macro(s *Macro, ind string) {
	head := ".macro " + s.Name
	old := p.names
	for i, a := range s.Params {
		n := p.notes[s]
		v := "_" + a[1:]
		bind := ca65Leaf
		if n != nil && i < len(n.binds) {
			bind = n.binds[i]
		}
		p.bind(a, substitute{v, bind})
		if i > 0 {
			head += ","
		}
		head += " " + v
	}
	p.flush(ind+head, s.Body.Comment, 0)
	if labels := cheapLabels(s.Body.Lines); len(labels) > 0 {
		p.flush(ind+"  .local "+strings.Join(labels, ", "), "", 0)
	}
	p.lines(s.Body.Lines, s.line, len(ind)+2)
	p.flush(ind+".endmacro", "", 0)
	p.names = old
}

// cheapLabels lists the labels that a macro defines for itself.
func cheapLabels(lines []*Line) []string {
	var out []string
	for _, l := range lines {
		for _, s := range l.Stmts {
			switch s := s.(type) {
			case *Label:
				out = append(out, s.Name)
			case *If:
				out = append(out, cheapLabels(s.Then.Lines)...)
				if s.Else != nil {
					out = append(out, cheapLabels(s.Else.Lines)...)
				}
			}
		}
	}
	sort.Strings(out)
	uniq := out[:0]
	for i, n := range out {
		if i == 0 || n != out[i-1] {
			uniq = append(uniq, n)
		}
	}
	return uniq
}

// macroSource writes the macros for the instructions that ca65 lacks.
func (p *ca65Printer) macroSource() []byte {
	names := make([]string, 0, len(p.macros))
	for n := range p.macros {
		names = append(names, n)
	}
	sort.Strings(names)
	var b strings.Builder
	b.WriteString("; Instructions of the 45GS02 that ca65's 4510 lacks. $42 $42 (neg neg) before an\n" +
		"; instruction makes it work on Q = A, X, Y, Z; $ea (eom) before (n),z makes the\n" +
		"; pointer four bytes long. Operands with a comma are written in braces.\n")
	for _, n := range names {
		base, far := strings.CutSuffix(n, farSuffix)
		quad := strings.HasSuffix(base, "q")
		arg := "arg"
		if far {
			arg = "pointer"
		}
		fmt.Fprintf(&b, "\n.macro %s %s\n", n, arg)
		if quad {
			b.WriteString("  neg\n  neg\n")
		}
		plain := quadBase(base)
		switch {
		case far:
			fmt.Fprintf(&b, "  eom\n  %s (pointer),z\n", plain)
		case quadMemoryOnly(base):
			fmt.Fprintf(&b, "  %s arg\n", plain)
		default:
			fmt.Fprintf(&b, "  .ifblank arg\n    %s\n  .else\n    %s arg\n  .endif\n", plain, plain)
		}
		b.WriteString(".endmacro\n")
	}
	return []byte(b.String())
}

// quadBase is the 8-bit instruction behind a Q instruction's prefix.
func quadBase(name string) string {
	switch name {
	case "ldq":
		return "lda"
	case "stq":
		return "sta"
	case "cpq":
		return "cmp"
	case "orq":
		return "ora"
	case "inq":
		return "inc"
	case "deq":
		return "dec"
	}
	if base, ok := strings.CutSuffix(name, "q"); ok {
		return base
	}
	return name
}

func quadMemoryOnly(name string) bool {
	return opTable()[opKey{name, NoOperand}].narrow == nil
}

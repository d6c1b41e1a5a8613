package asm

import (
	"fmt"
	"strings"
)

// simple prints a statement of one line that starts in column col.
func (p *ca65Printer) simple(s Stmt, col int) string {
	switch s := s.(type) {
	case *Assign:
		return pad(s.Name, s.EqCol-1-col) + " = " + p.expr(s.Value)
	case *Instr:
		return p.instr(s)
	case *Data:
		dir := map[int]string{1: ".byte ", 2: ".word ", 4: ".dword "}[s.Size]
		return dir + p.list(s, s.Items, s.Size)
	case *Text:
		if l := p.list(s, s.Items, 1); l != "" {
			return ".byte " + l
		}
		return ""
	case *Fill:
		t := ".res " + p.expr(s.Count)
		if s.Value != nil {
			t += ", " + p.datum(s, s.Value, 1)
		}
		return t
	case *Align:
		v := "$ea"
		if s.Value != nil {
			v = p.datum(s, s.Value, 1)
		}
		return fmt.Sprintf(".res (%s - *) & %s, %s", p.term(s.Low), p.term(s.Mask), v)
	case *Include:
		return `.include "` + s.Name + `"`
	case *Fail:
		return `.error "` + strings.ReplaceAll(s.Text, `"`, "'") + `"`
	case *Call:
		t := s.Name
		for i, x := range s.Args {
			if i > 0 {
				t += ","
			}
			e := p.expr(x)
			if misread(e) {
				e = "0+" + e
			}
			t += " " + e
		}
		return t
	}
	panic("asm: unknown statement")
}

// misread tells whether text begins with what ca65 misreads in front of an
// operand: a parenthesis means an indirect address, and a byte of an address
// in its place makes it warn. Both are printed with "0+" before.
func misread(text string) bool { return strings.IndexByte("(<>^", text[0]) >= 0 }

func (p *ca65Printer) list(s Stmt, items []Expr, size int) string {
	var out []string
	for _, x := range items {
		if str, ok := x.(*String); ok {
			out = append(out, ca65String(str.S)...)
			continue
		}
		out = append(out, p.datum(s, x, size))
	}
	return strings.Join(out, ", ")
}

// ca65String writes a string; ca65 knows no escapes, so that quotes and
// control characters become numbers.
func ca65String(s string) []string {
	var out []string
	run := ""
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || c == '"' {
			if run != "" {
				out = append(out, `"`+run+`"`)
			}
			run = ""
			out = append(out, fmt.Sprintf("$%02x", c))
			continue
		}
		run += s[i : i+1]
	}
	if run != "" {
		out = append(out, `"`+run+`"`)
	}
	return out
}

// datum prints a value of size bytes. ca65 takes no negative numbers there, so
// those are cut to size in words.
func (p *ca65Printer) datum(s Stmt, x Expr, size int) string {
	if n := p.notes[s]; n == nil || !n.minus[x] {
		return p.expr(x)
	}
	switch size {
	case 1:
		return "<(" + p.expr(x) + ")"
	case 2:
		return ".loword(" + p.expr(x) + ")"
	}
	return "$ffffffff & (" + p.expr(x) + ")"
}

func (p *ca65Printer) use(macro string) string {
	if p.macros == nil {
		p.macros = map[string]bool{}
	}
	p.macros[macro] = true
	return macro
}

func (p *ca65Printer) instr(s *Instr) string {
	name := s.Name
	quad := strings.HasSuffix(name, "q") && name != "beq" && name != "lbeq"
	if quad || s.Form == FarIndZ {
		if s.Form == FarIndZ || s.Form == FarInd {
			name += farSuffix
		}
		p.use(name)
	}
	if s.Form == NoOperand {
		return name
	}
	// Keep the column of the operand where the source lines them up.
	gap := strings.Repeat(" ", max(1, s.OperandCol-s.col-len(name)))
	return name + gap + p.operand(s, quad)
}

func (p *ca65Printer) operand(s *Instr, quad bool) string {
	if s.Form == Imm {
		size := 1
		if s.Name == "phw" {
			size = 2
		}
		return "#" + p.datum(s, s.X, size)
	}
	e := p.expr(s.X)
	switch s.Form {
	case IndX:
		return "(" + e + ",x)"
	case IndY:
		return "(" + e + "),y"
	case IndZ:
		return "(" + e + "),z"
	case StackIndY:
		return "(" + e + ",sp),y"
	case FarIndZ, FarInd:
		return e
	case Ind:
		if quad {
			return "{(" + e + "),z}"
		}
		return "(" + e + ")"
	}
	if misread(e) {
		e = "0+" + e
	}
	switch s.Width {
	case 1:
		e = "z:" + e
	case 2:
		e = "a:" + e
	}
	switch s.Form {
	case PlainX:
		e += ",x"
	case PlainY:
		e += ",y"
	case BitBranch:
		t := p.expr(s.Y)
		return e + "," + t
	}
	if quad && s.Form != Plain {
		e = "{" + e + "}"
	}
	return e
}

// ca65Binding gives the precedence of ca65's binary operators, whose order
// differs from ACME's.
var ca65Binding = map[string]int{
	"*": 7, "/": 7, "%": 7, "&": 7, "<<": 7, ">>": 7, "+": 6, "-": 6, "|": 6,
	"=": 5, "!=": 5, "<": 5, ">": 5, "<=": 5, ">=": 5,
}

const (
	ca65Unary = 10
	ca65Leaf  = 11
)

// expr prints a whole expression.
func (p *ca65Printer) expr(x Expr) string {
	if s, ok := x.(*Sym); ok {
		if sub, ok := p.names[s.Name]; ok {
			return sub.text // alone: needs no parentheses
		}
	}
	t, _ := p.part(x)
	return t
}

// term prints an operand of an operator, in parentheses unless it is a leaf.
func (p *ca65Printer) term(x Expr) string {
	t, bind := p.part(x)
	if bind < ca65Unary {
		return "(" + t + ")"
	}
	return t
}

// part prints an expression and says how tight its outermost operator binds.
func (p *ca65Printer) part(x Expr) (string, int) {
	switch x := x.(type) {
	case *Num:
		return x.Text, ca65Leaf
	case *Char:
		return charLiteral(x.C), ca65Leaf
	case *String:
		return charLiteral(x.S[0]), ca65Leaf
	case *PC:
		return "*", ca65Leaf
	case *Paren:
		return "(" + p.expr(x.X) + ")", ca65Leaf
	case *Sym:
		if sub, ok := p.names[x.Name]; ok {
			return sub.text, sub.bind
		}
		return x.Name, ca65Leaf
	case *Unary:
		op := string(x.Op)
		if x.Op == '!' {
			op = "~"
		}
		t, bind := p.part(x.X)
		if bind < ca65Leaf {
			t = "(" + t + ")"
		}
		return op + t, ca65Unary
	case *Binary:
		return p.binary(x)
	}
	panic("asm: unknown expression")
}

func (p *ca65Printer) binary(x *Binary) (string, int) {
	bind := ca65Binding[x.Op]
	l, lb := p.part(x.X)
	r, rb := p.part(x.Y)
	if lb < bind || lb <= 7 && mixed(x.Op, x.X) {
		l = "(" + l + ")"
	}
	if rb <= bind || rb <= 7 && mixed(x.Op, x.Y) {
		r = "(" + r + ")"
	}
	op := x.Op
	switch op {
	case "%":
		op = " .mod "
	case "!=":
		op = "<>"
	}
	if x.Wide && op[0] != ' ' {
		op = " " + op + " "
	}
	return l + op + r, bind
}

// mixed asks for parentheses where readers of other languages expect another
// order: bit operators next to arithmetic.
func mixed(op string, x Expr) bool {
	b, ok := x.(*Binary)
	if !ok || b.Op == op {
		return false
	}
	bit := func(o string) bool { return o == "&" || o == "|" || o == "<<" || o == ">>" }
	return bit(op) || bit(b.Op)
}

func charLiteral(c byte) string {
	if c < ' ' || c > '~' || c == '\'' || c == '\\' {
		return fmt.Sprintf("$%02x", c)
	}
	return "'" + string(rune(c)) + "'"
}

package asm

import (
	"bytes"
	"fmt"
	"strings"

	"ssnail-kit/mega65/isa"
)

// Parse reads one source file. The error is an ErrorList.
func Parse(name string, src []byte) (*File, error) {
	var errs ErrorList
	p := &parser{file: name, errs: &errs}
	if i := bytes.IndexByte(src, 0); i >= 0 {
		errs.add(name, 1+bytes.Count(src[:i], []byte{'\n'}), "zero byte: this is no source text")
		return nil, errs
	}
	p.toks = lex(name, src, &errs)
	f := &File{Name: name, Src: src, Body: p.lines(false)}
	return f, errs.err()
}

type parser struct {
	file   string
	toks   []token
	i      int
	depth  int
	blocks int
	errs   *ErrorList
}

func (p *parser) peek() token { return p.toks[p.i] }

func (p *parser) take() token {
	t := p.toks[p.i]
	if t.kind != tEOF {
		p.i++
	}
	return t
}

func (p *parser) unexpected(t token, want string) error {
	switch t.kind {
	case tEOL, tEOF, tComment:
		return fmt.Errorf("expected %s, found the end of the line", want)
	}
	return fmt.Errorf("expected %s, found %q", want, t.text)
}

func (p *parser) expect(s string) error {
	if t := p.peek(); !t.is(s) {
		return p.unexpected(t, fmt.Sprintf("%q", s))
	}
	p.take()
	return nil
}

// ends tells whether the statement is over.
func (p *parser) ends() bool {
	t := p.peek()
	return t.kind == tEOL || t.kind == tEOF || t.kind == tComment || t.is(":") || t.is("}")
}

// lines reads to the end of the file or, in a block, to its closing brace,
// which is left to the caller. The last line of a block has no end of its own.
func (p *parser) lines(inBlock bool) []*Line {
	var out []*Line
	for p.peek().kind != tEOF {
		if inBlock && p.peek().is("}") {
			return out
		}
		line := &Line{Num: p.peek().line}
		out = append(out, line)
		if err := p.line(line, inBlock); err != nil {
			p.errs.add(p.file, p.peek().line, "%v", err)
			for k := p.peek().kind; k != tEOL && k != tEOF; k = p.peek().kind {
				p.take()
			}
			p.take()
		}
	}
	return out
}

func (p *parser) line(line *Line, inBlock bool) error {
	for {
		switch t := p.peek(); {
		case t.kind == tComment:
			line.Comment, line.CommentCol = t.text, t.col
			p.take()
		case t.kind == tEOL:
			p.take()
			return nil
		case t.kind == tEOF:
			return nil
		case t.is("}"):
			if inBlock {
				return nil
			}
			return fmt.Errorf("a closing brace without an opening one")
		case t.is(":") && len(line.Stmts) > 0:
			p.take()
		default:
			s, err := p.stmt()
			if err != nil {
				return err
			}
			line.Stmts = append(line.Stmts, s)
			if _, label := s.(*Label); !label && !p.ends() {
				return p.unexpected(p.peek(), "the end of the statement")
			}
		}
	}
}

func (p *parser) stmt() (Stmt, error) {
	t := p.peek()
	pos := stmtPos{t.line, t.col}
	switch {
	case t.kind == tDir:
		p.take()
		return p.directive(t, pos)
	case t.is("*"):
		p.take()
		if err := p.expect("="); err != nil {
			return nil, err
		}
		x, err := p.expr()
		return &Origin{pos, x}, err
	case t.is("+"):
		p.take()
		return p.call(pos)
	case t.kind == tIdent:
		return p.named(t, pos)
	case t.is("-"):
		return nil, fmt.Errorf("anonymous labels are not in the subset: name it, or use a cheap local such as @loop")
	}
	return nil, p.unexpected(t, "an instruction, a label or a directive")
}

// named reads what begins with a word: label, constant or instruction.
func (p *parser) named(t token, pos stmtPos) (Stmt, error) {
	p.take()
	next := p.peek()
	lower := strings.ToLower(t.text)
	switch {
	case next.is("=") || next.is(":") && !next.space && !isa.Known(lower):
		if t.text[0] == '.' {
			return nil, fmt.Errorf("%s: names with a dot are for macro parameters and loop variables; use @%s or a plain name", t.text, t.text[1:])
		}
		if t.text[0] != '@' {
			if why := reserved(t.text); why != "" {
				return nil, fmt.Errorf("%s cannot be a name: %s", t.text, why)
			}
		}
		p.take()
		if next.is(":") {
			if t.col != 0 {
				return nil, fmt.Errorf("label %s must stand in the leftmost column (ACME warns)", t.text)
			}
			return &Label{pos, t.text}, nil
		}
		if t.text[0] == '@' {
			return nil, fmt.Errorf("%s: a constant needs a plain name", t.text)
		}
		x, err := p.expr()
		return &Assign{pos, t.text, next.col, x}, err
	case isa.Known(lower):
		return p.instr(lower, t, pos)
	}
	return nil, unknownWord(t.text)
}

// unknownWord explains a word that is no instruction. ACME takes some of
// these for labels.
func unknownWord(w string) error {
	switch strings.ToLower(w) {
	case "nop":
		return fmt.Errorf("nop: opcode $ea is a prefix on the 45GS02; write eom, or clv to do nothing before (n),z")
	case "aug":
		return fmt.Errorf("aug: write map")
	case "ina", "dea":
		return fmt.Errorf("%s: write %sc", w, w[:2])
	case "cmpq", "oraq":
		return fmt.Errorf("%s: write %s", w, map[string]string{"cmpq": "cpq", "oraq": "orq"}[strings.ToLower(w)])
	case "nega", "asra":
		return fmt.Errorf("%s: write %s", w, w[:3])
	case "bru":
		return fmt.Errorf("bru: write bra")
	}
	return fmt.Errorf("%q is no instruction; a label needs a colon right behind it", w)
}

func (p *parser) instr(name string, t token, pos stmtPos) (Stmt, error) {
	in := &Instr{stmtPos: pos, Name: name}
	if n := p.peek(); n.is("+") && !n.space {
		p.take()
		switch w := p.peek(); {
		case w.kind == tNumber && !w.space && (w.text == "1" || w.text == "2"):
			p.take()
			in.Width = int(w.text[0] - '0')
		default:
			return nil, fmt.Errorf("%s+: expected +1 (base page) or +2 (absolute)", name)
		}
	}
	in.OperandCol = p.peek().col
	if p.ends() {
		return in, nil
	}
	if !p.peek().space && in.Width == 0 && !p.peek().is("#") && !p.peek().is("(") && !p.peek().is("[") {
		return nil, p.unexpected(p.peek(), "a space behind "+name)
	}
	return in, p.operand(in)
}

func (p *parser) operand(in *Instr) (err error) {
	switch {
	case p.peek().is("#"):
		p.take()
		in.Form = Imm
		in.X, err = p.expr()
		return err
	case p.peek().is("["):
		return p.bracketed(in)
	case p.peek().is("(") && p.wrapped():
		return p.indirect(in)
	}
	in.Form = Plain
	if in.X, err = p.expr(); err != nil {
		return err
	}
	if !p.peek().is(",") {
		return nil
	}
	p.take()
	switch p.index() {
	case "x":
		in.Form = PlainX
	case "y":
		in.Form = PlainY
	default:
		in.Form = BitBranch
		in.Y, err = p.expr()
	}
	return err
}

// index takes an index register if one stands here.
func (p *parser) index() string {
	t := p.peek()
	r := strings.ToLower(t.text)
	if t.kind != tIdent || r != "x" && r != "y" && r != "z" && r != "sp" && r != "s" {
		return ""
	}
	if r == "s" {
		r = "sp"
	}
	p.take()
	return r
}

// wrapped tells whether the parenthesis that opens here closes at the end of
// the operand or before its index: "(e)", "(e),y", "(e,x)", not "(e)+1".
func (p *parser) wrapped() bool {
	n := 0
	for i := p.i; ; i++ {
		switch t := p.toks[i]; {
		case t.kind == tEOL || t.kind == tEOF:
			return true // let the reader complain
		case t.is("("):
			n++
		case t.is(")"):
			if n--; n == 0 {
				t := p.toks[i+1]
				return t.kind == tEOL || t.kind == tEOF || t.kind == tComment || t.is(",") || t.is(":") || t.is("}")
			}
		}
	}
}

func (p *parser) indirect(in *Instr) (err error) {
	p.take()
	if in.X, err = p.expr(); err != nil {
		return err
	}
	inner := ""
	if p.peek().is(",") {
		p.take()
		if inner = p.index(); inner == "" {
			return p.unexpected(p.peek(), "x or sp")
		}
	}
	if err = p.expect(")"); err != nil {
		return err
	}
	outer := ""
	if p.peek().is(",") {
		p.take()
		if outer = p.index(); outer == "" {
			return p.unexpected(p.peek(), "y or z")
		}
	}
	forms := map[[2]string]Form{{"x", ""}: IndX, {"", "y"}: IndY, {"", "z"}: IndZ, {"", ""}: Ind, {"sp", "y"}: StackIndY}
	f, ok := forms[[2]string{inner, outer}]
	if !ok {
		return fmt.Errorf("no such addressing mode: (n,%s),%s", inner, outer)
	}
	in.Form = f
	return nil
}

func (p *parser) bracketed(in *Instr) (err error) {
	p.take()
	if in.X, err = p.expr(); err != nil {
		return err
	}
	if err = p.expect("]"); err != nil {
		return err
	}
	in.Form = FarInd
	if p.peek().is(",") {
		p.take()
		if p.index() != "z" {
			return fmt.Errorf("expected z behind [n],")
		}
		in.Form = FarIndZ
	}
	return nil
}

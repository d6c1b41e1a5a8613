package asm

import "fmt"

func (p *parser) directive(t token, pos stmtPos) (s Stmt, err error) {
	switch t.text {
	case "!byte":
		return p.data(pos, 1)
	case "!word":
		return p.data(pos, 2)
	case "!32":
		return p.data(pos, 4)
	case "!text":
		list, err := p.list()
		return &Text{pos, list}, err
	case "!fill":
		list, err := p.args(1, 2, t.text)
		if err != nil {
			return nil, err
		}
		return &Fill{pos, list[0], list[1]}, nil
	case "!align":
		list, err := p.args(2, 3, t.text)
		if err != nil {
			return nil, err
		}
		return &Align{pos, list[0], list[1], list[2]}, nil
	case "!src":
		name, err := p.str("a file name in double quotes")
		return &Include{pos, name}, err
	case "!error":
		text, err := p.str("a text in double quotes")
		return &Fail{pos, text}, err
	case "!cpu":
		if c := p.peek(); c.kind != tIdent || c.text != "m65" {
			return nil, p.unexpected(c, "m65")
		}
		p.take()
		return &CPU{pos}, nil
	case "!if":
		x, err := p.expr()
		if err != nil {
			return nil, err
		}
		return p.branches(&If{stmtPos: pos, Cond: x})
	case "!ifdef", "!ifndef":
		n := p.peek()
		if n.kind != tIdent || n.text[0] == '.' || n.text[0] == '@' {
			return nil, p.unexpected(n, "a name")
		}
		p.take()
		return p.branches(&If{stmtPos: pos, Name: n.text, Not: t.text == "!ifndef"})
	case "!for":
		return p.forLoop(pos)
	case "!macro":
		return p.macro(pos)
	}
	return nil, fmt.Errorf("%s is not in the subset that every assembler understands", t.text)
}

func (p *parser) list() ([]Expr, error) {
	var out []Expr
	for {
		x, err := p.expr()
		if err != nil {
			return nil, err
		}
		out = append(out, x)
		if !p.peek().is(",") {
			return out, nil
		}
		p.take()
	}
}

func (p *parser) args(min, max int, what string) ([]Expr, error) {
	list, err := p.list()
	if err != nil {
		return nil, err
	}
	if len(list) < min || len(list) > max {
		return nil, fmt.Errorf("%s takes %d or %d values, found %d", what, min, max, len(list))
	}
	for len(list) < max {
		list = append(list, nil)
	}
	return list, nil
}

func (p *parser) data(pos stmtPos, size int) (Stmt, error) {
	list, err := p.list()
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		if s, ok := x.(*String); ok && (size != 1 || len(s.S) != 1) {
			return nil, fmt.Errorf("text of %d characters among numbers: use !text", len(s.S))
		}
	}
	return &Data{pos, size, list}, nil
}

func (p *parser) str(want string) (string, error) {
	t := p.peek()
	if t.kind != tString {
		return "", p.unexpected(t, want)
	}
	p.take()
	return t.text, nil
}

// block reads "{ lines }".
func (p *parser) block() (*Block, error) {
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	open := p.peek().line
	if p.blocks++; p.blocks > maxDepth {
		return nil, fmt.Errorf("blocks are nested more than %d deep", maxDepth)
	}
	defer func() { p.blocks-- }()
	b := &Block{}
	if t := p.peek(); t.kind == tComment {
		b.Comment = t.text
		p.take()
	}
	if p.peek().kind == tEOL {
		p.take()
	}
	b.Lines = p.lines(true)
	b.EndCol = p.peek().col
	if !p.peek().is("}") {
		return nil, fmt.Errorf("the block opened in line %d has no closing brace", open)
	}
	p.take()
	return b, nil
}

func (p *parser) branches(s *If) (_ Stmt, err error) {
	if s.Then, err = p.block(); err != nil {
		return nil, err
	}
	t := p.peek()
	if t.kind != tIdent || t.text != "else" {
		return s, nil
	}
	p.take()
	t = p.peek()
	if t.kind != tIdent || t.text != "if" && t.text != "ifdef" && t.text != "ifndef" {
		s.Else, err = p.block()
		return s, err
	}
	p.take()
	if p.blocks++; p.blocks > maxDepth {
		return nil, fmt.Errorf("more than %d branches", maxDepth)
	}
	defer func() { p.blocks-- }()
	inner, err := p.directive(token{kind: tDir, text: "!" + t.text}, stmtPos{t.line, s.col})
	if err != nil {
		return nil, err
	}
	s.Chain = true
	s.Else = &Block{Lines: []*Line{{Num: t.line, Stmts: []Stmt{inner}}}}
	return s, nil
}

func (p *parser) forLoop(pos stmtPos) (Stmt, error) {
	v := p.peek()
	if v.kind != tIdent || v.text[0] == '@' {
		return nil, p.unexpected(v, "a loop variable")
	}
	if why := reserved(v.text); why != "" {
		return nil, fmt.Errorf("%s cannot be a loop variable: %s", v.text, why)
	}
	p.take()
	if err := p.expect(","); err != nil {
		return nil, err
	}
	list, err := p.list()
	if err != nil {
		return nil, err
	}
	if len(list) != 2 {
		return nil, fmt.Errorf("!for takes a name, a first and a last value")
	}
	body, err := p.block()
	return &For{pos, v.text, list[0], list[1], body}, err
}

func (p *parser) macro(pos stmtPos) (Stmt, error) {
	n := p.peek()
	if n.kind != tIdent || n.text[0] == '.' || n.text[0] == '@' {
		return nil, p.unexpected(n, "a macro's name")
	}
	if why := reserved(n.text); why != "" {
		return nil, fmt.Errorf("%s cannot be a macro's name: %s", n.text, why)
	}
	p.take()
	m := &Macro{stmtPos: pos, Name: n.text}
	for !p.peek().is("{") {
		if len(m.Params) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		a := p.peek()
		if a.kind != tIdent || a.text[0] != '.' {
			return nil, p.unexpected(a, "a parameter with a dot, such as .value")
		}
		for _, old := range m.Params {
			if old == a.text {
				return nil, fmt.Errorf("macro %s has two parameters %s", m.Name, a.text)
			}
		}
		m.Params = append(m.Params, a.text)
		p.take()
	}
	var err error
	m.Body, err = p.block()
	return m, err
}

func (p *parser) call(pos stmtPos) (Stmt, error) {
	n := p.peek()
	if n.kind != tIdent || n.text[0] == '.' || n.text[0] == '@' {
		return nil, p.unexpected(n, "a macro's name")
	}
	p.take()
	c := &Call{stmtPos: pos, Name: n.text}
	if p.ends() {
		return c, nil
	}
	var err error
	c.Args, err = p.list()
	return c, err
}

package asm

import (
	"fmt"
	"strconv"
	"strings"
)

// maxDepth bounds nesting: parentheses and operators of an expression, blocks,
// macros that call macros, files that read files.
const maxDepth = 48

// binding gives the precedence of the binary operators.
var binding = map[string]int{
	"*": 11, "/": 11, "%": 11, "+": 10, "-": 10, "<<": 9, ">>": 9,
	"<=": 7, "<": 7, ">=": 7, ">": 7, "!=": 6, "=": 5, "&": 4, "|": 3,
}

const (
	bindSign = 12 // unary - and !
	bindByte = 8  // unary < > ^
)

func (p *parser) expr() (Expr, error) { return p.binary(0) }

// binary reads an expression of operators that bind tighter than min.
func (p *parser) binary(min int) (Expr, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, fmt.Errorf("expression is nested more than %d deep", maxDepth)
	}
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		t := p.peek()
		b := binding[t.text]
		if t.kind != tPunct || b <= min {
			return x, nil
		}
		if n > 1000 {
			return nil, fmt.Errorf("expression has more than 1000 operators")
		}
		p.take()
		spaced := t.space && p.peek().space
		y, err := p.binary(b)
		if err != nil {
			return nil, err
		}
		x = &Binary{t.text, x, y, spaced}
	}
}

func (p *parser) primary() (Expr, error) {
	t := p.peek()
	switch t.kind {
	case tNumber:
		p.take()
		return number(t.text)
	case tChar:
		p.take()
		return &Char{t.text[0]}, nil
	case tString:
		p.take()
		return &String{t.text}, nil
	case tIdent:
		p.take()
		return &Sym{t.text, stmtPos{t.line, t.col}}, nil
	case tPunct:
		return p.operator(t)
	}
	return nil, p.unexpected(t, "a number, a name or an expression")
}

func (p *parser) operator(t token) (Expr, error) {
	switch t.text {
	case "(":
		p.take()
		x, err := p.expr()
		if err != nil {
			return nil, err
		}
		if err := p.expect(")"); err != nil {
			return nil, err
		}
		return &Paren{x}, nil
	case "*":
		p.take()
		return &PC{}, nil
	case "%":
		p.take()
		if d := p.peek(); d.kind == tNumber && !d.space {
			p.take()
			return binaryNumber(d.text)
		}
		return nil, fmt.Errorf("expected binary digits behind %%")
	case "-", "!", "<", ">", "^":
		p.take()
		min := bindByte
		if t.text == "-" || t.text == "!" {
			min = bindSign
		}
		x, err := p.binary(min)
		if err != nil {
			return nil, err
		}
		return &Unary{t.text[0], x}, nil
	}
	return nil, p.unexpected(t, "a number, a name or an expression")
}

func number(text string) (Expr, error) {
	if hex, ok := strings.CutPrefix(text, "$"); ok {
		v, err := strconv.ParseUint(hex, 16, 32)
		if err != nil {
			return nil, fmt.Errorf("%s is no hexadecimal number of at most 32 bits", text)
		}
		return &Num{int64(v), text, len(hex) > 2 && hex[0] == '0'}, nil
	}
	v, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("%s is no decimal number of at most 32 bits", text)
	}
	if len(text) > 1 && text[0] == '0' {
		return nil, fmt.Errorf("decimal number %s has a leading zero", text)
	}
	return &Num{int64(v), text, false}, nil
}

func binaryNumber(text string) (Expr, error) {
	v, err := strconv.ParseUint(text, 2, 32)
	if err != nil {
		return nil, fmt.Errorf("%%%s is no binary number of at most 32 bits", text)
	}
	switch len(text) {
	case 4, 8, 16:
	default:
		return nil, fmt.Errorf("binary number %%%s has %d digits; ACME wants 4, 8 or 16", text, len(text))
	}
	return &Num{int64(v), "%" + text, len(text) > 8 && text[0] == '0'}, nil
}

package asm

import "fmt"

// value is what an expression yields in one pass.
type value struct {
	n     int64
	undef bool // a symbol in it has no value yet
	ever  bool // a symbol in it was used before it was defined
	byte  bool // ever, but the result of < > ^: fits a byte all the same
	wide  bool // a number in it is written with leading zeros
}

// symbol is a label or a constant.
type symbol struct {
	name    string
	val     value
	defined int // the pass that defined it last, 0 = never
	label   bool
	file    string
	line    int
	order   int
}

// scope is where names with a dot are looked up: a macro's parameters, a
// loop's variable.
type scope struct {
	outer  *scope
	names  []string
	values []value
	binds  []int // how tight the text that ca65 puts there binds
}

func (s *scope) find(name string) (v value, bind int, ok bool) {
	for ; s != nil; s = s.outer {
		for i, n := range s.names {
			if n == name {
				return s.values[i], s.binds[i], true
			}
		}
	}
	return value{}, 0, false
}

// textBind says how tight x binds as ca65 sees it where a macro uses it, which
// puts text in the place of a parameter, not a value. Text that would begin
// with a parenthesis or a byte operator gets "0+" in front (misread).
func (a *assembler) textBind(x Expr) int {
	sum := ca65Binding["+"]
	switch x := x.(type) {
	case *Paren:
		return sum
	case *Unary:
		if x.Op == '<' || x.Op == '>' || x.Op == '^' {
			return sum
		}
		return ca65Unary
	case *Binary:
		own := ca65Binding[x.Op]
		if _, ok := x.X.(*Binary); ok {
			own = min(own, sum) // may be printed in parentheses
		}
		return min(own, a.textBind(x.X))
	case *Sym:
		if _, bind, ok := a.scope.find(x.Name); ok {
			return bind
		}
	}
	return ca65Leaf
}

// eval computes x. The error has no place; the caller knows the line.
func (a *assembler) eval(x Expr) (value, error) {
	switch x := x.(type) {
	case *Num:
		return value{n: x.Value, wide: x.Wide}, nil
	case *Char:
		return value{n: int64(x.C)}, nil
	case *String:
		if len(x.S) != 1 {
			return value{}, fmt.Errorf("a text of %d characters is no number", len(x.S))
		}
		return value{n: int64(x.S[0])}, nil
	case *Sym:
		return a.lookup(x.Name)
	case *PC:
		if a.pc < 0 {
			return value{}, fmt.Errorf("* has no value before the program's start is set")
		}
		return value{n: int64(a.pc)}, nil
	case *Paren:
		return a.eval(x.X)
	case *Unary:
		v, err := a.eval(x.X)
		if err != nil {
			return v, err
		}
		return unary(x.Op, v)
	case *Binary:
		l, err := a.eval(x.X)
		if err != nil {
			return l, err
		}
		r, err := a.eval(x.Y)
		if err != nil {
			return r, err
		}
		return operate(x.Op, l, r)
	}
	panic("asm: unknown expression")
}

func unary(op byte, v value) (value, error) {
	switch op {
	case '-':
		v.n, v.byte = -v.n, false
	case '!':
		v.n, v.byte = ^v.n, false
	case '<':
		return value{v.n & 255, v.undef, v.ever, true, false}, nil
	case '>':
		return value{v.n >> 8 & 255, v.undef, v.ever, true, false}, nil
	case '^':
		return value{v.n >> 16 & 255, v.undef, v.ever, true, false}, nil
	}
	return v, inRange(v)
}

// inRange keeps to numbers that both assemblers compute alike.
func inRange(v value) error {
	if v.n < -1<<31 || v.n > 1<<32-1 {
		return fmt.Errorf("value %d needs more than 32 bits", v.n)
	}
	return nil
}

func operate(op string, l, r value) (value, error) {
	v := value{undef: l.undef || r.undef, ever: l.ever || r.ever, wide: l.wide || r.wide}
	switch op {
	case "*":
		v.n = l.n * r.n // both within 33 bits: 2^64 is not reached, see below
		if l.n != 0 && (v.n/l.n != r.n) {
			return v, fmt.Errorf("value of %d * %d needs more than 32 bits", l.n, r.n)
		}
	case "/", "%":
		if r.n == 0 {
			if v.undef {
				return v, nil
			}
			return v, fmt.Errorf("division by zero")
		}
		if op == "/" {
			v.n = l.n / r.n
		} else {
			v.n = l.n % r.n
		}
	case "+":
		v.n = l.n + r.n
	case "-":
		v.n = l.n - r.n
	case "<<", ">>":
		if l.n < 0 || r.n < 0 || r.n > 31 {
			return v, fmt.Errorf("%d %s %d: shift a positive number by 0 to 31", l.n, op, r.n)
		}
		if op == ">>" {
			v.n = l.n >> r.n
		} else {
			v.n = l.n << r.n
		}
	case "&":
		v.n = l.n & r.n
	case "|":
		v.n = l.n | r.n
	default:
		v.n = truth(op, l.n, r.n)
	}
	return v, inRange(v)
}

func truth(op string, l, r int64) int64 {
	var t bool
	switch op {
	case "=":
		t = l == r
	case "!=":
		t = l != r
	case "<":
		t = l < r
	case "<=":
		t = l <= r
	case ">":
		t = l > r
	case ">=":
		t = l >= r
	}
	if t {
		return 1
	}
	return 0
}

// lookup finds the value of a name. A name that has none yet is remembered as
// used too early.
func (a *assembler) lookup(name string) (value, error) {
	if v, _, ok := a.scope.find(name); ok {
		return v, nil
	}
	if name[0] == '.' {
		return value{}, fmt.Errorf("%s is no parameter of this macro and no loop variable", name)
	}
	s := a.symbol(name)
	if s.defined == 0 {
		s.val.ever = true
		a.missing(s)
		return value{undef: true, ever: true}, nil
	}
	if s.defined < a.pass {
		s.val.ever = true // its line comes later
	}
	if s.val.undef {
		a.missing(s)
	}
	return s.val, nil
}

// symbol returns the entry of a plain or, in the present scope, a cheap name.
func (a *assembler) symbol(name string) *symbol {
	key := name
	if name[0] == '@' {
		key = a.cheap + name
	}
	s := a.symbols[key]
	if s == nil {
		s = &symbol{name: key}
		a.symbols[key] = s
	}
	return s
}

// known evaluates an expression that decides the layout and so must not look
// ahead.
func (a *assembler) known(x Expr, what string) (int64, error) {
	v, err := a.eval(x)
	if err != nil {
		return 0, err
	}
	if v.undef || v.ever {
		return 0, fmt.Errorf("%s depends on a name that is defined further down", what)
	}
	return v.n, nil
}

package asm

import (
	"fmt"
	"strconv"
)

func (a *assembler) branch(s *If) error {
	var yes bool
	if s.Cond != nil {
		n, err := a.known(s.Cond, "the condition")
		if err != nil {
			return err
		}
		yes = n != 0
	} else {
		sym := a.symbols[s.Name]
		defined := sym != nil && sym.defined == a.pass
		if !defined {
			a.tested[s.Name] = place{a.file.Name, a.line}
		}
		yes = defined != s.Not
	}
	switch {
	case yes:
		a.block(s.Then.Lines)
	case s.Else != nil:
		a.block(s.Else.Lines)
	}
	return nil
}

func (a *assembler) loop(s *For) error {
	first, err := a.known(s.First, "the loop's first value")
	if err != nil {
		return err
	}
	last, err := a.known(s.Last, "the loop's last value")
	if err != nil {
		return err
	}
	if _, ok := a.symbols[s.Var]; ok && s.Var[0] != '.' {
		return fmt.Errorf("loop variable %s is a constant or label elsewhere", s.Var)
	}
	if _, _, ok := a.scope.find(s.Var); ok {
		return fmt.Errorf("loop variable %s is in use around this loop already", s.Var)
	}
	step := int64(1)
	if first > last {
		step = -1
	}
	n := a.note(s)
	if down := step < 0; n.seen && n.down != down {
		return fmt.Errorf("this loop counts up in one place and down in another")
	} else {
		n.seen, n.down = true, down
	}
	outer, loop := a.scope, a.inLoop
	a.inLoop = true
	for i := first; !a.stopped; i += step {
		a.scope = &scope{outer, []string{s.Var}, []value{{n: i}}, []int{ca65Binding["+"]}}
		if a.steps++; a.steps > maxSteps {
			a.stopped = true
			a.fail("more than %d statements: loops or macros run away", maxSteps)
			break
		}
		a.block(s.Body.Lines)
		if i == last {
			break
		}
	}
	a.scope, a.inLoop = outer, loop
	return nil
}

func (a *assembler) define(s *Macro) error {
	if a.inMacro || a.inLoop {
		return fmt.Errorf("macro %s is defined in a macro or loop", s.Name)
	}
	if old := a.macros[s.Name]; old != nil {
		return fmt.Errorf("macro %s is defined in %s:%d already", s.Name, old.file.Name, old.macro.line)
	}
	if sym := a.symbols[s.Name]; sym != nil {
		return fmt.Errorf("macro %s has the name of a label or constant: ca65 keeps them in one table", s.Name)
	}
	a.macros[s.Name] = &definition{s, a.file}
	return nil
}

func (a *assembler) call(s *Call) error {
	m := a.macros[s.Name]
	if m == nil {
		return fmt.Errorf("macro %s is not defined, or further down", s.Name)
	}
	if len(s.Args) != len(m.macro.Params) {
		return fmt.Errorf("macro %s takes %d values, found %d", s.Name, len(m.macro.Params), len(s.Args))
	}
	if a.depth >= maxDepth {
		return fmt.Errorf("macros call macros more than %d deep", maxDepth)
	}
	inner := &scope{names: m.macro.Params}
	note := a.note(m.macro)
	for len(note.binds) < len(s.Args) {
		note.binds = append(note.binds, ca65Leaf)
	}
	for i, x := range s.Args {
		v, err := a.eval(x)
		if err != nil {
			return err
		}
		if hasPC(x) {
			return fmt.Errorf("* as a macro's value: ca65 would take it where the macro uses it")
		}
		inner.values = append(inner.values, v)
		bind := a.textBind(x)
		inner.binds = append(inner.binds, bind)
		note.binds[i] = min(note.binds[i], bind)
	}
	a.calls++
	scope, cheap, file, line, macro, loop := a.scope, a.cheap, a.file, a.line, a.inMacro, a.inLoop
	before := len(a.errs)
	if !macro {
		a.site = place{file.Name, line}
	}
	a.scope, a.cheap, a.inMacro, a.inLoop = inner, "macro"+strconv.Itoa(a.calls), true, false
	a.file = m.file
	a.depth++
	a.block(m.macro.Body.Lines)
	a.depth--
	a.scope, a.cheap, a.file, a.line, a.inMacro, a.inLoop = scope, cheap, file, line, macro, loop
	if len(a.errs) > before {
		for _, e := range a.errs[before:] {
			e.Msg += fmt.Sprintf(" (in macro %s, called from %s:%d)", s.Name, file.Name, line)
		}
	}
	return nil
}

func (a *assembler) include(s *Include) error {
	if a.inMacro || a.inLoop {
		return fmt.Errorf("!src in a macro or loop")
	}
	f := a.files[s.Name]
	if f == nil {
		if len(a.files) >= maxFiles {
			return fmt.Errorf("more than %d source files", maxFiles)
		}
		src, err := a.read(s.Name)
		if err != nil {
			return fmt.Errorf("read %q: %w", s.Name, err)
		}
		f, err = Parse(s.Name, src)
		if err != nil {
			for _, e := range err.(ErrorList) {
				a.errs.add(e.File, e.Line, "%s", e.Msg)
			}
			return nil
		}
		a.files[s.Name] = f
	}
	if a.depth >= maxDepth {
		return fmt.Errorf("files read files more than %d deep: does %q read itself?", maxDepth, s.Name)
	}
	a.depth++
	a.lines(f)
	a.depth--
	return nil
}

// hasPC tells whether * occurs in x.
func hasPC(x Expr) bool {
	switch x := x.(type) {
	case *PC:
		return true
	case *Unary:
		return hasPC(x.X)
	case *Binary:
		return hasPC(x.X) || hasPC(x.Y)
	case *Paren:
		return hasPC(x.X)
	}
	return false
}

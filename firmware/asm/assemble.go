package asm

import (
	"fmt"
	"sort"
)

// Reader returns the text of a source file by its name in !src.
type Reader func(name string) ([]byte, error)

// Limits that keep a broken source from running away.
const (
	maxFiles = 200
	maxSteps = 1 << 20 // statements executed, over all passes
	topOfMap = 0x10000
)

// Assemble reads root and the files that it names, and assembles them. The
// defines are constants known from the start, for !ifdef. The error is an
// ErrorList, or the Reader's for root.
func Assemble(root string, read Reader, defines map[string]int64) (*Result, error) {
	src, err := read(root)
	if err != nil {
		return nil, fmt.Errorf("read source: %w", err)
	}
	a := &assembler{read: read, files: map[string]*File{}, symbols: map[string]*symbol{}, defines: defines}
	f, err := Parse(root, src)
	if err != nil {
		return nil, err
	}
	a.files[root] = f
	return a.run(f)
}

type assembler struct {
	read    Reader
	files   map[string]*File
	symbols map[string]*symbol
	defines map[string]int64

	pass    int
	errs    ErrorList
	steps   int
	pc      int // -1 before the origin
	origin  int
	out     []byte
	marks   []mark
	order   []string // files in the order of first use
	moved   bool     // a label has another value than in the last pass
	undef   map[string]place
	macros  map[string]*definition
	notes   map[any]*note
	calls   int
	defs    int
	scope   *scope
	cheap   string
	file    *File
	line    int
	depth   int
	inMacro bool
	inLoop  bool
	last    lastOps
	cpu     bool             // !cpu m65 was seen
	site    place            // the outermost macro call being expanded
	tested  map[string]place // names that !ifdef did not find
	stopped bool
}

type place struct {
	file string
	line int
}

type definition struct {
	macro *Macro
	file  *File
}

// run makes passes until every name has its value. The layout is final after
// the first one, as whatever decides it must be known when its line is read.
func (a *assembler) run(root *File) (*Result, error) {
	before := -1
	for a.pass = 1; ; a.pass++ {
		a.reset()
		a.lines(root)
		if len(a.errs) == 0 && a.pc < 0 {
			a.errs.add(root.Name, 1, "nothing to assemble: the program's start is not set (* = $2001)")
		}
		if len(a.errs) > 0 {
			return nil, a.errs
		}
		if len(a.undef) == 0 && !a.moved {
			if a.tooEarly(); len(a.errs) > 0 {
				return nil, a.errs
			}
			return a.result(), nil
		}
		if len(a.undef) == before && !a.moved {
			return nil, a.undefined()
		}
		before = len(a.undef)
		if a.pass > 100 {
			a.errs.add(root.Name, 1, "labels do not settle after %d passes", a.pass)
			return nil, a.errs
		}
	}
}

func (a *assembler) reset() {
	a.pc, a.calls, a.defs, a.depth = -1, 0, 0, 0
	a.out, a.marks, a.order = a.out[:0], a.marks[:0], nil
	a.moved, a.stopped = false, false
	a.undef = map[string]place{}
	a.macros = map[string]*definition{}
	a.notes = map[any]*note{}
	a.scope, a.cheap, a.last, a.cpu = nil, "", lastOps{}, false
	a.tested = map[string]place{}
	for name, v := range a.defines {
		s := a.symbol(name)
		s.val, s.defined, s.file = value{n: v}, a.pass, ""
	}
}

func (a *assembler) fail(format string, args ...any) {
	a.errs.add(a.file.Name, a.line, format, args...)
	if len(a.errs) >= maxErrors {
		a.stopped = true
	}
}

func (a *assembler) missing(s *symbol) {
	if _, ok := a.undef[s.name]; !ok {
		a.undef[s.name] = place{a.file.Name, a.line}
	}
}

func (a *assembler) undefined() error {
	names := make([]string, 0, len(a.undef))
	for n := range a.undef {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool {
		p, q := a.undef[names[i]], a.undef[names[j]]
		if p.file != q.file {
			return p.file < q.file
		}
		if p.line != q.line {
			return p.line < q.line
		}
		return names[i] < names[j]
	})
	for _, n := range names {
		p := a.undef[n]
		if s := a.symbols[n]; s != nil && s.defined > 0 {
			continue // a constant that rests on a missing name, which is listed too
		}
		a.errs.add(p.file, p.line, "%s is not defined", display(n))
	}
	if len(a.errs) == 0 {
		p := a.undef[names[0]]
		a.errs.add(p.file, p.line, "%s is defined by itself", display(names[0]))
	}
	return a.errs
}

// tooEarly finds an !ifdef of a name that is defined further down: it would
// go one way in ACME's first pass and the other way in its second.
func (a *assembler) tooEarly() {
	for name, p := range a.tested {
		if s := a.symbols[name]; s != nil && s.defined == a.pass {
			a.errs.add(p.file, p.line, "%s is defined further down, in %s:%d: the condition must not depend on it", name, s.file, s.line)
		}
	}
	sort.Slice(a.errs, func(i, j int) bool { return a.errs[i].Line < a.errs[j].Line })
}

// lines executes a file's body.
func (a *assembler) lines(f *File) {
	outer, line := a.file, a.line
	a.file = f
	if !a.seen(f.Name) {
		a.order = append(a.order, f.Name)
	}
	a.block(f.Body)
	a.file, a.line = outer, line
}

func (a *assembler) seen(name string) bool {
	for _, n := range a.order {
		if n == name {
			return true
		}
	}
	return false
}

func (a *assembler) block(lines []*Line) {
	for _, l := range lines {
		for _, s := range l.Stmts {
			a.line = s.pos().line
			if a.steps++; a.steps > maxSteps {
				if !a.stopped {
					a.fail("more than %d statements: loops or macros run away", maxSteps)
				}
				a.stopped = true
			}
			if a.stopped {
				return
			}
			if err := a.stmt(s); err != nil {
				a.fail("%v", err)
			}
		}
	}
}

func (a *assembler) stmt(s Stmt) error {
	switch s := s.(type) {
	case *Label:
		return a.label(s)
	case *Assign:
		return a.assign(s)
	case *Origin:
		return a.setOrigin(s)
	case *Instr:
		return a.instr(s)
	case *Data:
		return a.data(s)
	case *Text:
		return a.text(s)
	case *Fill:
		return a.fill(s)
	case *Align:
		return a.align(s)
	case *Include:
		return a.include(s)
	case *Fail:
		return fmt.Errorf("%s", s.Text)
	case *CPU:
		a.cpu = true
		return nil
	case *If:
		return a.branch(s)
	case *For:
		return a.loop(s)
	case *Macro:
		return a.define(s)
	case *Call:
		return a.call(s)
	}
	panic("asm: unknown statement")
}

// set gives a symbol its value in this pass.
func (a *assembler) set(name string, v value, label bool) error {
	s := a.symbol(name)
	if s.defined == a.pass {
		if s.file == "" {
			return fmt.Errorf("%s is set from outside already", display(s.name))
		}
		return fmt.Errorf("%s is defined in %s:%d already", display(s.name), s.file, s.line)
	}
	if s.defined > 0 && s.val.n != v.n {
		a.moved = true
	}
	v.ever = v.ever || s.val.ever
	a.defs++
	s.val, s.defined, s.label, s.file, s.line, s.order = v, a.pass, label, a.file.Name, a.line, a.defs
	return nil
}

func (a *assembler) label(s *Label) error {
	if a.pc < 0 {
		return fmt.Errorf("label %s stands before the program's start is set", s.Name)
	}
	cheap := s.Name[0] == '@'
	if !cheap && (a.inMacro || a.inLoop) {
		return fmt.Errorf("label %s in a macro or loop would be defined again at each turn; use @%s", s.Name, s.Name)
	}
	if cheap && a.inLoop {
		return fmt.Errorf("label %s in a loop would be defined again at each turn", s.Name)
	}
	if !cheap {
		if m := a.macros[s.Name]; m != nil {
			return fmt.Errorf("%s is a macro already: ca65 takes the label for a call", s.Name)
		}
		a.cheap = s.Name
	}
	return a.set(s.Name, value{n: int64(a.pc)}, true)
}

func (a *assembler) assign(s *Assign) error {
	if a.inMacro || a.inLoop {
		return fmt.Errorf("constant %s in a macro or loop would be defined again at each turn", s.Name)
	}
	if m := a.macros[s.Name]; m != nil {
		return fmt.Errorf("%s is a macro already: ca65 takes the name for a call", s.Name)
	}
	v, err := a.eval(s.Value)
	if err != nil {
		return err
	}
	return a.set(s.Name, v, false)
}

func (a *assembler) setOrigin(s *Origin) error {
	n, err := a.known(s.Value, "the program's start")
	if err != nil {
		return err
	}
	if a.pc >= 0 {
		return fmt.Errorf("the program's start is set already, to $%04x", a.origin)
	}
	if a.inMacro || a.inLoop {
		return fmt.Errorf("the program's start cannot be set in a macro or loop")
	}
	if n < 0 || n >= topOfMap {
		return fmt.Errorf("the program's start $%x is not within $0000-$ffff", n)
	}
	a.pc, a.origin = int(n), int(n)
	return nil
}

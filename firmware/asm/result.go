package asm

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// Result is an assembled program.
type Result struct {
	Origin  int    // address of the first byte
	Code    []byte // without a load address
	Files   []*File
	Symbols []Symbol // by name
	Modules []Module // in the order of the sources

	root  string
	notes map[any]*note
	marks []mark
}

// Symbol is a label or constant. A cheap label is called "routine@name".
type Symbol struct {
	Name  string
	Value int64
	Label bool // else a constant
	Cheap bool
	File  string // "" for one set from outside
	Line  int
	order int
}

// Module is how many bytes a source file makes. What a macro makes counts for
// the file that calls it. The sum is the program's length.
type Module struct {
	File  string
	Bytes int
}

// Routine is the code from one label to the next.
type Routine struct {
	Name       string
	Start, End int // End is the first address behind it
	File       string
	Line       int
}

// display writes a symbol's key for people: macro-local names lose the number
// of the call.
func display(key string) string {
	if i := strings.IndexByte(key, '@'); i > 0 && strings.HasPrefix(key, "macro") {
		return key[i:]
	}
	return key
}

func (a *assembler) result() *Result {
	r := &Result{Origin: a.origin, Code: bytes.Clone(a.out), notes: a.notes, marks: append([]mark(nil), a.marks...), root: a.order[0]}
	for _, n := range a.order {
		r.Files = append(r.Files, a.files[n])
	}
	for _, s := range a.symbols {
		if s.defined != a.pass {
			continue
		}
		cheap := strings.IndexByte(s.name, '@') >= 0
		if cheap && display(s.name) != s.name {
			continue // local to one call of a macro
		}
		r.Symbols = append(r.Symbols, Symbol{s.name, s.val.n, s.label, cheap, s.file, s.line, s.order})
	}
	sort.Slice(r.Symbols, func(i, j int) bool { return r.Symbols[i].Name < r.Symbols[j].Name })
	size := map[string]int{}
	end := a.pc
	for i := len(a.marks) - 1; i >= 0; i-- {
		size[a.marks[i].file] += end - a.marks[i].addr
		end = a.marks[i].addr
	}
	for _, n := range a.order {
		r.Modules = append(r.Modules, Module{n, size[n]})
	}
	return r
}

// Lookup returns the value of a label or constant.
func (r *Result) Lookup(name string) (int64, bool) {
	i := sort.Search(len(r.Symbols), func(i int) bool { return r.Symbols[i].Name >= name })
	if i < len(r.Symbols) && r.Symbols[i].Name == name {
		return r.Symbols[i].Value, true
	}
	return 0, false
}

// Routines lists the code between the plain labels, by address. Of labels that
// share an address the last one in the source names the routine.
func (r *Result) Routines() []Routine {
	var labels []Symbol
	for _, s := range r.Symbols {
		if s.Label && !s.Cheap {
			labels = append(labels, s)
		}
	}
	sort.Slice(labels, func(i, j int) bool {
		if labels[i].Value != labels[j].Value {
			return labels[i].Value < labels[j].Value
		}
		return labels[i].order < labels[j].order
	})
	var out []Routine
	for i, s := range labels {
		end := r.Origin + len(r.Code)
		if i+1 < len(labels) {
			end = int(labels[i+1].Value)
		}
		if int(s.Value) < end {
			out = append(out, Routine{s.Name, int(s.Value), end, s.File, s.Line})
		}
	}
	return out
}

// LineAt returns the file and line that made the byte at addr.
func (r *Result) LineAt(addr int) (file string, line int, ok bool) {
	if addr < r.Origin || addr >= r.Origin+len(r.Code) {
		return "", 0, false
	}
	i := sort.Search(len(r.marks), func(i int) bool { return r.marks[i].addr > addr }) - 1
	if i < 0 {
		return "", 0, false
	}
	return r.marks[i].file, r.marks[i].line, true
}

// ViceLabels writes the labels as "al 002011 .name" lines by address, which
// monitors and debuggers of Commodore emulators read.
func (r *Result) ViceLabels() []byte {
	var labels []Symbol
	for _, s := range r.Symbols {
		if s.Label {
			labels = append(labels, s)
		}
	}
	sort.Slice(labels, func(i, j int) bool {
		if labels[i].Value != labels[j].Value {
			return labels[i].Value < labels[j].Value
		}
		return labels[i].order < labels[j].order
	})
	var b bytes.Buffer
	for _, s := range labels {
		fmt.Fprintf(&b, "al %06x .%s\n", s.Value, s.Name)
	}
	return b.Bytes()
}

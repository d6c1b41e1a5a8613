package asm

import (
	"fmt"
	"sort"
	"strings"
)

// Dialect is an assembler that sources are written for.
type Dialect int

// The dialects.
const (
	ACME Dialect = iota // ACME 0.97
	CA65                // ca65 and ld65 2.19
)

// ParseDialect returns the dialect of that name, acme or ca65.
func ParseDialect(name string) (Dialect, bool) {
	switch strings.ToLower(name) {
	case "acme":
		return ACME, true
	case "ca65":
		return CA65, true
	}
	return 0, false
}

func (d Dialect) String() string {
	if d == CA65 {
		return "ca65"
	}
	return "acme"
}

// Source returns the program's source files by name, comments kept, and a
// build.sh that makes prg (a file name) from them without a word. ACME's files
// are those that were assembled, since their language is ACME's; ca65's are
// printed from what was understood of them.
func (r *Result) Source(d Dialect, prg string) map[string][]byte {
	if d == CA65 {
		out := r.ca65()
		out["build.sh"] = r.script(d, "ca65 -I .%s -o program.o "+r.root, prg)
		return out
	}
	out := map[string][]byte{}
	for _, f := range r.Files {
		out[f.Name] = f.Src
	}
	out["build.sh"] = r.script(d, "acme%s -f cbm -o "+prg+" "+r.root, prg)
	return out
}

// script writes build.sh around the assembler's command, which has a place
// for the constants from outside.
func (r *Result) script(d Dialect, command, prg string) []byte {
	var defines []string
	for _, s := range r.Symbols {
		if s.File == "" {
			defines = append(defines, fmt.Sprintf("%s=%d", s.Name, s.Value))
		}
	}
	sort.Strings(defines)
	flags := ""
	for _, d2 := range defines {
		if d == CA65 {
			flags += " -D " + d2
		} else {
			flags += " -D" + d2
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# Makes %s with %s.\nset -e\ncd \"$(dirname \"$0\")\"\n", prg, d)
	fmt.Fprintf(&b, command+"\n", flags)
	if d == CA65 {
		fmt.Fprintf(&b, "ld65 -C %s -o %s program.o\nrm program.o\n", configFile, prg)
	}
	return []byte(b.String())
}

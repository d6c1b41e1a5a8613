package firmware

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"

	"ssnail-kit/firmware/asm"
)

//go:embed src
var sources embed.FS

// The programs: root files below src.
const (
	Main     = "main.s"          // the chat program, AUTOBOOT.C65
	Receiver = "receiver.s"      // takes a program and an image over the serial line
	SoftCore = "softcore/main.s" // the software core, loaded by Main
)

// Options of a build.
type Options struct {
	Root    string           // Main if empty
	Defines map[string]int64 // constants for the sources' !ifdef
}

// Program is an assembled program.
type Program struct {
	PRG     []byte            // with its two bytes of load address
	Load    uint16            // that address
	Symbols map[string]uint32 // labels and constants; cheap labels as "routine@name"
	Sizes   []asm.Module      // bytes by source file, in the order of the sources
	Asm     *asm.Result       // everything else that the assembler knows

	routines []Routine
}

// Build assembles a program. Errors name file and line of the sources.
func Build(opts Options) (*Program, error) {
	r, err := assemble(opts)
	if err != nil {
		return nil, err
	}
	p := &Program{
		PRG:     append([]byte{byte(r.Origin), byte(r.Origin >> 8)}, r.Code...),
		Load:    uint16(r.Origin),
		Symbols: make(map[string]uint32, len(r.Symbols)),
		Sizes:   r.Modules,
		Asm:     r,

		routines: r.Routines(),
	}
	for _, s := range r.Symbols {
		p.Symbols[s.Name] = uint32(s.Value)
	}
	return p, nil
}

// Source returns a program's complete source in an assembler's dialect, files
// by slash-separated name, with a build.sh that prints nothing and leaves one
// PRG beside it.
func Source(opts Options, d asm.Dialect) (map[string][]byte, error) {
	r, err := assemble(opts)
	if err != nil {
		return nil, err
	}
	return r.Source(d, PRGName(opts.Root)), nil
}

// PRGName is what build.sh calls the program: ssnail.prg for Main, else after
// the root file or its folder.
func PRGName(root string) string {
	name := strings.TrimSuffix(path.Base(root), ".s")
	if root == "" || root == Main {
		name = "ssnail"
	} else if name == "main" {
		name = path.Base(path.Dir(root))
	}
	return name + ".prg"
}

func assemble(opts Options) (*asm.Result, error) {
	root := opts.Root
	if root == "" {
		root = Main
	}
	made := Constants()
	read := func(name string) ([]byte, error) {
		if src, ok := made[name]; ok {
			return src, nil
		}
		return fs.ReadFile(sources, path.Join("src", path.Clean("/"+name)))
	}
	r, err := asm.Assemble(root, read, opts.Defines)
	if err != nil {
		return nil, fmt.Errorf("assemble %s: %w", root, err)
	}
	return r, nil
}

// Roots lists the programs whose sources are there.
func Roots() []string {
	var roots []string
	for _, r := range []string{Main, Receiver, SoftCore} {
		if _, err := fs.Stat(sources, path.Join("src", r)); err == nil {
			roots = append(roots, r)
		}
	}
	return roots
}

// Routine is a stretch of a program between two labels.
type Routine = asm.Routine

// RoutineAt finds the routine that holds an address of the CPU; ok is false
// outside the program.
func (p *Program) RoutineAt(addr uint16) (r Routine, ok bool) {
	all := p.routines
	i := sort.Search(len(all), func(i int) bool { return all[i].Start > int(addr) }) - 1
	if i < 0 || int(addr) >= all[i].End {
		return Routine{}, false
	}
	return all[i], true
}

// Routines lists the program's routines by address. The list is shared; do not
// change it.
func (p *Program) Routines() []Routine { return p.routines }

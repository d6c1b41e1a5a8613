package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// permute moves a sub-command's flags in front of its file names, since
// urfave/cli/v2 stops reading flags at the first argument that is none.
// "--" ends the flags; everything behind it is a file name. Flags of the
// program itself (--quiet, --verbose) may stand before the sub-command.
func permute(app *cli.App, args []string) ([]string, error) {
	if len(args) == 0 {
		return args, nil
	}
	out := []string{args[0]}
	rest := args[1:]
	cmds := app.Commands
	flags := app.Flags
	for len(rest) > 0 {
		var head, tail []string
		var cmd *cli.Command
		head, cmd, tail = untilCommand(cmds, flags, rest)
		if cmd == nil {
			break
		}
		out = append(out, head...)
		rest = tail
		cmds, flags = cmd.Subcommands, cmd.Flags
		if len(cmds) == 0 {
			break
		}
	}
	var fl, names []string
	for i := 0; i < len(rest); i++ {
		a := rest[i]
		if a == "--" {
			names = append(names, rest[i+1:]...)
			break
		}
		if a == "-" || !strings.HasPrefix(a, "-") {
			names = append(names, a)
			continue
		}
		fl = append(fl, a)
		if !strings.Contains(a, "=") && takesValue(flags, a) && i+1 < len(rest) {
			i++
			fl = append(fl, rest[i])
		}
	}
	out = append(out, fl...)
	if len(names) > 0 {
		out = append(out, "--")
		out = append(out, names...)
	}
	return out, nil
}

// untilCommand splits args behind the first name of a sub-command in cmds.
func untilCommand(cmds []*cli.Command, flags []cli.Flag, args []string) (head []string, cmd *cli.Command, tail []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return nil, nil, args
		}
		if strings.HasPrefix(a, "-") && a != "-" {
			if !strings.Contains(a, "=") && takesValue(flags, a) {
				i++
			}
			continue
		}
		for _, c := range cmds {
			if c.HasName(a) {
				return args[:i+1], c, args[i+1:]
			}
		}
		return nil, nil, args
	}
	return nil, nil, args
}

// takesValue tells whether arg names a flag that is followed by a value.
func takesValue(flags []cli.Flag, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	for _, f := range flags {
		for _, n := range f.Names() {
			if n != name {
				continue
			}
			if d, ok := f.(cli.DocGenerationFlag); ok {
				return d.TakesValue()
			}
		}
	}
	return false
}

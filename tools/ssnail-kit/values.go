package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// What a flag may be given is checked as soon as the command line is read,
// before any file is opened: these are the Actions of flags.

// oneOf refuses what is none of a flag's values.
func oneOf(flag string, all ...string) func(*cli.Context, string) error {
	return func(_ *cli.Context, v string) error {
		if slices.Contains(all, strings.ToLower(v)) {
			return nil
		}
		return usagef("%s %q: want %s", dashed(flag), v, orList(all))
	}
}

// within refuses numbers outside lo to hi; what tells their unit or meaning.
func within(flag string, lo, hi int, what string) func(*cli.Context, int) error {
	return func(_ *cli.Context, n int) error {
		if n >= lo && n <= hi {
			return nil
		}
		return usagef("%s: %d; want %d to %d%s", dashed(flag), n, lo, hi, what)
	}
}

// maxThreads is more than any computer of today has use for here.
const maxThreads = 1024

// maxTokens is more than any context holds.
const maxTokens = 1_000_000

// dashed is a flag as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// orList is "a, b or c".
func orList(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// The library's own words about the command line.
var (
	badValue    = regexp.MustCompile(`^invalid (?:boolean )?value ("(?s:.*)") for (?:flag )?-+([\w-]+): `)
	unknownFlag = regexp.MustCompile(`^flag provided but not defined: -+(.*)$`)
	noValue     = regexp.MustCompile(`^flag needs an argument: -+(.*)$`)
)

// plainUsage says in the kit's words what the library found wrong; flags are
// those of the command.
func plainUsage(err error, flags []cli.Flag) string {
	text := err.Error()
	if m := badValue.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s %s: want %s", dashed(m[2]), m[1], kindOf(m[2], flags))
	}
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		return "there is no flag " + dashed(m[1])
	}
	if m := noValue.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s: want %s behind it", dashed(m[1]), kindOf(m[1], flags))
	}
	return text
}

// kindOf tells what values a flag takes.
func kindOf(name string, flags []cli.Flag) string {
	for _, f := range flags {
		if !slices.Contains(f.Names(), name) {
			continue
		}
		switch f.(type) {
		case *cli.IntFlag, *cli.IntSliceFlag:
			return "a whole number"
		case *cli.Uint64Flag:
			return "a whole number, 0 or more"
		case *cli.Float64Flag:
			return "a number"
		case *cli.DurationFlag:
			return "a time such as 2s"
		case *cli.BoolFlag:
			return "nothing, or =true or =false"
		}
	}
	return "a value"
}

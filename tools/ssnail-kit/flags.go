package main

import "github.com/urfave/cli/v2"

// quiet and verbose may be given before or behind the sub-command's name.
func quiet(c *cli.Context) bool   { return anyLevel(c, "quiet") }
func verbose(c *cli.Context) bool { return anyLevel(c, "verbose") }

func anyLevel(c *cli.Context, name string) bool {
	for _, l := range c.Lineage() {
		if l.Bool(name) {
			return true
		}
	}
	return false
}

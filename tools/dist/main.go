// Command dist makes what people without Go get: a disk with the program and
// the kit's own model, the command for every system, checksums, and a text.
// The same sources and version give the same bytes, wherever and whenever.
//
//	dist -o dist -version v1.0
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	out := flag.String("o", "dist", "`folder` to write to")
	version := flag.String("version", "dev", "`version` that the command shows")
	targets := flag.String("targets", strings.Join(allTargets, ","), "systems to build for, as `os/arch` with commas")
	goTool := flag.String("go", "go", "the go `command`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	d := &dist{out: *out, version: *version, targets: strings.Split(*targets, ","), goTool: *goTool, say: func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}}
	if err := d.make(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "dist: %v\n", err)
		os.Exit(1)
	}
}

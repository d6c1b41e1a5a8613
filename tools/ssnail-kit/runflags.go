package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/session"
)

// coreFlags choose how a core computes.
func coreFlags(numerics string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "numerics", Value: numerics, Usage: "hw (bit for bit the hardware's) or float (the accuracy reference)", Action: oneOf("numerics", "hw", "float")},
		&cli.IntFlag{Name: "threads", Value: 1, Usage: "PC threads for the core; results do not depend on it", Action: within("threads", 1, maxThreads, "")},
		&cli.Float64Flag{Name: "bandwidth", Value: 130, Usage: "RAM bandwidth in `MB/s` that the hardware's speed is estimated with"},
	}
}

func numericsFlag(c *cli.Context) (core.Numerics, error) {
	switch strings.ToLower(c.String("numerics")) {
	case "hw":
		return core.HW, nil
	case "float":
		return core.Float, nil
	}
	return 0, usagef("--numerics %q: want hw or float", c.String("numerics"))
}

// bandwidthFlag is in bytes a second.
func bandwidthFlag(c *cli.Context) (float64, error) {
	v := c.Float64("bandwidth")
	if !(v > 0 && v <= 1e6) {
		return 0, usagef("--bandwidth %v: want MB/s, above 0, at most 1000000", v)
	}
	return v * 1e6, nil
}

// openSession loads a model into a core.
func openSession(c *cli.Context, m *loadedModel) (*session.Session, error) {
	num, err := numericsFlag(c)
	if err != nil {
		return nil, err
	}
	s, err := session.Open(m.Image, session.Options{Numerics: num, Threads: c.Int("threads")})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path, err)
	}
	return s, nil
}

// chatFlags are the flags of run and chat.
func chatFlags() []cli.Flag {
	d := session.DefaultSettings()
	flags := []cli.Flag{
		&cli.IntFlag{Name: "n", Value: d.N, Usage: "most tokens to generate a turn", Action: within("n", 1, maxTokens, " tokens")},
		&cli.Float64Flag{Name: "temp", Value: d.Sampling.Temperature, Usage: "temperature; 0 is greedy"},
		&cli.IntFlag{Name: "topk", Value: d.Sampling.TopK, Usage: "draw from the `K` likeliest tokens only; 0 is off"},
		&cli.Float64Flag{Name: "penalty", Value: d.Sampling.Penalty, Usage: "repetition penalty over the last 64 tokens made; 1 is off"},
		&cli.Uint64Flag{Name: "seed", Value: d.Sampling.Seed, Usage: "start of the random numbers: the same seed gives the same text"},
		&cli.BoolFlag{Name: "greedy", Usage: "no sampling: the image's own choice, as the MEGA65 makes it"},
		&cli.BoolFlag{Name: "utf8", Usage: "real characters instead of the MEGA65's"},
		&cli.BoolFlag{Name: "eos", Usage: "show <EOS n%> where the end token had 5 % or more"},
		&cli.BoolFlag{Name: "json", Usage: "one JSON object a turn, for scripts"},
	}
	flags = append(flags, coreFlags("float")...)
	return append(flags, modelFlags()...)
}

// chatSettings reads the flags of chatFlags.
func chatSettings(c *cli.Context) (session.Settings, error) {
	set := session.DefaultSettings()
	set.N = c.Int("n")
	set.Sampling.Temperature = c.Float64("temp")
	set.Sampling.TopK = c.Int("topk")
	set.Sampling.Penalty = c.Float64("penalty")
	set.Sampling.Seed = c.Uint64("seed")
	set.Greedy = c.Bool("greedy")
	set.UTF8, set.EOS, set.JSON = c.Bool("utf8"), c.Bool("eos"), c.Bool("json")
	set.Stats = !quiet(c)
	if !quiet(c) && isTerminal(c.App.ErrWriter) {
		set.Progress = promptProgress(c)
	}
	var err error
	if set.Bandwidth, err = bandwidthFlag(c); err != nil {
		return set, err
	}
	if err := set.Sampling.Check(); err != nil {
		return set, usagef("%v", err)
	}
	return set, nil
}

// promptProgress shows how far a prompt is once it takes more than a second.
func promptProgress(c *cli.Context) func(done, total int) {
	var start time.Time
	shown := false
	return func(done, total int) {
		now := time.Now()
		if done == 1 {
			start, shown = now, false
		}
		switch {
		case done == total && shown:
			fmt.Fprint(c.App.ErrWriter, "\r\033[K")
		case done < total && now.Sub(start) > time.Second:
			shown = true
			fmt.Fprintf(c.App.ErrWriter, "\rreading the prompt: %d of %d tokens", done, total)
		}
	}
}

// oneModel is the command's only argument.
func oneModel(c *cli.Context, want string) (string, error) {
	if c.NArg() != 1 {
		return "", usagef("want one %s, got %d names", want, c.NArg()).hinted("ssnail-kit " + c.Command.Name + " --help shows examples")
	}
	return c.Args().First(), nil
}

package session

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/image"
	"ssnail-kit/host/sampler"
)

const help = `/n N         tokens a turn            /temp T      temperature, 0 is greedy
/topk K      keep K tokens, 0 all     /penalty P   repetition penalty, 1 is off
/greedy      sampling off and on      /seed S      start the random numbers at S
/hw          hw or float numerics     /eos         show how likely EOS is
/stats       statistics off and on    /reset       forget the conversation
/help        this                     /quit        leave
An empty line lets the model go on. Ctrl-C stops it.
`

// command does what a line with a slash asks for.
func (c *Chat) command(line string) (quit bool, err error) {
	name, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	arg = strings.TrimSpace(arg)
	o := c.set.Sampling
	switch name {
	case "/quit", "/exit":
		return true, nil
	case "/help":
		fmt.Fprint(c.info, help)
	case "/reset":
		c.s.Reset()
		c.printer.Reset()
		c.memory.Reset()
		fmt.Fprintln(c.info, "a new conversation")
	case "/n":
		c.number(name, arg, 1, image.MaxContext, func(v float64) { c.set.N = int(v) }, float64(c.set.N), true)
	case "/temp":
		c.sampling(name, arg, o.Temperature, 0, false, func(o *sampler.Options, v float64) { o.Temperature = v })
	case "/topk":
		c.sampling(name, arg, float64(o.TopK), 0, true, func(o *sampler.Options, v float64) { o.TopK = int(v) })
	case "/penalty":
		c.sampling(name, arg, o.Penalty, 0.01, false, func(o *sampler.Options, v float64) { o.Penalty = v })
	case "/seed":
		c.seedCommand(arg)
	case "/greedy":
		c.set.Greedy = !c.set.Greedy
		c.onOff("greedy", c.set.Greedy)
	case "/eos":
		c.set.EOS = !c.set.EOS
		c.onOff("EOS probability", c.set.EOS)
	case "/stats":
		c.set.Stats = !c.set.Stats
		c.onOff("statistics", c.set.Stats)
	case "/hw":
		n := core.HW
		if c.s.core.Numerics() == core.HW {
			n = core.Float
		}
		c.s.core.SetNumerics(n)
		fmt.Fprintf(c.info, "%v numerics\n", n)
	default:
		fmt.Fprintf(c.info, "no command %s; /help lists them\n", name)
	}
	return false, nil
}

func (c *Chat) onOff(what string, on bool) {
	word := "off"
	if on {
		word = "on"
	}
	fmt.Fprintf(c.info, "%s %s\n", what, word)
}

// number reads a command's number and shows it when there is none.
func (c *Chat) number(name, arg string, low, high float64, set func(float64), now float64, whole bool) {
	if arg == "" {
		fmt.Fprintf(c.info, "%s %s\n", name, plain(now))
		return
	}
	v, err := strconv.ParseFloat(arg, 64)
	if err != nil || !(v >= low && v <= high) || whole && v != math.Trunc(v) {
		kind := "number"
		if whole {
			kind = "whole number"
		}
		fmt.Fprintf(c.info, "%s %s: want a %s from %s to %s\n", name, arg, kind, plain(low), plain(high))
		return
	}
	set(v)
	fmt.Fprintf(c.info, "%s %s\n", name, plain(v))
}

// plain writes a number without an exponent.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// sampling changes one option of the sampler, whose random numbers go on from
// the seed.
func (c *Chat) sampling(name, arg string, now, low float64, whole bool, set func(*sampler.Options, float64)) {
	high := 100.0
	if whole {
		high = math.MaxInt32
	}
	c.number(name, arg, low, high, func(v float64) {
		set(&c.set.Sampling, v)
		c.smp.Set(c.set.Sampling)
	}, now, whole)
}

func (c *Chat) seedCommand(arg string) {
	if arg != "" {
		v, err := strconv.ParseUint(arg, 10, 64)
		if err != nil {
			fmt.Fprintf(c.info, "/seed %s: want a whole number from 0 to %d\n", arg, uint64(math.MaxUint64))
			return
		}
		c.set.Sampling.Seed = v
	}
	if err := c.seed(); err != nil {
		fmt.Fprintln(c.info, err)
		return
	}
	fmt.Fprintf(c.info, "/seed %d\n", c.set.Sampling.Seed)
}

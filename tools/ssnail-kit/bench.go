package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"ssnail-kit/emu/core"
	"ssnail-kit/host/session"
)

func benchCommand() *cli.Command {
	return &cli.Command{
		Name:  "bench",
		Usage: "measure how fast the core runs an image here",
		UsageText: `ssnail-kit bench [options] IMAGE.ssnail|MODEL.gguf

Prints tokens per second and RAM traffic for both numerics and several numbers
of threads, that traffic as a share of what this machine copies with one
thread, and the time that each kind of instruction takes.

Examples:
   ssnail-kit bench stories.ssnail
   ssnail-kit bench stories.ssnail --threads 1 --threads 4 --kernels go`,
		Flags: append([]cli.Flag{
			&cli.IntSliceFlag{Name: "threads", Usage: "numbers of PC threads to measure (default: 1 and 2)"},
			&cli.StringSliceFlag{Name: "kernels", Usage: fmt.Sprintf("kernel `SETS` to measure, of %v (default: the fastest)", core.Kernels())},
			&cli.IntFlag{Name: "n", Value: 128, Usage: "tokens a run", Action: within("n", 1, maxTokens, " tokens")},
			&cli.DurationFlag{Name: "time", Value: time.Second, Usage: "how long to measure each line"},
			&cli.BoolFlag{Name: "json", Usage: "print the result as one JSON object"},
		}, modelFlags()...),
		Action: benchAction,
	}
}

type benchResult struct {
	Copy    float64                   `json:"copy_bytes_per_second"`
	Speeds  []session.Speed           `json:"speeds"`
	Profile map[string][]session.Kind `json:"profile"`
}

func benchAction(c *cli.Context) error {
	path, err := oneModel(c, "model (.gguf or .ssnail)")
	if err != nil {
		return err
	}
	threads, kernels := c.IntSlice("threads"), c.StringSlice("kernels")
	if len(threads) == 0 {
		threads = []int{1, 2}
	}
	if len(kernels) == 0 {
		kernels = []string{""}
	}
	if d := c.Duration("time"); d <= 0 || d > time.Hour {
		return usagef("--time %v: want more than 0, at most 1h", d)
	}
	for _, n := range threads {
		if err := within("threads", 1, maxThreads, "")(c, n); err != nil {
			return err
		}
	}
	for _, k := range kernels {
		if k != "" && !core.HasKernels(k) {
			return usagef("--kernels %s: this CPU has %v", k, core.Kernels())
		}
	}
	m, err := loadModel(c, path)
	if err != nil {
		return err
	}
	defer m.Close()
	r := benchResult{Copy: session.CopyBandwidth(200 * time.Millisecond), Profile: map[string][]session.Kind{}}
	for _, num := range []core.Numerics{core.HW, core.Float} {
		for i, k := range kernels {
			for j, n := range threads {
				s, err := session.Open(m.Image, session.Options{Numerics: num, Threads: n, Kernels: k})
				if err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				sp, err := s.Measure(c.Context, c.Int("n"), c.Duration("time"))
				if err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				r.Speeds = append(r.Speeds, sp)
				if i > 0 || j > 0 {
					continue
				}
				if r.Profile[num.String()], err = s.Profile(c.Context, c.Int("n")); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
			}
		}
	}
	if c.Bool("json") {
		e := json.NewEncoder(c.App.Writer)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.print(c)
}

func (r *benchResult) print(c *cli.Context) error {
	t := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "numerics\tthreads\tkernels\ttokens/s\tGB/s\tof copy\t")
	for _, s := range r.Speeds {
		fmt.Fprintf(t, "%s\t%d\t%s\t%.0f\t%.2f\t%.0f%%\t\n", s.Numerics, s.Threads, s.Kernels, s.PerSecond, s.Bytes/1e9, 100*s.Bytes/r.Copy)
	}
	fmt.Fprintf(t, "copying memory\t1\t\t\t%.2f\t100%%\t\n", r.Copy/1e9)
	for _, num := range []string{"hw", "float"} {
		fmt.Fprintf(t, "\n%s\tcount\ttime\tshare\t\n", num)
		for _, k := range r.Profile[num] {
			fmt.Fprintf(t, "%s\t%d\t%v\t%.1f%%\t\n", k.Name, k.Count, time.Duration(k.Seconds*1e9).Round(time.Microsecond), 100*k.Share)
		}
	}
	return t.Flush()
}

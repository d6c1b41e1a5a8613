package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"ssnail-kit/host/hub"
	"ssnail-kit/host/image"
)

func modelsCommand() *cli.Command {
	return &cli.Command{
		Name:  "models",
		Usage: "list public models that fit, or search for more",
		UsageText: `ssnail-kit models [options]

Without --search: a list of public models, without a network. For each memory
size: the finest format of the weights that fits, and the memory needed with it,
computed from the model's dimensions.

With --search: Hugging Face is asked for repositories with GGUF files. What
fits is then estimated from the number of parameters; with --exact the header
of each best file is read (a few MB each) and laid out.

Boards: 8 MB is in every MEGA65, 64 and 72 MB in R4, R5 and R6.
HF_ENDPOINT=https://... takes another server with the same interface.

Examples:
   ssnail-kit models
   ssnail-kit models --mem 8
   ssnail-kit models --search "tiny stories" --mem 64
   ssnail-kit models --search tinyllama --limit 5 --exact --json`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "search", Usage: "look on Hugging Face for `WORDS`"},
			&cli.IntFlag{Name: "mem", Aliases: []string{"mem-mb"}, Usage: "only what fits so many `MB`", DefaultText: "the whole list; 8 with --search"},
			&cli.IntFlag{Name: "limit", Value: 20, Usage: "with --search: list at most `N` models", Action: within("limit", 1, 500, " models")},
			&cli.BoolFlag{Name: "all-arch", Usage: "with --search: also architectures that cannot be converted"},
			&cli.BoolFlag{Name: "exact", Usage: "with --search: read the header of each best file instead of estimating"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: modelsAction,
	}
}

func modelsAction(c *cli.Context) error {
	if c.NArg() > 0 {
		return usagef("models takes no arguments, got %q", c.Args().First()).hinted(fmt.Sprintf("ssnail-kit models --search %q", strings.Join(c.Args().Slice(), " ")))
	}
	if c.IsSet("mem") && (c.Int("mem") < 1 || c.Int("mem") > image.MaxMemMB) {
		return usagef("--mem: %d MB; boards have 8, 64 or 72, and 1 to %d can be asked for", c.Int("mem"), image.MaxMemMB)
	}
	if !c.IsSet("search") {
		for _, name := range []string{"limit", "all-arch", "exact"} {
			if c.IsSet(name) {
				return usagef("--%s is for a search", name).hinted("ssnail-kit models --search WORDS")
			}
		}
		return listModels(c)
	}
	if strings.TrimSpace(c.String("search")) == "" {
		return usagef("--search wants words").hinted(`ssnail-kit models --search "tiny stories"`)
	}
	return searchModels(c)
}

// listedModel is an entry of the offline list as JSON has it.
type listedModel struct {
	Name   string         `json:"name"`
	Repo   string         `json:"repo"`
	File   string         `json:"file"`
	Bytes  int64          `json:"bytes"`
	Arch   string         `json:"architecture"`
	Params uint64         `json:"parameters"`
	Ctx    int            `json:"context_length"`
	About  string         `json:"about"`
	Fits   []hub.BoardFit `json:"fits"`
}

func listModels(c *cli.Context) error {
	var list []listedModel
	for _, e := range hub.Catalog() {
		fits, err := e.Boards()
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		if mem := uint64(c.Int("mem")) << 20; mem > 0 {
			all, err := e.Shape.Fits()
			if err != nil {
				return fmt.Errorf("%s: %w", e.Name, err)
			}
			fit := false
			for _, f := range all {
				fit = fit || f.Needed <= mem
			}
			if !fit {
				continue
			}
		}
		list = append(list, listedModel{e.Name, e.Repo, e.File, e.Bytes, e.Shape.Arch, e.Shape.Params(), e.Shape.Trained, e.About, fits})
	}
	if c.Bool("json") {
		return writeJSON(c.App.Writer, list)
	}
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "model\tkind\tparameters\tdownload\t8 MB\t64 MB\t72 MB\twhat it does\n")
	for _, m := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", m.Name, m.Arch, amount(m.Params), megabytes(uint64(m.Bytes)), fitCells(m.Fits, ""), m.About)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(c.App.Writer)
	for _, m := range list {
		if m.Fits[len(m.Fits)-1].Format == "" {
			fmt.Fprintf(c.App.Writer, "(%s needs %s at least: too big for every board)\n", m.Name, megabytes(m.Fits[len(m.Fits)-1].Needed))
			continue
		}
		fmt.Fprintf(c.App.Writer, "ssnail-kit fetch %s/%s\n", m.Repo, m.File)
	}
	if len(list) == 0 {
		fmt.Fprintf(c.App.Writer, "no model of the list fits %d MB\n", c.Int("mem"))
	}
	if !quiet(c) {
		fmt.Fprintf(c.App.ErrWriter, "memory is computed from each model's published dimensions; files and sizes are as their pages stated them. Licences stand on the pages.\n")
	}
	return nil
}

// fitCells are the columns for the memory sizes: format and memory needed.
func fitCells(fits []hub.BoardFit, about string) string {
	var cells []string
	for _, f := range fits {
		cell := "-"
		if f.Format != "" {
			cell = fmt.Sprintf("%s, %s%s", f.Format, about, megabytes(f.Needed))
		}
		cells = append(cells, cell)
	}
	return strings.Join(cells, "\t")
}

func searchModels(c *cli.Context) error {
	h, err := newHub()
	if err != nil {
		return err
	}
	q := hub.Query{Words: c.String("search"), MemMB: c.Int("mem"), Limit: c.Int("limit"), AllArch: c.Bool("all-arch")}
	if q.MemMB == 0 {
		q.MemMB = 8
	}
	r, broken := h.Search(c.Context, q)
	if r == nil {
		return broken
	}
	if c.Bool("exact") && broken == nil {
		for i := range r.Models {
			if verbose(c) {
				fmt.Fprintf(c.App.ErrWriter, "reading the header of %s/%s\n", r.Models[i].Repo, r.Models[i].Best.Path)
			}
			h.Exact(c.Context, &r.Models[i])
		}
	}
	if c.Bool("json") {
		if err := writeJSON(c.App.Writer, r); err != nil {
			return err
		}
	} else {
		printFound(c.App.Writer, r)
		if !quiet(c) {
			printCounts(c, q, r)
		}
	}
	if broken != nil {
		return fmt.Errorf("the search broke off after %d repositories: %w", r.Looked, broken)
	}
	return nil
}

func printFound(out io.Writer, r *hub.Result) {
	for _, m := range r.Models {
		fmt.Fprintf(out, "%s  %s, %s parameters", m.Repo, m.Arch, amount(m.Params))
		if m.Context > 0 {
			fmt.Fprintf(out, ", context %d", m.Context)
		}
		if !m.Supported {
			fmt.Fprintf(out, ", cannot be converted")
		}
		if m.Gated {
			fmt.Fprintf(out, ", needs a login")
		}
		fmt.Fprintln(out)
		about := "about "
		if m.Exact {
			about = ""
		}
		for _, f := range m.Fits {
			if f.Format == "" {
				fmt.Fprintf(out, "  %2d MB: does not fit (%s%s at least)\n", f.MemMB, about, megabytes(f.Needed))
			} else {
				fmt.Fprintf(out, "  %2d MB: %s, %s%s\n", f.MemMB, f.Format, about, megabytes(f.Needed))
			}
		}
		if m.ExactError != "" {
			fmt.Fprintf(out, "  estimated only: %s\n", m.ExactError)
		}
		fmt.Fprintf(out, "  ssnail-kit fetch %s/%s   (%s, %s)\n", m.Repo, m.Best.Path, m.Best.Format, megabytes(uint64(m.Best.Bytes)))
	}
}

func printCounts(c *cli.Context, q hub.Query, r *hub.Result) {
	w := c.App.ErrWriter
	if len(r.Models) == 0 {
		fmt.Fprintf(w, "nothing found for %q that may fit %d MB\n", q.Words, q.MemMB)
	}
	fmt.Fprintf(w, "looked at %d repositories; left out: %d too big for %d MB", r.Looked, r.TooBig, q.MemMB)
	if !q.AllArch {
		fmt.Fprintf(w, ", %d of other architectures (--all-arch)", r.WrongArc)
	}
	fmt.Fprintf(w, ", %d without a whole model in one file\n", r.NoModel)
	if r.More {
		fmt.Fprintf(w, "there are more: --limit N, or more words\n")
	}
}

// newHub makes the client for the server of models: HF_ENDPOINT or the usual.
func newHub() (*hub.Client, error) {
	h, err := hub.New(os.Getenv("HF_ENDPOINT"))
	if err != nil {
		return nil, withHint(fmt.Errorf("HF_ENDPOINT: %w", err), "unset HF_ENDPOINT, or set it to https://...")
	}
	return h, nil
}

// amount writes a number of parameters with two or three digits.
func amount(n uint64) string {
	switch {
	case n < 1_000_000:
		return fmt.Sprintf("%dK", (n+500)/1000)
	case n < 100_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.0fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1fB", float64(n)/1e9)
}

// megabytes writes bytes in units of 1024, as memory sizes are.
func megabytes(n uint64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	case n < 100<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n < 10<<30:
		return fmt.Sprintf("%.0f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.0f GB", float64(n)/(1<<30))
}

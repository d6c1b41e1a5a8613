package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"ssnail-kit/host/image"
	"ssnail-kit/host/reference"
	"ssnail-kit/host/verify"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:  "verify",
		Usage: "check an image against the model it was made from",
		UsageText: `ssnail-kit verify [options] IMAGE.ssnail MODEL.gguf

The weights are compared tensor by tensor, and everything else in the image
with them. Then a text runs through the image, in both numerics, and through a
double precision forward pass straight from the GGUF: greatest error of the
logits, how often the greatest logit is the same, perplexity. The status is 1
if a byte differs, or if float numerics are further off than rounding allows in
an image that stores the weights as they are.

Examples:
   ssnail-kit verify stories.ssnail stories.gguf
   ssnail-kit verify stories.ssnail stories.gguf --text story.txt -n 1000`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "text", Usage: "text `FILE` to run (default: a few lines of our own)"},
			&cli.IntFlag{Name: "n", Value: 128, Usage: "most tokens of the text to run, 0 none; for an encoder: lines", Action: within("n", 0, maxTokens, " tokens")},
			&cli.IntFlag{Name: "threads", Value: 1, Usage: "PC threads for the core", Action: within("threads", 1, maxThreads, "")},
			&cli.BoolFlag{Name: "all", Usage: "list every tensor, not only those that differ"},
			&cli.BoolFlag{Name: "json", Usage: "print the result as one JSON object"},
		},
		Action: verifyAction,
	}
}

// sample is what runs without --text.
const sample = `Once upon a time there was a little dog. He lived in a small house with a girl named Anna.
One day they went to the park. The sun was warm and the birds sang in the trees.
"Look, a red ball!" said Anna. The dog ran very fast, but the ball was faster.
It rolled down the hill and into the water. Anna laughed, and they went home for tea.
`

// maxText is the longest text file that is read.
const maxText = 64 << 20

type verifyResult struct {
	Weights    *verify.Weights `json:"weights"`
	Runs       []verify.Run    `json:"runs"`
	Perplexity []float64       `json:"perplexity,omitempty"`
	Skipped    int             `json:"lines_skipped,omitempty"`
	RunError   string          `json:"run_error,omitempty"`
	Limit      float64         `json:"float_limit,omitempty"`
	OK         bool            `json:"ok"`
}

func verifyAction(c *cli.Context) error {
	if c.NArg() != 2 {
		return usagef("want an image and its model, got %d names", c.NArg()).hinted("ssnail-kit verify IMAGE.ssnail MODEL.gguf")
	}
	path, source := c.Args().Get(0), c.Args().Get(1)
	if ok, err := startsLikeImage(path); err != nil {
		return err
	} else if !ok {
		return withHint(fmt.Errorf("%s is no SSNAIL image", path), "the image comes first: ssnail-kit verify IMAGE.ssnail MODEL.gguf")
	}
	m, err := loadImage(path)
	if err != nil {
		return err
	}
	f, err := openGGUF(source)
	if err != nil {
		return err
	}
	defer f.Close()
	text := []byte(sample)
	if name := c.String("text"); name != "" {
		if text, err = readBounded(name, maxText); err != nil {
			return err
		}
	}
	if c.Int("n") > 0 && len(bytes.TrimSpace(text)) == 0 {
		return withHint(fmt.Errorf("%s: no text to run", c.String("text")), "-n 0 compares the weights alone")
	}
	var r verifyResult
	if r.Weights, err = verify.CompareWeights(m.Image, f); err != nil {
		var no *verify.NoMatchError
		if errors.As(err, &no) {
			return withHint(fmt.Errorf("%s and %s: %w", path, source, err), "is it the right model?")
		}
		return fmt.Errorf("%s: %w", source, err)
	}
	if c.Int("n") > 0 {
		ref, err := reference.Load(f)
		if err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		if err := r.run(c, m.Image, ref, text); err != nil {
			if r.Weights.Differing() == 0 || c.Context.Err() != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			// What is wrong with the bytes matters more.
			r.Runs, r.RunError = nil, err.Error()
		}
	}
	r.judge()
	if err := r.print(c); err != nil {
		return err
	}
	if !r.OK {
		return errSilent
	}
	return nil
}

func (r *verifyResult) run(c *cli.Context, im *image.Image, ref *reference.Model, text []byte) (err error) {
	if im.Encoder() {
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		lines = lines[:min(len(lines), c.Int("n"))]
		r.Runs, r.Skipped, err = verify.CompareEmbeddings(im, ref, r.Weights.KV == "f16", lines, c.Int("threads"))
		return err
	}
	tok, err := image.NewTokenizer(im, im.Header)
	if err != nil {
		return err
	}
	windows, err := verify.Windows(im, tok, text, c.Int("n"))
	if err != nil {
		return err
	}
	if r.Runs, err = verify.CompareLogits(c.Context, im, ref, r.Weights.KV == "f16", windows, c.Int("threads")); err != nil {
		return err
	}
	for i := range r.Runs {
		if r.Runs[i].Scored > 0 {
			r.Perplexity = append(r.Perplexity, r.Runs[i].Perplexity())
		}
	}
	return nil
}

// judge decides whether all is well. Where an F16 cache rounds keys and values,
// a last bit of them can tip one over to the next half.
func (r *verifyResult) judge() {
	r.OK = r.Weights.Differing() == 0
	if !r.Weights.Exact || len(r.Runs) == 0 {
		return
	}
	r.Limit = 1e-6
	if r.Weights.KV == "f16" {
		r.Limit = 2e-3
	}
	if !(r.Runs[1].Computing <= r.Limit) {
		r.OK = false
	}
}

func (r *verifyResult) print(c *cli.Context) error {
	w := c.App.Writer
	if c.Bool("json") {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	tensors := 0
	for _, b := range r.Weights.Blocks {
		if b.Tensor {
			tensors++
		}
		switch {
		case b.Differ > 0:
			fmt.Fprintf(w, "%s differs in %d of %d bytes; %v\n", b.Name, b.Differ, b.Bytes, b.First)
		case c.Bool("all"):
			fmt.Fprintf(w, "%s: %d bytes at $%07X, identical\n", b.Name, b.Bytes, b.Addr)
		}
	}
	if n := r.Weights.Differing(); n > 0 {
		fmt.Fprintf(w, "weights: %d of %d blocks differ from the model converted with --wtype %s --kv %s\n", n, len(r.Weights.Blocks), r.Weights.WType, r.Weights.KV)
	} else {
		fmt.Fprintf(w, "weights: %d tensors and %d other blocks identical to the model converted with --wtype %s --kv %s\n", tensors, len(r.Weights.Blocks)-tensors, r.Weights.WType, r.Weights.KV)
	}
	if r.RunError != "" {
		fmt.Fprintf(w, "the image does not run: %s\n", r.RunError)
	}
	if len(r.Runs) == 0 {
		return nil
	}
	if err := r.table(w); err != nil {
		return err
	}
	if r.Skipped > 0 {
		fmt.Fprintf(w, "skipped: %d lines that do not fit the context\n", r.Skipped)
	}
	switch {
	case r.Limit == 0 && r.Weights.Exact:
	case !r.Weights.Exact:
		fmt.Fprintln(w, "the image stores weights in other formats than the model: its logits are not the model's, and no limit applies")
	case r.Runs[1].Computing <= r.Limit:
		fmt.Fprintf(w, "float numerics compute within %.0e of the reference, as they should (KV cache %s)\n", r.Limit, r.Weights.KV)
	default:
		fmt.Fprintf(w, "float numerics compute further than %.0e from the reference (KV cache %s): the image does not compute what the model does\n", r.Limit, r.Weights.KV)
	}
	return nil
}

func (r *verifyResult) table(w interface{ Write([]byte) (int, error) }) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	encoder := r.Perplexity == nil && r.Runs[0].Agree == 0
	if encoder {
		fmt.Fprintln(t, "numerics\ttexts\tgreatest error\tof it computing\tleast cosine\t")
	} else {
		fmt.Fprintln(t, "numerics\tpositions\tgreatest error\tof it computing\tsame choice\tperplexity\t")
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		if encoder {
			fmt.Fprintf(t, "%s\t%d\t%.2e\t%.2e\t%.6f\t\n", run.Name, run.Positions, run.Worst, run.Computing, run.Cosine)
			continue
		}
		fmt.Fprintf(t, "%s\t%d\t%.2e\t%.2e\t%d\t%.6g\t\n", run.Name, run.Positions, run.Worst, run.Computing, run.Agree, run.Perplexity())
	}
	return t.Flush()
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

func infoCommand() *cli.Command {
	return &cli.Command{
		Name:      "info",
		Usage:     "describe a GGUF model or an SSNAIL image",
		ArgsUsage: "FILE",
		UsageText: `ssnail-kit info FILE [--json]

For a .gguf: architecture, tokenizer, dimensions, every tensor, and which memory
sizes it fits in which weight format (with the context of --ctx). For a .ssnail:
header, description, and the memory map as a table and to scale.

Examples:
   ssnail-kit info stories.gguf
   ssnail-kit info stories.gguf --ctx 512 --json
   ssnail-kit info stories.ssnail`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "for programs: all of it as JSON"},
			&cli.IntFlag{Name: "ctx", Usage: "context of `N` tokens for the sizes of a .gguf", DefaultText: "the trained length, at most 256; 128 for bert", Action: within("ctx", 1, image.MaxContext, " tokens")},
			&cli.StringFlag{Name: "kv", Value: "f16", Usage: "`FORMAT` of the KV cache for the sizes of a .gguf: f16 or f32", Action: oneOf("kv", "f16", "f32")},
			&cli.StringFlag{Name: "fallback", Value: "q8_0", Usage: "`FORMAT` for weights the hardware cannot read, for the sizes of a .gguf", Action: oneOf("fallback", convert.Formats...)},
		},
		Action: infoAction,
	}
}

func infoAction(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("info takes one file, got %d", c.NArg()).hinted("ssnail-kit info MODEL.gguf, or an image")
	}
	path := c.Args().First()
	isImage, err := startsLikeImage(path)
	if err != nil {
		return err
	}
	if isImage {
		if err := notConverted(c, path, "an image already"); err != nil {
			return err
		}
		m, err := loadImage(path)
		if err != nil {
			return err
		}
		info, err := convert.DescribeImage(m.Image)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if c.Bool("json") {
			return writeJSON(c.App.Writer, info)
		}
		return printImage(c.App.Writer, info, verbose(c))
	}
	f, err := openGGUF(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info := convert.DescribeModel(f, convert.Options{Ctx: c.Int("ctx"), KV: c.String("kv"), Fallback: c.String("fallback")})
	if c.Bool("json") {
		return writeJSON(c.App.Writer, info)
	}
	return printModel(c.App.Writer, info)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func printModel(out io.Writer, m *convert.ModelInfo) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	order := "little-endian"
	if m.BigEndian {
		order = "big-endian"
	}
	fmt.Fprintf(w, "file\tGGUF version %d, %s, %d bytes", m.Version, order, m.Bytes)
	if m.Parts > 1 {
		fmt.Fprintf(w, " in %d parts", m.Parts)
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "architecture\t%s\n", orNone(m.Architecture))
	fmt.Fprintf(w, "name\t%s\n", orNone(m.Name))
	if d := m.Dims; d != nil {
		fmt.Fprintf(w, "dimensions\tembedding %d, %d layers, %d heads (%d for K and V) of %d, feed forward %d\n", d.Dim, d.Layers, d.Heads, d.KVHeads, d.HeadDim, d.Hidden)
		fmt.Fprintf(w, "vocabulary\t%d\n", d.Vocab)
		fmt.Fprintf(w, "context\ttrained for %d tokens\n", d.Trained)
	}
	if t := m.Tokenizer; t != nil {
		fmt.Fprintf(w, "tokenizer\t%s, %d tokens", t.Kind, t.Tokens)
		if t.Merges > 0 {
			fmt.Fprintf(w, ", %d merges, pre-tokenizer %s", t.Merges, orNone(t.Pre))
		}
		fmt.Fprintf(w, "; begins with %s, ends with %s, EOS %d\n", tokenName(t.Begin), tokenName(t.End), t.EOS)
		if t.Note != "" {
			fmt.Fprintf(w, "\t%s\n", t.Note)
		}
	} else {
		fmt.Fprintf(w, "tokenizer\tnone that can be read\n")
	}
	for _, f := range m.Formats {
		fmt.Fprintf(w, "%s\t%d tensors, %d bytes\n", f.Format, f.Tensors, f.Bytes)
	}
	for _, s := range m.Warnings {
		fmt.Fprintf(w, "warning\t%s\n", s)
	}
	w.Flush()
	printFits(out, m)
	if len(m.Tensors) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "tensor\ttype\tshape\tbytes\n")
	for _, t := range m.Tensors {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\n", gguf.Plain(t.Name), t.Type, shapeText(t.Shape), t.Bytes)
	}
	return w.Flush()
}

// printFits is a table of memory sizes by weight policies.
func printFits(out io.Writer, m *convert.ModelInfo) {
	if m.Problem != "" {
		fmt.Fprintf(out, "\nno image can be made of it: %s\n", m.Problem)
		return
	}
	fmt.Fprintf(out, "\nmemory needed with a context of %d tokens:\n", m.Dims.Ctx)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "format\tbytes")
	for _, s := range convert.MemSizes {
		fmt.Fprintf(w, "\t%d MB", s.MB)
	}
	fmt.Fprintln(w)
	rows := len(m.Fits) / len(convert.MemSizes)
	for i := range rows {
		fmt.Fprintf(w, "%s\t%d", m.Fits[i].WType, m.Fits[i].Needed)
		for k := range convert.MemSizes {
			answer := "no"
			if m.Fits[k*rows+i].Fits {
				answer = "yes"
			}
			fmt.Fprintf(w, "\t%s", answer)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

func shapeText(dims []uint64) string {
	s := make([]string, len(dims))
	for i, d := range dims {
		s[i] = fmt.Sprint(d)
	}
	return strings.Join(s, " x ")
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return gguf.Plain(s)
}

func tokenName(id *uint32) string {
	if id == nil {
		return "none"
	}
	return fmt.Sprint(*id)
}

// barWidth is the width of the to-scale memory map in characters.
const barWidth = 64

func printImage(out io.Writer, i *convert.ImageInfo, all bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "description\t%s\n", gguf.Plain(i.Description))
	kind := "decoder"
	if i.Encoder {
		kind = "encoder"
	}
	fmt.Fprintf(w, "architecture\t%s (%s)\n", i.Arch, kind)
	fmt.Fprintf(w, "version\t%d\n", i.Version)
	fmt.Fprintf(w, "file\t%d bytes, payload %d loads at $%07X\n", i.FileBytes, i.PayloadLen, i.LoadAddr)
	fmt.Fprintf(w, "memory\t%d bytes needed: %d MB, %s\n", i.MemNeeded, i.MemMB, i.Boards)
	fmt.Fprintf(w, "context\t%d tokens\n", i.Context)
	fmt.Fprintf(w, "vocabulary\t%d tokens at $%07X, BOS %d, EOS %d\n", i.Vocab, i.VocabAddr, i.BOS, i.EOS)
	fmt.Fprintf(w, "tokenizer\t$%07X\n", i.Tokenizer)
	fmt.Fprintf(w, "script\t$%07X, %d instructions in %d slots\n", i.Script, i.Scripted, i.Slots)
	fmt.Fprintf(w, "scratch\t$%07X\n", i.Scratch)
	fmt.Fprintf(w, "output\t%d values at $%07X\n", i.OutputLen, i.Output)
	w.Flush()

	fmt.Fprintf(out, "\n%d MB to scale:\n[%s]\n", i.MemMB, convert.Bar(i.Map, i.MemMB, barWidth))
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\taddress\tbytes\tregion\twhere\n")
	for _, r := range i.Map {
		fmt.Fprintf(w, "%c\t$%07X\t%d\t%s\t%s\n", convert.Letter(r.Name), r.Addr, r.Bytes, r.Name, place(r.File))
	}
	w.Flush()
	if !all {
		return nil
	}
	fmt.Fprintln(out)
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "address\tbytes\tblock\t\n")
	for _, s := range i.Symbols {
		fmt.Fprintf(w, "$%07X\t%d\t%s\t%s\n", s.Addr, s.Bytes, s.Name, s.Note)
	}
	return w.Flush()
}

func place(inFile bool) string {
	if inFile {
		return "file"
	}
	return "scratch"
}

package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"ssnail-kit/host/image"
	"ssnail-kit/host/session"
)

func simCommand() *cli.Command {
	return &cli.Command{
		Name:  "sim",
		Usage: "run an image's script on given tokens and count what it does",
		UsageText: `ssnail-kit sim [options] IMAGE.ssnail

The text goes to standard output; stop reason, instructions, RAM traffic per
token and the speed estimated from it go to standard error. Nothing is sampled
and a begin token does not stop the run: the script does as it likes.

Examples:
   ssnail-kit sim stories.ssnail --tokens 1,403,407,261,378 -n 40
   ssnail-kit sim stories.ssnail --tokens 1,403 -n 5 --logits logits.f32
   ssnail-kit sim stories.ssnail --tokens 1 -n 1 --trace`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "tokens", Usage: "`IDS` of the prompt, separated by commas", DefaultText: "the begin token"},
			&cli.IntFlag{Name: "n", Value: 40, Usage: "most tokens to generate", Action: within("n", 1, maxTokens, " tokens")},
			&cli.BoolFlag{Name: "trace", Usage: "print every instruction on standard error"},
			&cli.StringFlag{Name: "logits", Usage: "write little-endian f32 to `FILE`: a row per ARGMAX, prompt positions included; for an encoder the embedding"},
			&cli.BoolFlag{Name: "utf8", Usage: "real characters instead of the MEGA65's"},
			&cli.BoolFlag{Name: "json", Usage: "print everything as one JSON object"},
		}, append(coreFlags("hw"), modelFlags()...)...),
		Action: simAction,
	}
}

func simAction(c *cli.Context) error {
	path, err := oneModel(c, "image")
	if err != nil {
		return err
	}
	bandwidth, err := bandwidthFlag(c)
	if err != nil {
		return err
	}
	m, err := loadModel(c, path)
	if err != nil {
		return err
	}
	defer m.Close()
	s, err := openSession(c, m)
	if err != nil {
		return err
	}
	ids, err := promptTokens(c, s)
	if err != nil {
		return err
	}
	if c.Bool("trace") {
		trace(c.App.ErrWriter, s, m.Image)
	}
	if out := c.String("logits"); out != "" {
		if err := notAnInput("--logits", out, m.Inputs()...); err != nil {
			return err
		}
		var res session.Result
		var text []byte
		var embedding []float32
		err := writeFile(out, c.App.Writer, func(w io.Writer) error {
			var err error
			res, text, embedding, err = simRun(c, s, ids, w)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return simReport(c, s, res, text, embedding, bandwidth)
	}
	res, text, embedding, err := simRun(c, s, ids, io.Discard)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return simReport(c, s, res, text, embedding, bandwidth)
}

// simRun runs the tokens and writes the logits.
func simRun(c *cli.Context, s *session.Session, ids []uint32, logits io.Writer) (res session.Result, text []byte, embedding []float32, err error) {
	if s.Encoder() {
		if embedding, res, err = s.EmbedTokens(ids); err == nil {
			err = binary.Write(logits, binary.LittleEndian, embedding)
		}
		return res, nil, embedding, err
	}
	if err := s.SayTokens(ids); err != nil {
		return res, nil, nil, err
	}
	p := session.Printer{UTF8: c.Bool("utf8")}
	ctx, cancel := context.WithCancelCause(c.Context)
	defer cancel(nil)
	res, err = s.Generate(ctx, session.Turn{
		N: c.Int("n"), PassBOS: true,
		OnToken: func(t session.Token) error {
			n := len(text)
			text = p.Append(text, t.Piece)
			if c.Bool("json") {
				return nil
			}
			_, err := c.App.Writer.Write(text[n:])
			return err
		},
		OnLogits: func(raw []byte) {
			if _, err := logits.Write(raw); err != nil {
				cancel(err)
			}
		},
	})
	if err == nil && ctx.Err() != nil && c.Context.Err() == nil {
		err = context.Cause(ctx)
	}
	if !c.Bool("json") {
		fmt.Fprintln(c.App.Writer)
	}
	return res, text, nil, err
}

// promptTokens reads --tokens.
func promptTokens(c *cli.Context, s *session.Session) ([]uint32, error) {
	list := c.String("tokens")
	if list == "" {
		return s.Tokenizer().Encode(nil, false)
	}
	var ids []uint32
	for f := range strings.SplitSeq(list, ",") {
		id, err := strconv.ParseUint(strings.TrimSpace(f), 10, 32)
		if err != nil {
			return nil, usagef("--tokens: %q is no token id", f)
		}
		ids = append(ids, uint32(id))
	}
	return ids, nil
}

// trace prints each instruction before it executes, as disasm lists it.
func trace(w io.Writer, s *session.Session, im *image.Image) {
	text := map[uint32]string{}
	if l, err := im.Listing(); err == nil { // else without names
		for _, line := range l.Lines {
			text[line.Addr] = line.Text
		}
	}
	s.Core().OnStep = func(pc uint32, raw [16]byte) {
		t, ok := text[pc]
		if !ok {
			t = image.Decode(&raw).String()
		}
		fmt.Fprintf(w, "%07X  %s\n", pc, t)
	}
}

type simJSON struct {
	Text         string    `json:"text"`
	Tokens       []uint32  `json:"tokens"`
	Embedding    []float32 `json:"embedding,omitempty"`
	Reason       string    `json:"stop_reason"`
	Positions    int       `json:"positions"`
	Instructions uint64    `json:"instructions"`
	BytesRead    uint64    `json:"bytes_read"`
	BytesWritten uint64    `json:"bytes_written"`
	Estimated    float64   `json:"estimated_tokens_per_second"`
	Seconds      float64   `json:"seconds"`
	Numerics     string    `json:"numerics"`
}

func simReport(c *cli.Context, s *session.Session, r session.Result, text []byte, embedding []float32, bandwidth float64) error {
	num := s.Core().Numerics().String()
	if c.Bool("json") {
		e := json.NewEncoder(c.App.Writer)
		e.SetEscapeHTML(false)
		return e.Encode(simJSON{string(text), r.Generated, embedding, r.Reason.Name(), r.Positions, r.Instructions,
			r.BytesRead, r.BytesWritten, r.EstimatedSpeed(bandwidth), r.Elapsed.Seconds(), num})
	}
	if embedding != nil {
		var norm float64
		for _, v := range embedding {
			norm += float64(v) * float64(v)
		}
		fmt.Fprintf(c.App.Writer, "embedding of %d values, length %.6f:", len(embedding), math.Sqrt(norm))
		for _, v := range embedding[:min(8, len(embedding))] {
			fmt.Fprintf(c.App.Writer, " %.6g", v)
		}
		fmt.Fprintln(c.App.Writer, " ...")
	}
	if quiet(c) {
		return nil
	}
	w := c.App.ErrWriter
	n := uint64(max(1, r.Positions))
	if embedding == nil {
		fmt.Fprintf(w, "stop reason: %v, %d tokens generated\n", r.Reason, len(r.Generated))
	}
	fmt.Fprintf(w, "instructions: %d for %d tokens processed, %d a token\n", r.Instructions, r.Positions, r.Instructions/n)
	fmt.Fprintf(w, "RAM traffic: %d bytes read, %d written; %d and %d a token\n", r.BytesRead, r.BytesWritten, r.BytesRead/n, r.BytesWritten/n)
	fmt.Fprintf(w, "estimated: %.1f tokens/s at %.0f MB/s\n", r.EstimatedSpeed(bandwidth), bandwidth/1e6)
	fmt.Fprintf(w, "here: %.0f tokens/s, %s numerics, %s kernels\n", r.Speed(), num, s.Core().KernelSet())
	return nil
}

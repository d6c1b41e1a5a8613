package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"ssnail-kit/host/image"
	"ssnail-kit/host/sampler"
)

// Settings are what a chat's commands change.
type Settings struct {
	N        int // most tokens a turn
	Sampling sampler.Options
	Greedy   bool // the image's ARGMAX, whatever Sampling says
	EOS      bool // show the probability of EOS where it is 5 % or more
	Stats    bool // statistics after each turn
	UTF8     bool // real characters instead of folded ones
	JSON     bool // one JSON object a turn instead of text
	// Echo prints the prompt in front of what the model makes of it.
	Echo bool
	// Progress, if set, sees how much of a prompt is processed.
	Progress func(done, total int)
	// Bandwidth in bytes per second is what the estimated speed is made of.
	Bandwidth float64
}

// DefaultSettings are the PC's: 120 tokens a turn, sampled.
func DefaultSettings() Settings {
	return Settings{N: 120, Sampling: sampler.Defaults(), Stats: true, Bandwidth: 130e6}
}

// Chat is a conversation: lines in, text out. Lines that begin with a slash
// are commands.
type Chat struct {
	s    *Session
	set  Settings
	out  io.Writer // what the model says
	info io.Writer // everything else

	smp     *sampler.Sampler
	printer Printer
	memory  Memory // an encoder's earlier lines
}

// NewChat starts a conversation. info gets statistics and answers to
// commands.
func NewChat(s *Session, set Settings, out, info io.Writer) (*Chat, error) {
	c := &Chat{s: s, set: set, out: out, info: info}
	c.printer.UTF8 = set.UTF8
	return c, c.seed()
}

// seed makes a new sampler, at the start of its random numbers.
func (c *Chat) seed() error {
	smp, err := sampler.New(c.set.Sampling)
	if err == nil {
		c.smp = smp
	}
	return err
}

// Line takes one line: a command, text to go on from, or nothing, which lets
// the model go on. quit is true for /quit. Lines that cannot be taken are
// answered on the info writer; an error means that the conversation cannot go
// on.
func (c *Chat) Line(ctx context.Context, line string) (quit bool, err error) {
	if strings.HasPrefix(line, "/") {
		return c.command(line)
	}
	if line == "" && c.s.Encoder() {
		return false, nil
	}
	err = c.Turn(ctx, line)
	var full *FullError
	switch {
	case errors.As(err, &full):
		fmt.Fprintf(c.info, "%v; /reset starts a new one\n", err)
		return false, nil
	case errors.Is(err, errNothing):
		fmt.Fprintf(c.info, "%v\n", err)
		return false, nil
	}
	return false, err
}

// fold makes text what the image's tables can hold.
func fold(text string) []byte {
	var f image.Folder
	return f.Fold(nil, []byte(text))
}

// Turn says text and prints what the model makes of it, or embeds it.
func (c *Chat) Turn(ctx context.Context, text string) error {
	said := fold(text)
	if c.s.Encoder() {
		return c.embed(text, said)
	}
	before := len(c.s.Tokens())
	if _, err := c.s.Say(said); err != nil {
		return err
	}
	var printed []byte
	emit := func(piece []byte) error {
		n := len(printed)
		printed = c.printer.Append(printed, piece)
		if c.set.JSON {
			return nil
		}
		_, err := c.out.Write(printed[n:])
		return err
	}
	if c.set.Echo && !c.set.JSON {
		if _, err := c.out.Write(said); err != nil {
			return err
		}
	}
	c.warnUnknown(c.s.Tokens()[before:])
	turn := Turn{N: c.set.N, EOS: c.set.EOS, OnPosition: c.set.Progress, OnToken: func(t Token) error {
		if c.set.EOS && t.EOS >= 0.05 {
			if err := emit(fmt.Appendf(nil, "<EOS %.0f%%>", 100*t.EOS)); err != nil {
				return err
			}
		}
		return emit(t.Piece)
	}}
	if !c.set.Greedy {
		turn.Sampler = c.smp
	}
	prompt := len(c.s.Tokens()) - before
	res, err := c.s.Generate(ctx, turn)
	if c.set.JSON {
		if err != nil {
			return err
		}
		return c.json(turnReport{Prompt: text, PromptTokens: prompt, Text: string(printed), Tokens: res.Generated,
			Reason: res.Reason.Name(), Context: c.s.used(), Seed: c.set.Sampling.Seed, Greedy: c.greedy(), runReport: c.report(res)})
	}
	if len(res.Generated) > 0 || c.set.Echo {
		if _, err := fmt.Fprintln(c.out); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if res.Reason != Count {
		fmt.Fprintf(c.info, "[%v]\n", res.Reason)
	}
	if c.set.Stats {
		c.stats(res)
	}
	return nil
}

// warnUnknown says when the model knows some of a text's words only as
// unknown, which it would not show otherwise.
func (c *Chat) warnUnknown(ids []uint32) {
	n := 0
	for _, id := range ids {
		if id == c.s.tok.Unknown() && id != c.s.tok.Begin() {
			n++
		}
	}
	if n > 0 {
		fmt.Fprintf(c.info, "[%d of the text's %d tokens are unknown to this model]\n", n, len(ids))
	}
}

func (c *Chat) greedy() bool { return c.set.Greedy || c.set.Sampling.Greedy() }

// embed prints the three earlier lines most similar to this one.
func (c *Chat) embed(text string, said []byte) error {
	ids, err := c.s.tok.Encode(said, false)
	if err != nil {
		return err
	}
	c.warnUnknown(ids)
	v, res, err := c.s.EmbedTokens(ids)
	if err != nil {
		return err
	}
	near := c.memory.Nearest(v, 3)
	c.memory.Add(text, v)
	if c.set.JSON {
		r := embedReport{Text: text, Embedding: v, Similar: []match{}, runReport: c.report(res)}
		for _, m := range near {
			r.Similar = append(r.Similar, match(m))
		}
		return c.json(r)
	}
	if len(near) == 0 {
		var norm float64
		for _, x := range v {
			norm += float64(x) * float64(x)
		}
		_, err = fmt.Fprintf(c.out, "embedded: %d tokens, %d values, length %.4f; nothing to compare with yet\n", res.Positions, len(v), math.Sqrt(norm))
	}
	for _, m := range near {
		if _, err = fmt.Fprintf(c.out, "%7.4f  %s\n", m.Cosine, m.Text); err != nil {
			return err
		}
	}
	if c.set.Stats {
		c.stats(res)
	}
	return err
}

// runReport is what every run states in JSON.
type runReport struct {
	Positions    int     `json:"positions"`
	Instructions uint64  `json:"instructions"`
	BytesRead    uint64  `json:"bytes_read"`
	BytesWritten uint64  `json:"bytes_written"`
	Seconds      float64 `json:"seconds"`
	Estimated    float64 `json:"estimated_tokens_per_second"`
	Numerics     string  `json:"numerics"`
}

type turnReport struct {
	Prompt       string   `json:"prompt"`
	PromptTokens int      `json:"prompt_tokens"`
	Text         string   `json:"text"`
	Tokens       []uint32 `json:"tokens"`
	Reason       string   `json:"stop_reason"`
	Context      int      `json:"context_used"`
	Seed         uint64   `json:"seed"`
	Greedy       bool     `json:"greedy"`
	runReport
}

type embedReport struct {
	Text      string    `json:"text"`
	Embedding []float32 `json:"embedding"`
	Similar   []match   `json:"similar"`
	runReport
}

type match struct {
	Text   string  `json:"text"`
	Cosine float64 `json:"cosine"`
}

func (c *Chat) report(r Result) runReport {
	return runReport{r.Positions, r.Instructions, r.BytesRead, r.BytesWritten, r.Elapsed.Seconds(),
		r.EstimatedSpeed(c.set.Bandwidth), c.s.core.Numerics().String()}
}

func (c *Chat) json(v any) error {
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// EstimatedSpeed is how many positions a second the hardware makes when its
// time is RAM traffic at so many bytes a second.
func (r Result) EstimatedSpeed(bandwidth float64) float64 {
	if r.Positions == 0 || bandwidth <= 0 {
		return 0
	}
	return bandwidth * float64(r.Positions) / float64(r.BytesRead+r.BytesWritten)
}

// Speed is how many positions a second were made here.
func (r Result) Speed() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Positions) / r.Elapsed.Seconds()
}

// stats prints how a turn went.
func (c *Chat) stats(r Result) {
	how := "greedy"
	if o := c.set.Sampling; !c.greedy() {
		how = fmt.Sprintf("temperature %v, top-k %d, penalty %v over %d, seed %d", o.Temperature, o.TopK, o.Penalty, o.Window, o.Seed)
	}
	if c.s.Encoder() {
		how = "encoder"
	}
	speed := ""
	if r.Positions > 0 {
		speed = fmt.Sprintf("; %.0f tokens/s here, %.1f at %.0f MB/s", r.Speed(), r.EstimatedSpeed(c.set.Bandwidth), c.set.Bandwidth/1e6)
	}
	used := ""
	if !c.s.Encoder() {
		used = fmt.Sprintf("; context %d of %d", c.s.used(), c.s.im.MaxCtx)
	}
	fmt.Fprintf(c.info, "[%d tokens made, %d processed in %v%s%s; %v, %s]\n", len(r.Generated), r.Positions,
		r.Elapsed.Round(time.Microsecond*100), speed, used, c.s.core.Numerics(), how)
}

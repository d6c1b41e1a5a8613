package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ssnail-kit/host/convert"
	"ssnail-kit/host/gguf"
	"ssnail-kit/host/image"
)

// modelFlags are the conversion flags of every command that takes a model, a
// .gguf or a .ssnail. They say nothing about an image that exists already.
func modelFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "ctx", Usage: "context of `N` tokens", DefaultText: "the trained length, at most 256; 128 for bert", Action: within("ctx", 1, image.MaxContext, " tokens")},
		&cli.StringFlag{Name: "wtype", Value: "auto", Usage: "weight `FORMAT`: " + strings.Join(convert.WTypes, ", "), Action: oneOf("wtype", convert.WTypes...)},
		&cli.StringFlag{Name: "fallback", Value: "q8_0", Usage: "`FORMAT` for weights the hardware cannot read: " + strings.Join(convert.Formats, ", "), Action: oneOf("fallback", convert.Formats...)},
		&cli.IntFlag{Name: "mem-mb", Value: 8, Usage: "memory of the board in `MB`, 1 to 72: 8 is in every board, 64 or 72 in R4 to R6", Action: within("mem-mb", 1, image.MaxMemMB, " MB")},
		&cli.StringFlag{Name: "kv", Value: "f16", Usage: "`FORMAT` of the KV cache: f16 or f32", Action: oneOf("kv", "f16", "f32")},
		&cli.StringFlag{Name: "type", Value: "General", Usage: "`KIND` of model for the description: Story, General ..."},
		&cli.BoolFlag{Name: "yes", Usage: "agree to store quantised weights with fewer bits if they do not fit"},
	}
}

// loadedModel is a model ready to run: an image in memory, and where it came
// from a GGUF, that file and what its conversion decided.
type loadedModel struct {
	Path  string
	Image *image.Image // header; Read by address, ReadAt by file offset
	Bytes []byte       // the image file
	GGUF  *gguf.File   // nil if Path is an image
	Plan  *convert.Plan
}

// Inputs are the files that it was read from: all parts of a split GGUF.
func (m *loadedModel) Inputs() []string {
	if m.GGUF != nil && len(m.GGUF.Paths) > 0 {
		return m.GGUF.Paths
	}
	return []string{m.Path}
}

// Close closes the GGUF.
func (m *loadedModel) Close() error {
	if m.GGUF == nil {
		return nil
	}
	return m.GGUF.Close()
}

// loadModel turns the path of a .gguf or a .ssnail (told apart by content)
// into an image, converting with the flags of modelFlags. The caller closes
// the model.
func loadModel(c *cli.Context, path string) (*loadedModel, error) {
	isImage, err := startsLikeImage(path)
	if err != nil {
		return nil, err
	}
	if isImage {
		if err := notConverted(c, path, "an image already"); err != nil {
			return nil, err
		}
		return loadImage(path)
	}
	f, err := openGGUF(path)
	if err != nil {
		return nil, err
	}
	m, err := convertInMemory(c, path, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

// notConverted refuses the flags of a conversion for a file that none is made
// of; what says what it is. Beside a GGUF in the same command they have their
// use, and it is only told that they do not mean this file. --yes asks for
// nothing.
func notConverted(c *cli.Context, path, what string) error {
	for _, flag := range []string{"ctx", "wtype", "fallback", "mem-mb", "kv", "type"} {
		if !c.IsSet(flag) {
			continue
		}
		for _, other := range c.Args().Slice() {
			image, err := startsLikeImage(other)
			if model, merr := startsLikeModel(other); err == nil && merr == nil && model && !image {
				say(c, "%s is %s: --%s does not change it", path, what, flag)
				return nil
			}
		}
		return usagef("--%s is for converting a .gguf, and %s is %s", flag, path, what).hinted("leave the flag out, or name the .gguf instead")
	}
	return nil
}

func convertInMemory(c *cli.Context, path string, f *gguf.File) (*loadedModel, error) {
	o := convertOptions(c)
	bar := progress(c, "converting", &o)
	p, err := planModel(path, f, o)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(p.Size()))
	_, err = p.WriteTo(interruptible{c.Context, &b})
	bar.finish()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	im, err := image.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return nil, fmt.Errorf("%s: the converted image: %w", path, err)
	}
	return &loadedModel{Path: path, Image: im, Bytes: b.Bytes(), GGUF: f, Plan: p}, nil
}

// maxImageBytes is more than any image that loads can have.
const maxImageBytes = image.MaxMemMB << 20

// loadImage reads and checks an image.
func loadImage(path string) (*loadedModel, error) {
	b, err := readBounded(path, maxImageBytes)
	if err != nil {
		return nil, err
	}
	im, err := image.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, withHint(fmt.Errorf("%s: %w", path, err), remakeImage)
	}
	return &loadedModel{Path: path, Image: im, Bytes: b}, nil
}

const remakeImage = "copy the image again, or make it anew: ssnail-kit convert MODEL.gguf"

// notImage says that a file which is called .ssnail is none.
func notImage(path string, head []byte) error {
	if len(head) == 0 {
		return withHint(fmt.Errorf("%s: not an SSNAIL image: the file is empty", path), remakeImage)
	}
	return withHint(fmt.Errorf("%s: not an SSNAIL image: it begins with %q, want %q", path, head, image.Magic), remakeImage)
}

// startsLikeImage reports whether a file begins as an SSNAIL image does. What is
// no regular file is refused before it is opened: a pipe that nobody writes to
// would never end, and a model is read more than once.
func startsLikeImage(path string) (bool, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return false, fmt.Errorf("%s: %w", path, cause(err))
	case st.IsDir():
		return false, withHint(fmt.Errorf("%s is a folder, want a model", path), "name a .gguf or a .ssnail")
	case !st.Mode().IsRegular():
		return false, withHint(fmt.Errorf("%s is no regular file, want a model", path), "save it to a file first")
	}
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("%s: %w", path, cause(err))
	}
	defer f.Close()
	var b [len(image.Magic)]byte
	_, err = io.ReadFull(f, b[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, fmt.Errorf("%s: %w", path, cause(err))
	}
	return string(b[:]) == image.Magic, nil
}

// openGGUF opens a model; its errors name the file.
func openGGUF(path string) (*gguf.File, error) {
	if ok, err := startsLikeImage(path); err != nil {
		return nil, err
	} else if ok {
		return nil, withHint(fmt.Errorf("%s is an SSNAIL image, want a GGUF", path), "an image cannot be turned back; name the .gguf it was made from")
	}
	if head, err := readHead(path, 4); err == nil && string(head) != "GGUF" {
		switch strings.ToLower(extOf(path)) {
		case ".ssnail":
			return nil, notImage(path, head)
		case ".d81", ".prg":
			return nil, withHint(fmt.Errorf("%s is no model but a disk or program for the MEGA65", path), "ssnail-kit emu "+path+" starts it")
		}
	}
	return gguf.Open(path)
}

// convertOptions reads the flags of modelFlags.
func convertOptions(c *cli.Context) convert.Options {
	return convert.Options{
		Ctx: c.Int("ctx"), WType: c.String("wtype"), Fallback: c.String("fallback"), MemMB: c.Int("mem-mb"),
		KV: c.String("kv"), Type: c.String("type"), Yes: c.Bool("yes"), Consent: consent(c),
	}
}

// planModel decides a conversion; option values that cannot be are wrong usage.
func planModel(path string, f *gguf.File, o convert.Options) (*convert.Plan, error) {
	p, err := convert.New(f, o)
	var opt *convert.OptionError
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &opt):
		return nil, usagef("%v", err)
	}
	return nil, fmt.Errorf("%s: %w", path, err)
}

// consent asks on a terminal; without one nobody can be asked.
func consent(c *cli.Context) func(string) bool {
	in, ok := c.App.Reader.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) || !isTerminal(c.App.ErrWriter) {
		return nil
	}
	return func(question string) bool {
		fmt.Fprintf(c.App.ErrWriter, "%s [y/N] ", question)
		line, _ := bufio.NewReader(in).ReadString('\n')
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes"
	}
}

func isTerminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// interruptible stops writing when the command is interrupted.
type interruptible struct {
	ctx context.Context
	w   io.Writer
}

func (i interruptible) Write(b []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, errors.New("interrupted")
	}
	return i.w.Write(b)
}

// bar is a progress bar that shows itself when something takes more than a
// second, on a terminal.
type bar struct {
	c     *cli.Context
	what  string
	start time.Time
	p     *progressbar.ProgressBar
}

// progress lets a conversion report to a bar.
func progress(c *cli.Context, what string, o *convert.Options) *bar {
	b := &bar{c: c, what: what}
	if !quiet(c) && isTerminal(c.App.ErrWriter) {
		o.Progress = b.update
	}
	return b
}

func (b *bar) update(done, total int64) {
	if b.start.IsZero() {
		b.start = time.Now()
	}
	if b.p == nil {
		if time.Since(b.start) < time.Second {
			return
		}
		b.p = progressbar.NewOptions64(total, progressbar.OptionSetWriter(b.c.App.ErrWriter),
			progressbar.OptionSetDescription(b.what), progressbar.OptionShowBytes(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	_ = b.p.Set64(done) // a bar that cannot be drawn is no reason to fail
}

func (b *bar) finish() {
	if b.p != nil {
		_ = b.p.Finish()
	}
}

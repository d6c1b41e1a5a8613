package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"ssnail-kit/host/session"
)

func chatCommand() *cli.Command {
	return &cli.Command{
		Name:  "chat",
		Usage: "talk to a model, here on the PC",
		UsageText: `ssnail-kit chat [options] MODEL.gguf|IMAGE.ssnail

Each line goes on from all that was said before; an empty line lets the model
go on. /help lists the commands. Ctrl-C stops the model, not the program;
Ctrl-D or /quit leaves. Lines can also come from a pipe.

Examples:
   ssnail-kit chat stories.gguf
   ssnail-kit chat stories.ssnail --numerics hw --greedy
   printf 'Once upon a time\n\n/quit\n' | ssnail-kit chat stories.gguf --json`,
		Flags:  chatFlags(),
		Action: chatAction,
	}
}

func chatAction(c *cli.Context) error {
	path, err := oneModel(c, "model (.gguf or .ssnail)")
	if err != nil {
		return err
	}
	set, err := chatSettings(c)
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
	describe(c, s)
	chat, err := session.NewChat(s, set, c.App.Writer, c.App.ErrWriter)
	if err != nil {
		return err
	}
	lines := newLines(c)
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(sig)
	if lines.term != nil && !quiet(c) {
		fmt.Fprintln(c.App.ErrWriter, "/help lists the commands, an empty line goes on, Ctrl-D leaves")
	}
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the next line: %w", err)
		}
		quit, ended, err := turn(c, chat, line, sig)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if quit || ended {
			return nil
		}
	}
}

// turn takes a line. An interrupt cancels the turn alone, so the context is
// not the command's, which ends with the first one.
func turn(c *cli.Context, chat *session.Chat, line string, sig <-chan os.Signal) (quit, ended bool, err error) {
	select { // one that came before this turn is not for it
	case s := <-sig:
		ended = s == syscall.SIGTERM
	default:
	}
	if ended {
		return false, true, nil
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context))
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case s := <-sig:
			ended = s == syscall.SIGTERM
			cancel()
		case <-done:
		}
	}()
	quit, err = chat.Line(ctx, line)
	close(done)
	<-watched
	cancel()
	return quit, ended, err
}

// lines reads lines from a terminal with editing and history, or from
// anything else as they are.
type lines struct {
	term *term.Terminal
	fd   int
	in   *bufio.Reader
}

func newLines(c *cli.Context) *lines {
	f, ok := c.App.Reader.(*os.File)
	if ok && term.IsTerminal(int(f.Fd())) && isTerminal(c.App.Writer) {
		l := &lines{fd: int(f.Fd())}
		l.term = term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{clearOnInterrupt{f}, c.App.Writer}, "> ")
		return l
	}
	return &lines{in: bufio.NewReader(io.LimitReader(c.App.Reader, 1<<30))}
}

// maxLine is longer than any line that fits a context.
const maxLine = 1 << 20

func (l *lines) next() (string, error) {
	if l.term == nil {
		return l.plain()
	}
	old, err := term.MakeRaw(l.fd)
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(l.fd, old) }() // nothing better to do if it fails
	if w, h, err := term.GetSize(l.fd); err == nil && w > 0 {
		_ = l.term.SetSize(w, h) // a wrong width only wraps badly
	}
	return l.term.ReadLine()
}

// plain reads a line of at most maxLine bytes.
func (l *lines) plain() (string, error) {
	var b []byte
	for {
		part, err := l.in.ReadSlice('\n')
		b = append(b, part...)
		switch {
		case len(b) > maxLine:
			return "", fmt.Errorf("a line longer than %d bytes", maxLine)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (len(b) == 0 || !errors.Is(err, io.EOF)):
			return "", err
		}
		return strings.TrimRight(string(b), "\r\n"), nil
	}
}

// clearOnInterrupt turns Ctrl-C, which would end the line editor, into
// Ctrl-U, which clears the line.
type clearOnInterrupt struct{ r io.Reader }

func (c clearOnInterrupt) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == 3 {
			p[i] = 21
		}
	}
	return n, err
}

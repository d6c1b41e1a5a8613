//go:build !js

package push

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// Upload is a file to be put onto a computer.
type Upload struct {
	Name string // without folders
	Data []byte
}

// partSuffix marks a file that is not complete.
const partSuffix = ".part"

// Host is a connection to an SSH target. Its steps end when they make no
// progress for the target's Wait.
type Host struct {
	t      SSH
	client *ssh.Client
	moved  atomic.Int64 // bytes, in either direction
	limit  atomic.Int64 // time without any, in nanoseconds
	stall  atomic.Bool
	done   chan struct{}
}

// Connect logs in. The host's key must be a known one. The caller closes the
// Host; the end of ctx does, too.
func (t SSH) Connect(ctx context.Context) (*Host, error) {
	client, err := t.dial(ctx)
	if err != nil {
		return nil, err
	}
	h := &Host{t: t, client: client, done: make(chan struct{})}
	h.limit.Store(int64(t.wait()))
	go h.watch(ctx)
	return h, nil
}

// Close ends the connection.
func (h *Host) Close() error {
	select {
	case <-h.done:
	default:
		close(h.done)
	}
	return h.client.Close()
}

// watch cuts the connection when nothing moves any more, or ctx ends.
func (h *Host) watch(ctx context.Context) {
	tick := time.NewTicker(min(h.t.wait()/8, time.Second))
	defer tick.Stop()
	last, since := h.moved.Load(), time.Now()
	for {
		select {
		case <-h.done:
			return
		case <-ctx.Done():
			h.client.Close()
			return
		case <-tick.C:
			if n := h.moved.Load(); n != last {
				last, since = n, time.Now()
			} else if time.Since(since) > time.Duration(h.limit.Load()) {
				h.stall.Store(true)
				h.client.Close()
				return
			}
		}
	}
}

// explain names the file, how far it got, and why.
func (h *Host) explain(ctx context.Context, what string, at, size int64, err error) error {
	switch {
	case ctx.Err() != nil:
		err = errors.New("interrupted")
	case h.stall.Load():
		err = fmt.Errorf("nothing has moved for %v", h.t.wait())
	case noSpace(err):
		return withHint(fmt.Errorf("%s: %s: no space left there after %d of %d bytes", h.t.Host, what, at, size), "make room on the other side; nothing half-written is left under the final name")
	case errors.Is(err, sftp.ErrSSHFxConnectionLost) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the connection was closed")
	}
	return fmt.Errorf("%s: %s: %w after %d of %d bytes", h.t.Host, what, err, at, size)
}

var errNoSpace = errors.New("no space left")

// full asks for the free space, where the server tells it: OpenSSH's own error
// for a full disk is no more than "Failure".
func full(c *sftp.Client, dir string, need int64) bool {
	if _, ok := c.HasExtension("statvfs@openssh.com"); !ok {
		return false
	}
	st, err := c.StatVFS(path.Join(dir, "."))
	return err == nil && st.Bavail*st.Frsize < uint64(max(need, 0))
}

// noSpace recognises a full disk by the text: SFTP has no code for it.
func noSpace(err error) bool {
	s := strings.ToLower(err.Error())
	return strings.Contains(s, "no space") || strings.Contains(s, "disk full") || strings.Contains(s, "quota")
}

// Put uploads a file: to a temporary name beside the final one, then it is read
// back and its SHA-256 compared, and only then renamed. progress counts both
// ways, so total is twice the size.
func (h *Host) Put(ctx context.Context, u Upload, progress func(done, total int64)) (where string, err error) {
	if u.Name == "" || strings.ContainsAny(u.Name, "/\x00") || u.Name == "." || u.Name == ".." {
		return "", fmt.Errorf("%q is no name for a file", u.Name)
	}
	c, err := sftp.NewClient(h.client, sftp.UseConcurrentWrites(true))
	if err != nil {
		return "", h.explain(ctx, "start SFTP", 0, int64(len(u.Data)), err)
	}
	defer c.Close()
	final := path.Join(h.t.Dir, u.Name)
	part := path.Join(h.t.Dir, "."+u.Name+partSuffix)
	size := int64(len(u.Data))
	count := &counter{total: 2 * size, moved: &h.moved, report: progress}
	n, err := h.write(c, part, u.Data, count)
	if err != nil && full(c, h.t.Dir, size-n) {
		err = errNoSpace
	}
	if err == nil {
		if e := h.compare(c, part, u.Data, count); e != nil {
			c.Remove(part)
			return "", h.explain(ctx, part, count.n.Load()-size, size, e)
		}
		err = rename(c, part, final)
	}
	if err != nil {
		if !h.stall.Load() && ctx.Err() == nil {
			c.Remove(part) // if the connection still stands
		}
		return "", h.explain(ctx, final, n, size, err)
	}
	return final, nil
}

func (h *Host) write(c *sftp.Client, name string, data []byte, count *counter) (int64, error) {
	f, err := c.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if errors.Is(err, os.ErrNotExist) {
		return 0, withHint(fmt.Errorf("there is no folder %s", path.Dir(name)), "create it there first, or name another behind the colon")
	}
	if err != nil {
		return 0, err
	}
	n, err := f.ReadFrom(&reader{data: data, count: count})
	if err != nil {
		// n is what was handed to the writers; the offset is where the first of them failed.
		if at, e := f.Seek(0, io.SeekCurrent); e == nil {
			n = at
		}
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil && n != int64(len(data)) {
		err = io.ErrShortWrite
	}
	return n, err
}

// compare reads the file back.
func (h *Host) compare(c *sftp.Client, name string, data []byte, count *counter) error {
	f, err := c.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(sum, count), io.LimitReader(f, int64(len(data))+1))
	if err != nil {
		return err
	}
	want := sha256.Sum256(data)
	if got := sum.Sum(nil); n != int64(len(data)) || string(got) != string(want[:]) {
		return fmt.Errorf("read back %d bytes with SHA-256 %x, sent %d with %x", n, got, len(data), want)
	}
	return nil
}

// rename replaces a file at once where the server can, else it removes the old
// one first.
func rename(c *sftp.Client, from, to string) error {
	if _, ok := c.HasExtension("posix-rename@openssh.com"); ok {
		return c.PosixRename(from, to)
	}
	if _, err := c.Lstat(to); err == nil {
		if err := c.Remove(to); err != nil {
			return err
		}
	}
	return c.Rename(from, to)
}

// counter counts bytes that moved.
type counter struct {
	n      atomic.Int64
	total  int64
	moved  *atomic.Int64
	report func(done, total int64)
}

func (c *counter) Write(p []byte) (int, error) {
	c.moved.Add(int64(len(p)))
	if n := c.n.Add(int64(len(p))); c.report != nil {
		c.report(min(n, c.total), c.total)
	}
	return len(p), nil
}

// reader gives a file's bytes to the SFTP client, which wants to know the size.
type reader struct {
	data  []byte
	count *counter
}

func (r *reader) Len() int { return len(r.data) }

func (r *reader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return r.count.Write(p[:n])
}

// Run runs one command on the host, in the folder that files go to; what it
// prints goes to out. It may run for as long as it prints something now and then,
// see SSH.Quiet.
func (h *Host) Run(ctx context.Context, command string, out io.Writer) error {
	quiet := h.t.Quiet
	if quiet == 0 {
		quiet = 10 * time.Minute
	}
	h.limit.Store(int64(quiet))
	defer h.limit.Store(int64(h.t.wait()))
	s, err := h.client.NewSession()
	if err != nil {
		return h.commandError(ctx, command, err)
	}
	defer s.Close()
	w := &tee{out: out, moved: &h.moved}
	s.Stdout, s.Stderr = w, w
	return h.commandError(ctx, command, s.Run(inFolder(h.t.Dir, command)))
}

// inFolder is a command line for a shell that runs the command in a folder, and
// not at all where there is none. Without a folder it stays as it is.
func inFolder(dir, command string) string {
	if dir == "" {
		return command
	}
	if strings.HasPrefix(dir, "-") {
		dir = "./" + dir
	}
	return "cd '" + strings.ReplaceAll(dir, "'", `'\''`) + "' || exit\n" + command
}

func (h *Host) commandError(ctx context.Context, command string, err error) error {
	var exit *ssh.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = errors.New("interrupted; it may still run there")
	case h.stall.Load():
		err = fmt.Errorf("it has said nothing for %v; it may still run there", time.Duration(h.limit.Load()))
	case errors.As(err, &exit):
		return fmt.Errorf("%s: command %q failed with status %d", h.t.Host, command, exit.ExitStatus())
	}
	return fmt.Errorf("%s: command %q: %w", h.t.Host, command, err)
}

// tee passes on what a command prints, both streams, one at a time.
type tee struct {
	mu    sync.Mutex
	out   io.Writer
	moved *atomic.Int64
}

func (w *tee) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moved.Add(int64(len(p)))
	return w.out.Write(p)
}

//go:build !js

package push

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// server is an SSH server for one user, with SFTP in a folder and commands that
// are answered here.
type server struct {
	t        *testing.T
	addr     string
	key      ssh.Signer
	dir      string
	identity string // file of the key that it lets in
	breakAt  int64  // close after so many received bytes, 0 = never
	space    int64  // room in the folder, 0 = plenty
	spoil    bool   // what is stored is not what was sent
	terse    bool   // a full disk is "Failure", as with OpenSSH
	stallAt  int64  // take nothing more after so many bytes
	command  func(cmd string, out io.Writer) uint32
}

func newKey(t *testing.T) (ssh.Signer, []byte) {
	t.Helper()
	_, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(priv)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(priv, "")
	if err != nil {
		t.Fatal(err)
	}
	return s, pem.EncodeToMemory(block)
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir()}
	s.key, _ = newKey(t)
	user, file := newKey(t)
	s.identity = filepath.Join(t.TempDir(), "id")
	if err := os.WriteFile(s.identity, file, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if !bytes.Equal(key.Marshal(), user.PublicKey().Marshal()) {
			return nil, errors.New("unknown key")
		}
		return nil, nil
	}}
	config.AddHostKey(s.key)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { s.serve(conn, config) })
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return s
}

// limitedConn closes, or stops taking bytes, at a place in what it receives.
type limitedConn struct {
	net.Conn
	got     atomic.Int64
	breakAt int64
	stallAt int64
	closed  chan struct{}
	once    sync.Once
}

func (c *limitedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	got := c.got.Add(int64(n))
	if c.breakAt > 0 && got > c.breakAt {
		c.Close()
		return 0, io.EOF
	}
	if c.stallAt > 0 && got > c.stallAt {
		<-c.closed
	}
	return n, err
}

func (c *limitedConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

func (s *server) serve(raw net.Conn, config *ssh.ServerConfig) {
	nc := &limitedConn{Conn: raw, breakAt: s.breakAt, stallAt: s.stallAt, closed: make(chan struct{})}
	defer nc.Close()
	if s.stallAt > 0 {
		time.AfterFunc(5*time.Second, func() { nc.Close() })
	}
	_, chans, reqs, err := ssh.NewServerConn(nc, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(reqs)
	for ch := range chans {
		if ch.ChannelType() != "session" {
			_ = ch.Reject(ssh.UnknownChannelType, "no")
			continue
		}
		c, in, err := ch.Accept()
		if err != nil {
			return
		}
		go s.session(c, in)
	}
}

func (s *server) session(c ssh.Channel, in <-chan *ssh.Request) {
	for r := range in {
		switch r.Type {
		case "subsystem":
			_ = r.Reply(true, nil)
			h := sftp.Handlers{FileGet: s, FilePut: s, FileCmd: s, FileList: s}
			srv := sftp.NewRequestServer(c, h)
			_ = srv.Serve()
			srv.Close()
			return
		case "exec":
			_ = r.Reply(true, nil)
			var cmd struct{ Text string }
			_ = ssh.Unmarshal(r.Payload, &cmd)
			status := s.command(cmd.Text, c)
			_, _ = c.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
			c.Close()
			return
		default:
			_ = r.Reply(false, nil)
		}
	}
}

func (s *server) path(p string) string { return filepath.Join(s.dir, filepath.FromSlash(p)) }

// Filewrite opens a file whose disk may be full or bad.
func (s *server) Filewrite(r *sftp.Request) (io.WriterAt, error) {
	f, err := os.Create(s.path(r.Filepath))
	if err != nil {
		return nil, err
	}
	return &disk{File: f, s: s}, nil
}

type disk struct {
	*os.File
	s *server
}

func (d *disk) WriteAt(p []byte, at int64) (int, error) {
	if d.s.space > 0 && at+int64(len(p)) > d.s.space {
		if d.s.terse {
			return 0, errors.New("Failure")
		}
		return 0, errors.New("write: no space left on device")
	}
	if d.s.spoil && at == 0 {
		p = bytes.Clone(p)
		p[0] ^= 1
	}
	return d.File.WriteAt(p, at)
}

// StatVFS tells what is free beside the one file that is there.
func (s *server) StatVFS(*sftp.Request) (*sftp.StatVFS, error) {
	free := uint64(1 << 30)
	if s.space > 0 {
		var used int64
		for _, f := range s.files() {
			if st, err := os.Stat(filepath.Join(s.dir, f)); err == nil {
				used += st.Size()
			}
		}
		free = uint64(max(s.space-used, 0))
	}
	return &sftp.StatVFS{Bsize: 1, Frsize: 1, Blocks: 1 << 30, Bfree: free, Bavail: free}, nil
}

func (s *server) Fileread(r *sftp.Request) (io.ReaderAt, error) { return os.Open(s.path(r.Filepath)) }

func (s *server) Filecmd(r *sftp.Request) error {
	switch r.Method {
	case "Rename", "PosixRename":
		return os.Rename(s.path(r.Filepath), s.path(r.Target))
	case "Remove":
		return os.Remove(s.path(r.Filepath))
	}
	return nil
}

type entries []os.FileInfo

func (e entries) ListAt(out []os.FileInfo, at int64) (int, error) {
	n := copy(out, e[min(int(at), len(e)):])
	if n < len(out) {
		return n, io.EOF
	}
	return n, nil
}

func (s *server) Filelist(r *sftp.Request) (sftp.ListerAt, error) {
	st, err := os.Stat(s.path(r.Filepath))
	if err != nil {
		return nil, err
	}
	return entries{st}, nil
}

// target is the server as a user would name it; its key is known.
func (s *server) target() SSH {
	return s.targetWith(knownhosts.Line([]string{knownhosts.Normalize(s.addr)}, s.key.PublicKey()))
}

func (s *server) targetWith(known ...string) SSH {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "known_hosts")
	if err := os.WriteFile(file, []byte(strings.Join(known, "\n")+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(s.addr)
	t := SSH{User: "me", Host: host, Dir: "/", KnownHosts: file, Identities: []string{s.identity}, Wait: 20 * time.Second}
	fmt.Sscan(port, &t.Port)
	return t
}

func (s *server) files() (names []string) {
	list, err := os.ReadDir(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func put(ctx context.Context, t SSH, u Upload) (*Host, error) {
	h, err := t.Connect(ctx)
	if err != nil {
		return nil, err
	}
	_, err = h.Put(ctx, u, nil)
	return h, err
}

func upload(n int) Upload {
	u := Upload{Name: "model.ssnail", Data: make([]byte, n)}
	for i := range u.Data {
		u.Data[i] = byte(i*31 + i>>9)
	}
	return u
}

func TestSFTP(t *testing.T) {
	s := newServer(t)
	s.command = func(cmd string, out io.Writer) uint32 {
		fmt.Fprintf(out, "doing %s\n", cmd)
		if strings.HasSuffix(cmd, "\nfail") {
			return 7
		}
		return 0
	}
	u := upload(300_001) // no multiple of 512 or of a packet
	h, err := s.target().Connect(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var last, total int64
	where, err := h.Put(limited(t), u, func(d, n int64) { last, total = d, n })
	if err != nil || where != "/model.ssnail" {
		t.Fatal(where, err)
	}
	if last != total || total != 2*int64(len(u.Data)) {
		t.Errorf("progress ends at %d of %d", last, total)
	}
	u.Data = u.Data[:1000] // again: replaces the longer one
	if _, err := h.Put(limited(t), u, nil); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(s.dir, u.Name))
	if err != nil || !bytes.Equal(got, u.Data) || len(s.files()) != 1 {
		t.Errorf("%d bytes there, %v, files %v", len(got), err, s.files())
	}
	var out bytes.Buffer
	if err := h.Run(limited(t), "m65 -F", &out); err != nil || out.String() != "doing cd '/' || exit\nm65 -F\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if err := h.Run(limited(t), "fail", &out); err == nil || !strings.Contains(err.Error(), `command "fail" failed with status 7`) {
		t.Errorf("got %v", err)
	}
	if _, err := h.Put(limited(t), Upload{Name: "../x"}, nil); err == nil {
		t.Error("a name with a folder is accepted")
	}
}

// The command runs where the files went, whatever the folder is called, and not
// elsewhere.
func TestCommandFolder(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("skipped: no sh here")
	}
	top := t.TempDir()
	for _, dir := range []string{"", "plain", "-e", "it's here", "$HOME `x`", "a/b"} {
		full := filepath.Join(top, filepath.FromSlash(dir))
		if err := os.MkdirAll(full, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(full, "name"), []byte("in <"+dir+">"), 0o666); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(sh, "-c", inFolder(dir, "cat name || echo gone; echo ."))
		c.Dir = top
		if out, err := c.CombinedOutput(); err != nil || string(out) != "in <"+dir+">.\n" {
			t.Errorf("%q: %s, %v", dir, out, err)
		}
	}
	c := exec.Command(sh, "-c", inFolder("missing", "true || true; echo ran"))
	c.Dir = top
	if out, err := c.CombinedOutput(); err == nil || strings.Contains(string(out), "ran") {
		t.Errorf("a missing folder: %s, %v", out, err)
	}
}

// What goes wrong leaves nothing under the final name.
func TestSFTPFaults(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(s *server, t *SSH)
		want string
		hint string
	}{
		"closes at half": {func(s *server, _ *SSH) { s.breakAt = 500_000 }, "the connection was closed after", ""},
		"disk full":      {func(s *server, _ *SSH) { s.space = 400_000 }, "no space left there after", "make room"},
		// OpenSSH calls a full disk "Failure", and the client writes far ahead.
		"disk full, and the server is terse": {func(s *server, _ *SSH) { s.space, s.terse = 400_000, true }, "no space left there after 393216 of 1000000 bytes", "make room"},
		"spoilt":                             {func(s *server, _ *SSH) { s.spoil = true }, "read back 1000000 bytes with SHA-256", ""},
		"stalls":                             {func(s *server, t *SSH) { s.stallAt = 500_000; t.Wait = 3 * time.Second }, "nothing has moved for 3s", ""},
		"no folder":                          {func(_ *server, t *SSH) { t.Dir = "/missing" }, "there is no folder /missing", "create it there"},
		"not let in": {func(_ *server, to *SSH) {
			_, file := newKey(t)
			to.Identities = []string{filepath.Join(t.TempDir(), "other")}
			if err := os.WriteFile(to.Identities[0], file, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "does not let you in", "ssh-copy-id me@127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			target := s.target()
			c.set(s, &target)
			h, err := put(limited(t), target, upload(1_000_000))
			if h != nil {
				defer h.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			checkHint(t, err, c.hint)
			for _, f := range s.files() {
				if f == "model.ssnail" || c.want != "" && name != "closes at half" && name != "stalls" {
					t.Errorf("%s is left there", f)
				}
			}
		})
	}
}

func checkHint(t *testing.T, err error, want string) {
	t.Helper()
	var h interface{ Hint() string }
	if want != "" && (!errors.As(err, &h) || !strings.Contains(h.Hint(), want)) {
		t.Errorf("hint of %v: want %q", err, want)
	}
}

func TestSFTPInterrupted(t *testing.T) {
	s := newServer(t)
	s.stallAt = 500_000
	ctx, cancel := context.WithCancel(limited(t))
	h, err := s.target().Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	_, err = h.Put(ctx, upload(1_000_000), func(d, _ int64) {
		if d > 200_000 {
			cancel()
		}
	})
	if err == nil || !strings.Contains(err.Error(), "interrupted after") {
		t.Errorf("got %v", err)
	}
}

// Only a known key is spoken to.
func TestHostKeys(t *testing.T) {
	s := newServer(t)
	other, _ := newKey(t)
	name := knownhosts.Normalize(s.addr)
	right := knownhosts.Line([]string{name}, s.key.PublicKey())
	for what, c := range map[string]struct {
		known []string
		want  string
		hint  string
	}{
		"known":   {[]string{right}, "", ""},
		"unknown": {nil, "is unknown: its key ssh-ed25519 SHA256:", right},
		"changed": {[]string{knownhosts.Line([]string{name}, other.PublicKey())}, "has CHANGED", "ssh-keygen -f"},
		"revoked": {[]string{"@revoked * " + strings.TrimPrefix(right, name+" ")}, "marked as revoked", ""},
	} {
		t.Run(what, func(t *testing.T) {
			h, err := s.targetWith(c.known...).Connect(limited(t))
			if err == nil {
				h.Close()
			}
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Fatalf("got %v, want %q", err, c.want)
			}
			checkHint(t, err, c.hint)
			if what == "changed" {
				checkHint(t, err, fmt.Sprintf("-R %q", name))
			}
		})
	}
	to := s.target()
	to.KnownHosts = filepath.Join(t.TempDir(), "none")
	if _, err := to.Connect(limited(t)); err == nil || !strings.Contains(err.Error(), "is unknown") {
		t.Errorf("without a file of known hosts: %v", err)
	}
}

func TestParseSSH(t *testing.T) {
	for in, want := range map[string]string{
		"pi@raspi:mega65": "pi|raspi|mega65", "raspi:": "|raspi|", "raspi": "|raspi|", "me@[fe80::1]:/srv": "me|fe80::1|/srv",
		"@raspi": "", "": "", "me@:x": "", "[fe80::1": "",
	} {
		got, err := ParseSSH(in)
		if s := got.User + "|" + got.Host + "|" + got.Dir; (err == nil) != (want != "") || err == nil && s != want {
			t.Errorf("%q: %s, %v, want %s", in, s, err, want)
		}
	}
}

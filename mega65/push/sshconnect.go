//go:build !js

package push

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
)

// SSH is a computer that takes files, such as a Raspberry Pi beside the MEGA65.
type SSH struct {
	User, Host string
	Dir        string // where files go, "" = the user's home
	Port       int    // 0 = 22
	KnownHosts string // "" = ~/.ssh/known_hosts
	Identities []string
	Agent      string        // socket of the agent, "" = none
	Wait       time.Duration // limit of a step without progress, 0 = 30 s
	Quiet      time.Duration // how long a command may print nothing, 0 = 10 min
}

// ParseSSH reads USER@HOST:DIR; DIR may be empty, USER may be left out (the
// user's own name). [HOST]:DIR is for addresses with colons.
func ParseSSH(s string) (SSH, error) {
	var t SSH
	rest := s
	if user, after, ok := strings.Cut(s, "@"); ok {
		t.User, rest = user, after
	}
	if inner, ok := strings.CutPrefix(rest, "["); ok {
		host, after, closed := strings.Cut(inner, "]")
		if !closed {
			return t, fmt.Errorf("%q: the [ is not closed; want USER@HOST:DIR", s)
		}
		t.Host, t.Dir = host, strings.TrimPrefix(after, ":")
	} else {
		t.Host, t.Dir, _ = strings.Cut(rest, ":")
	}
	if t.Host == "" || strings.Contains(s, "@") && t.User == "" {
		return t, fmt.Errorf("%q: want USER@HOST:DIR", s)
	}
	return t, nil
}

func (t SSH) address() string {
	port := t.Port
	if port == 0 {
		port = 22
	}
	return net.JoinHostPort(t.Host, strconv.Itoa(port))
}

func (t SSH) wait() time.Duration {
	if t.Wait > 0 {
		return t.Wait
	}
	return 30 * time.Second
}

// dial connects and checks the host's key. The connection ends with ctx.
func (t SSH) dial(ctx context.Context) (*ssh.Client, error) {
	known := t.KnownHosts
	if known == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		known = filepath.Join(home, ".ssh", "known_hosts")
	}
	check, err := hostKeys(known)
	if err != nil {
		return nil, err
	}
	methods, closeAgent, err := t.methods()
	if err != nil {
		return nil, err
	}
	defer closeAgent()
	addr := t.address()
	d := net.Dialer{Timeout: t.wait()}
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, withHint(fmt.Errorf("%s: %w", addr, err), "is the computer on, is the name right, does it run an SSH server?")
	}
	var refused error // by us: the handshake's own error says less
	config := &ssh.ClientConfig{
		User: t.User, Auth: methods, HostKeyAlgorithms: algorithmsFor(check, addr),
		HostKeyCallback: func(host string, remote net.Addr, key ssh.PublicKey) error {
			refused = judge(check, known, host, remote, key)
			return refused
		},
	}
	limit := time.Now().Add(t.wait())
	if err := conn.SetDeadline(limit); err != nil {
		conn.Close()
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	c, chans, reqs, err := ssh.NewClientConn(conn, addr, config)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		switch {
		case refused != nil:
			return nil, refused
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case strings.Contains(err.Error(), "unable to authenticate"):
			return nil, withHint(fmt.Errorf("%s@%s does not let you in: %w", t.User, addr, err),
				"ssh-copy-id %s@%s, or start the agent (ssh-add), or give a key with --identity", t.User, t.Host)
		}
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		c.Close()
		return nil, err
	}
	return ssh.NewClient(c, chans, reqs), nil
}

// hostKeys reads the known hosts; no file means that none is known.
func hostKeys(file string) (ssh.HostKeyCallback, error) {
	check, err := knownhosts.New(file)
	if errors.Is(err, os.ErrNotExist) {
		return func(string, net.Addr, ssh.PublicKey) error { return &knownhosts.KeyError{} }, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return check, nil
}

// judge turns a refusal into what the user has to do.
func judge(check ssh.HostKeyCallback, file, host string, remote net.Addr, key ssh.PublicKey) error {
	err := check(host, remote, key)
	var k *knownhosts.KeyError
	var revoked *knownhosts.RevokedError
	name := knownhosts.Normalize(host)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &revoked):
		return fmt.Errorf("%s: its key is marked as revoked in %s", name, file)
	case !errors.As(err, &k):
		return fmt.Errorf("%s: %w", name, err)
	case len(k.Want) == 0:
		return withHint(fmt.Errorf("%s is unknown: its key %s %s is not in %s", name, key.Type(), ssh.FingerprintSHA256(key), file),
			"compare that with ssh-keygen -lf on the computer itself, then add this line to %s:\n%s", file, knownhosts.Line([]string{name}, key))
	}
	return withHint(fmt.Errorf("the key of %s has CHANGED: it shows %s %s, %s line %d has another: a new system there, or somebody in between",
		name, key.Type(), ssh.FingerprintSHA256(key), k.Want[0].Filename, k.Want[0].Line),
		"if you know why, remove the old one: ssh-keygen -f %q -R %q", file, name)
}

// algorithmsFor asks for the kinds of key that are known for a host, so that a
// host with several shows one of those. nil means any.
func algorithmsFor(check ssh.HostKeyCallback, addr string) []string {
	// A key that nobody has: the refusal lists what is known.
	probe, err := ssh.ParsePublicKey(ssh.Marshal(struct {
		Name string
		Key  []byte
	}{ssh.KeyAlgoED25519, make([]byte, 32)}))
	if err != nil {
		return nil
	}
	var k *knownhosts.KeyError
	if !errors.As(check(addr, &net.TCPAddr{IP: net.IPv4zero}, probe), &k) {
		return nil
	}
	var list []string
	for _, w := range k.Want {
		if t := w.Key.Type(); t == ssh.KeyAlgoRSA {
			list = append(list, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		} else {
			list = append(list, t)
		}
	}
	return list
}

// methods are the agent and the key files. Files that need a passphrase are for
// the agent.
func (t SSH) methods() (list []ssh.AuthMethod, done func(), err error) {
	done = func() {}
	if t.Agent != "" {
		if conn, err := net.Dial("unix", t.Agent); err == nil {
			list = append(list, ssh.PublicKeysCallback(agent.NewClient(conn).Signers))
			done = func() { conn.Close() }
		}
	}
	files, named := t.Identities, len(t.Identities) > 0
	if !named {
		home, err := os.UserHomeDir()
		if err == nil {
			for _, n := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
				files = append(files, filepath.Join(home, ".ssh", n))
			}
		}
	}
	var signers []ssh.Signer
	var locked []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			if named {
				return nil, done, err
			}
			continue
		}
		s, err := ssh.ParsePrivateKey(b)
		var pass *ssh.PassphraseMissingError
		switch {
		case errors.As(err, &pass):
			locked = append(locked, f)
		case err != nil && named:
			return nil, done, fmt.Errorf("%s: %w", f, err)
		case err == nil:
			signers = append(signers, s)
		}
	}
	if len(signers) > 0 {
		list = append(list, ssh.PublicKeys(signers...))
	}
	if len(list) == 0 {
		err := errors.New("no key to log in with: no agent, no key file")
		if len(locked) > 0 {
			return nil, done, withHint(fmt.Errorf("%s needs a passphrase, and no agent runs", strings.Join(locked, ", ")), "ssh-add %s", locked[0])
		}
		return nil, done, withHint(err, "ssh-keygen makes one, ssh-copy-id %s@%s brings it there", t.User, t.Host)
	}
	return list, done, nil
}

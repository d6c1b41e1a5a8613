//go:build linux || darwin

package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ptyPort is the master of a pseudo-terminal, with a link to its slave. The
// slave stays open here, so that tools may come and go.
type ptyPort struct {
	master, slave *os.File
	link          string
}

func openPTY(link string) (MonitorPort, error) {
	// A link that an earlier run left behind is replaced, anything else not.
	if info, err := os.Lstat(link); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return nil, fmt.Errorf("serial monitor: %s exists and is no link: name a path for the link to the pseudo-terminal", link)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("serial monitor: %w", err)
	}
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("serial monitor: open /dev/ptmx: %w", err)
	}
	name, err := ptyName(fd)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("serial monitor: pseudo-terminal: %w", err)
	}
	p := &ptyPort{master: os.NewFile(uintptr(fd), "/dev/ptmx"), link: link}
	if err := p.connect(name); err != nil {
		p.Close()
		return nil, fmt.Errorf("serial monitor: %w", err)
	}
	return p, nil
}

// connect opens the slave, makes it raw and sets the link.
func (p *ptyPort) connect(name string) error {
	var err error
	if p.slave, err = os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return err
	}
	if err := makeRaw(int(p.slave.Fd())); err != nil {
		return fmt.Errorf("%s: set raw mode: %w", name, err)
	}
	// Beside, then renamed: a tool never finds the path missing.
	beside := filepath.Join(filepath.Dir(p.link), fmt.Sprintf(".%s.%d", filepath.Base(p.link), os.Getpid()))
	if err := os.Symlink(name, beside); err != nil {
		return err
	}
	if err := os.Rename(beside, p.link); err != nil {
		os.Remove(beside)
		return err
	}
	return nil
}

// makeRaw switches off all that a terminal does with characters.
func makeRaw(fd int) error {
	t, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	if err != nil {
		return err
	}
	t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cflag = t.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	return unix.IoctlSetTermios(fd, ioctlSetTermios, t)
}

func (p *ptyPort) Name() string { return p.link }

func (p *ptyPort) Read(b []byte) (int, error) { return p.master.Read(b) }

func (p *ptyPort) Write(b []byte) (int, error) { return p.master.Write(b) }

// Close ends a Read that waits, and removes the link.
func (p *ptyPort) Close() error {
	err := p.master.Close()
	if p.slave != nil {
		target, lerr := os.Readlink(p.link)
		if lerr == nil && target == p.slave.Name() {
			os.Remove(p.link)
		}
		p.slave.Close()
	}
	return err
}

//go:build unix

package xemu

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// nobody is the user that has no rights, on every Unix that knows it.
const nobody = 65534

// asUser lets a command that root starts run as nobody, since xmega65 refuses
// to run as root; dir becomes that user's.
func asUser(cmd *exec.Cmd, dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody, NoSetGroups: false}}
	return filepath.Walk(dir, func(p string, _ os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(p, nobody, nobody)
	})
}

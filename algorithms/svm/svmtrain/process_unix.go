//go:build unix

package svmtrain

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// tie puts a program in a process group of its own, which the end of its
// context kills.
func tie(cmd *exec.Cmd) {
	own := attributes
	cmd.SysProcAttr = &own
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

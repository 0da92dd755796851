//go:build !linux

package lease

import (
	"errors"
	"os"
	"syscall"
)

// boot names what process numbers are of: the machine, as its boots cannot be told apart.
func boot(host string) string { return host }

// started is not known.
func started(int) string { return "" }

// alive reports whether there is a process of that number.
func alive(pid int, _ string) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}

//go:build !linux

package record

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

func started(int) string { return "" }

// alive reports whether a process with the number is running.
func alive(pid int, _ string) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0))
	return runtime.GOOS == "windows" || err == nil || errors.Is(err, os.ErrPermission)
}

//go:build unix

package external

import (
	"os"
	"syscall"
)

// The signals that end programs.
const (
	terminate = syscall.SIGTERM
	kill      = syscall.SIGKILL
)

// signalGroup sends a signal to a program and to all of its group.
func signalGroup(pid int, s syscall.Signal) { _ = syscall.Kill(-pid, s) }

// killedBy names the signal that has killed a program, "" if none has.
func killedBy(state *os.ProcessState) string {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal().String()
	}
	return ""
}

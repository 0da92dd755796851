//go:build !unix

package external

import (
	"os"
	"syscall"
)

// Elsewhere programs are started and ended by themselves, without what they start.
type signal int

const terminate, kill signal = 0, 0

func attributes() *syscall.SysProcAttr { return nil }

func signalGroup(pid int, _ signal) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func killedBy(*os.ProcessState) string { return "" }

func leftBehind(int, string) []int { return nil }

func killLeft(int, string) {}

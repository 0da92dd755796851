//go:build unix && !linux

package external

import (
	"os"
	"syscall"
	"time"
)

// attributes give a program a session, and so a process group, of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// roomyFolder returns where folders of programs are made.
func roomyFolder() string { return os.TempDir() }

// usage is what processes take, which is not known here.
type usage struct {
	cpu    time.Duration
	memory int64
}

func usageOf(int) usage { return usage{} }

func processTime(int) time.Duration { return 0 }

// leftBehind returns the group of a program that has ended if anything is left of it.
func leftBehind(pid int, _ string) []int {
	if syscall.Kill(-pid, 0) != nil {
		return nil
	}
	return []int{-pid}
}

// killLeft kills it.
func killLeft(pid int, _ string) { signalGroup(pid, kill) }

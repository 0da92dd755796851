//go:build unix && !linux

package external

import "syscall"

// attributes give a program a session, and so a process group, of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// leftBehind returns the group of a program that has ended if anything is left of it.
func leftBehind(pid int, _ string) []int {
	if syscall.Kill(-pid, 0) != nil {
		return nil
	}
	return []int{-pid}
}

// killLeft kills it.
func killLeft(pid int, _ string) { signalGroup(pid, kill) }

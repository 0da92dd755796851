package svm

import "syscall"

// attributes has the kernel kill the program when the thread that started it
// ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

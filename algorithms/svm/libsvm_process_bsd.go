//go:build unix && !linux

package svm

import "syscall"

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

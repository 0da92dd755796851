//go:build unix && !linux

package svmtrain

import "syscall"

var attributes = syscall.SysProcAttr{Setpgid: true}

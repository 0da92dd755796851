package svmtrain

import "syscall"

// attributes has the kernel kill the program when the thread that started it ends.
var attributes = syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}

//go:build unix

package externaltest

import (
	"os"
	"os/exec"
	"syscall"
)

// leaveBehind starts a process that leaves the session, as daemons do. An orphan also loses the environment.
func (m *method) leaveBehind() {
	if m.started++; m.started > 1 {
		return
	}
	cmd := exec.Command("sleep", "3600")
	cmd.Args[0] = os.Args[0] // by which tests recognise it
	cmd.Env = os.Environ()
	if m.name == Orphan {
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	must(cmd.Start())
}

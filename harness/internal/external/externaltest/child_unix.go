//go:build unix

package externaltest

import (
	"os"
	"os/exec"
	"syscall"
)

// leaveBehind starts a process that leaves the session, as daemons do.
func (m *method) leaveBehind() {
	if m.started++; m.started > 1 {
		return
	}
	cmd := exec.Command("sleep", "3600")
	cmd.Env = os.Environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	must(cmd.Start())
}

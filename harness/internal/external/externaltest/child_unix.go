//go:build unix

package externaltest

import (
	"os"
	"os/exec"
	"syscall"
)

// leaveBehind starts a process in another session, like a daemon. The child of Orphan also has another
// environment.
func (m *method) leaveBehind() {
	if m.started++; m.started > 1 {
		return
	}
	cmd := exec.Command("sleep", "3600")
	cmd.Args[0] = os.Args[0] // tests recognise the process by this
	cmd.Env = os.Environ()
	if m.name == Orphan {
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	must(cmd.Start())
}

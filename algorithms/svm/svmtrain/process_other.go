//go:build !unix

package svmtrain

import "os/exec"

// tie leaves it at what os/exec does: the end of the context kills the program.
func tie(*exec.Cmd) {}

package svmtrain

import (
	"cmp"
	"os/exec"
	"runtime"
)

// drainNanoseconds is how long the output of a program is waited for once it
// has ended, if the command does not say: another that it has started may hold
// it open.
const drainNanoseconds = 5_000_000_000

// runTied runs a program and waits for it. The end of the command's context,
// which it must have, ends all programs that it has started, too; on Linux so
// does the end of this process, however it comes, for the program itself.
func runTied(cmd *exec.Cmd) error {
	tie(cmd)
	cmd.WaitDelay = cmp.Or(cmd.WaitDelay, drainNanoseconds)
	// Linux takes the end of the thread that started it for that of the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return cmd.Run()
}

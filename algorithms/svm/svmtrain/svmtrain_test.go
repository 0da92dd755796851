package svmtrain

import (
	"os/exec"
	"testing"
)

// needTool returns the path of a program, without which the test is skipped.
func needTool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

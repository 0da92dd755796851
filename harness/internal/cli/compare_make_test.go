package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// make regression fails if a run fails or compare finds a regression.
func TestMakeRegression(t *testing.T) {
	for _, tool := range []string{"make", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	makefile := read(t, "../../../Makefile")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "Makefile"), makefile)
	if err := os.Mkdir(at(t, dir, "build"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		run, compare string
		code         int
	}{{"exit 0", "exit 0", 0}, {"exit 1", "exit 0", 2}, {"exit 0", "exit 1", 2}} {
		text := "#!/bin/bash\nif [ $1 = run ]; then " + test.run + "; fi\n" + test.compare + "\n"
		if err := os.WriteFile(filepath.Join(dir, "fake"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("make", "-C", dir, "-o", "build", "BIN=./fake", "regression")
		cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != test.code {
			t.Errorf("%+v: make exits with %d: %s", test, code, out)
		}
	}
}

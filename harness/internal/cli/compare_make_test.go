package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// make regression is short where all is well, and says what to do where not.
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
	const figures, comparison = "figures and tables", "compare results/reference build/regression"
	for _, test := range []struct {
		name, run, compare string
		code               int
		// says are the commands whose output make shows.
		says []string
	}{
		{"pass", "exit 0", "exit 0", 0, []string{comparison}},
		{"a run fails", "exit 1", "exit 0", 2, []string{figures}},
		{"a regression", "exit 0", "exit 1", 2, []string{comparison}},
	} {
		fake := filepath.Join(dir, "fake")
		text := "#!/bin/bash\nif [ $1 = run ]; then echo " + figures + "; " + test.run + "; fi\necho \"$@\"\n" + test.compare + "\n"
		if err := os.WriteFile(fake, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("make", "-C", dir, "-o", "build", "BIN=./fake", "regression")
		cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != test.code {
			t.Errorf("%s: make exits with %d, want %d: %s", test.name, code, test.code, out)
		}
		for _, text := range []string{figures, comparison} {
			if strings.Contains(string(out), text) != slices.Contains(test.says, text) {
				t.Errorf("%s: make says\n%s\nwant %q", test.name, out, test.says)
			}
		}
	}
}

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
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
	const figures, next = "figures and tables", "if this is meant: raise the Version of the algorithm, run `make reference`, and see results/reference/README.md"
	for _, test := range []struct {
		name, run, compare string
		code               int
		want, lacks        []string
	}{
		{"pass", "exit 0", "exit 0", 0, []string{"compare results/reference build/regression"}, []string{figures, next}},
		{"a run fails", "exit 1", "exit 0", 2, []string{figures}, []string{"compare results/reference", next}},
		{"a regression", "exit 0", "exit 1", 2, []string{"compare results/reference", next, "Error 1"}, []string{figures}},
		{"undecided", "exit 0", "exit 2", 2, []string{next, "Error 2"}, []string{figures}},
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
		wantText(t, test.name, string(out), test.want...)
		for _, text := range test.lacks {
			if strings.Contains(string(out), text) {
				t.Errorf("%s: make says %q:\n%s", test.name, text, out)
			}
		}
		wantText(t, "build/regression.log", read(t, dir, "build/regression.log"), figures)
	}
}

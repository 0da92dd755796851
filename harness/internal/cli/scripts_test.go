package cli

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The script of make reference replaces only what has changed.
func TestReferenceScript(t *testing.T) {
	for _, tool := range []string{"bash", "gzip", "cmp", "du"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	script, err := filepath.Abs("../../../scripts/reference.sh")
	if err != nil {
		t.Fatal(err)
	}
	compareHome(t)
	write(t, "other.yaml", edit(t, small, "name: small", "name: other"))
	ok(t, "run", "other.yaml", "--out", "a")
	// changed runs the script and lists the changed files of the reference.
	changed := func() string {
		t.Helper()
		before := rawFiles(t, ".")
		cmd := exec.Command("bash", script, "./fake", "a", "ref")
		cmd.Dir = root(t)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var names []string
		after := rawFiles(t, ".")
		for _, name := range slices.Sorted(maps.Keys(after)) {
			if before[name] != after[name] {
				names = append(names, strings.TrimPrefix(name, "ref/"))
			}
		}
		return strings.Join(names, " ")
	}

	// The script omits runs of libsvm and the experiment svm-sparse-bounds.
	write(t, "fake", "#!/bin/sh\n[ \"$1 $3 $4\" = 'export --to jsonl' ] && cat \"$2/runs.jsonl\"\n")
	if err := os.Chmod(at(t, "fake"), 0o755); err != nil {
		t.Fatal(err)
	}
	asText(t, "a/other")
	lines := asText(t, "a/small")
	write(t, "a/small/runs.jsonl", lines+`{"algorithm":"libsvm"}`+"\n")
	if err := os.CopyFS(at(t, "a/svm-sparse-bounds"), os.DirFS(at(t, "a/small"))); err != nil {
		t.Fatal(err)
	}
	if got := changed(); got != "other/manifest.json other/runs.jsonl.gz other/spec.yaml small/manifest.json small/runs.jsonl.gz small/spec.yaml" {
		t.Errorf("the reference has %s", got)
	}
	write(t, "a/small/runs.jsonl", lines)
	remove(t, "a/svm-sparse-bounds")
	if o := ok(t, "compare", "ref", "a", "--strict"); o.out != "4 cells: 4 identical; PASS\n" {
		t.Errorf("%q", o.out)
	}

	// The records have another build, then another spec, then other values.
	for _, name := range []string{"small", "other"} {
		manifest := read(t, "a", name, "manifest.json")
		write(t, filepath.Join("a", name, "manifest.json"), edit(t, manifest, `"version": "`, `"version": "later `))
	}
	if got := changed(); got != "" {
		t.Errorf("after another build, it changes %s", got)
	}
	write(t, "a/small/spec.yaml", read(t, "a/small/spec.yaml")+"# another claim\n")
	if got := changed(); got != "small/spec.yaml" {
		t.Errorf("after another spec, it changes %s", got)
	}
	write(t, "a/small/runs.jsonl", lines[:strings.Index(lines, "\n")+1])
	if got := changed(); got != "small/manifest.json small/runs.jsonl.gz" {
		t.Errorf("after other records, it changes %s", got)
	}
}

// It fails if a run fails or compare finds a regression.
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

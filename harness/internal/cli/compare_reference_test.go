package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The script behind make reference changes what has changed, and nothing else.
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
	run := func() string {
		t.Helper()
		cmd := exec.Command("bash", script, "./fake", "a", "ref")
		cmd.Dir = root(t)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	files := func() map[string]string {
		t.Helper()
		m := make(map[string]string)
		for _, name := range []string{"small", "other"} {
			for _, f := range []string{"spec.yaml", "manifest.json", "runs.jsonl.gz"} {
				m[name+"/"+f] = read(t, "ref", name, f)
			}
		}
		return m
	}
	// changedBy names the files of the reference that a run of the script changes.
	changedBy := func() (string, []string) {
		t.Helper()
		before := files()
		said := run()
		var names []string
		after := files()
		for _, name := range []string{"other/manifest.json", "other/runs.jsonl.gz", "other/spec.yaml", "small/manifest.json", "small/runs.jsonl.gz", "small/spec.yaml"} {
			if before[name] != after[name] {
				names = append(names, name)
			}
		}
		return said, names
	}

	// A series that runs an external solver, and an experiment that is too large.
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
	wantText(t, "first", run(), "other: new records\n", "small: new records\n")
	if _, err := os.Stat(at(t, "ref/svm-sparse-bounds")); err == nil {
		t.Error("what is to be left out was taken")
	}
	write(t, "a/small/runs.jsonl", lines)
	if err := os.RemoveAll(at(t, "a/svm-sparse-bounds")); err != nil {
		t.Fatal(err)
	}
	if o := ok(t, "compare", "ref", "a", "--strict"); o.out != "4 cells: 4 identical; PASS\n" {
		t.Errorf("%q", o.out)
	}

	// Another build of the same records, and other claims.
	for _, name := range []string{"small", "other"} {
		manifest := read(t, "a", name, "manifest.json")
		write(t, filepath.Join("a", name, "manifest.json"), edit(t, manifest, `"version": "`, `"version": "later `))
	}
	if said, names := changedBy(); strings.Contains(said, "new records") || len(names) > 0 {
		t.Errorf("of the same records it says %q and changes %q", said, names)
	}
	write(t, "a/small/spec.yaml", read(t, "a/small/spec.yaml")+"# another claim\n")
	if said, names := changedBy(); strings.Contains(said, "new records") || strings.Join(names, " ") != "small/spec.yaml" {
		t.Errorf("of another spec it says %q and changes %q", said, names)
	}

	// Other records.
	write(t, "a/small/runs.jsonl", lines[:strings.Index(lines, "\n")+1])
	if said, names := changedBy(); !strings.Contains(said, "small: new records\n") || strings.Join(names, " ") != "small/manifest.json small/runs.jsonl.gz" {
		t.Errorf("of other records it says %q and changes %q", said, names)
	}

	// An experiment that is no more.
	if err := os.RemoveAll(at(t, "a/other")); err != nil {
		t.Fatal(err)
	}
	wantText(t, "gone", run(), "ref/other/ is of an experiment that is no more: remove it")
}

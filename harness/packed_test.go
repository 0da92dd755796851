package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/verify"
)

// A change of a packed folder is found.
func TestPackedFolderIsVerified(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "svm-sparse-variants")
	if err := os.CopyFS(dir, os.DirFS("../results/paper/svm-sparse-variants")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		file, want string
		damage     func(text []byte) []byte
	}{
		{experiment.SpecFile, "", func(text []byte) []byte { return text }},
		{experiment.SpecFile, "its checksum differs", func(text []byte) []byte { return append(text, '\n') }},
		{experiment.ClaimsFile, "it differs from what the records give", func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"outcome": "reproduced"`), []byte(`"outcome": "not reproduced"`), 1)
		}},
		{"figures/fig-variants.png", "it differs from what the records give", func(text []byte) []byte { return append(text, 0) }},
		{experiment.SelectionFile, "no such file", nil},
		{experiment.HalvedFile, "cannot be read", func(text []byte) []byte { return text[:len(text)/2] }},
		{experiment.PackedFile, "were packed", func(text []byte) []byte { return bytes.Replace(text, []byte(`"runs": `), []byte(`"runs": 1`), 1) }},
		{experiment.PackedFile, "cannot be read", func([]byte) []byte { return []byte("{") }},
		{"runs.jsonl.gz", "cannot read", func(text []byte) []byte { return text[:len(text)/2] }},
	} {
		path := filepath.Join(dir, test.file)
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if test.damage == nil {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, test.damage(bytes.Clone(was)), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Folder(t.Context(), dir, verify.Options{Tool: experiment.ThisTool()})
		var said strings.Builder
		if err != nil {
			said.WriteString(err.Error())
		} else {
			for _, finding := range r.Findings {
				said.WriteString(finding.Where + ": " + finding.Text + "\n")
			}
		}
		if (err == nil && r.OK) != (test.want == "") || !strings.Contains(said.String(), test.want) {
			t.Errorf("%s: %q, want %q", test.file, said.String(), test.want)
		}
		if err := os.WriteFile(path, was, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

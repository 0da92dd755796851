package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/verify"
	"stochopt/internal/record"
)

// unpacked is copied with the records of the reference as a run leaves them.
func unpacked(t *testing.T, name string) string {
	t.Helper()
	dir := copied(t, name)
	packed := filepath.Join(dir, record.PackedFile)
	f, err := os.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, record.RunsFile), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(packed); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestPack packs every reference experiment: from the packed folder alone come the same
// figures, tables and verdicts as from all records.
func TestPack(t *testing.T) {
	t.Parallel()
	for _, name := range references(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := unpacked(t, name)
			f, err := experiment.Open(from)
			if err != nil {
				t.Fatal(err)
			}
			dir, err := f.Pack(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			r, err := verify.Folder(t.Context(), dir, verify.Options{Tool: experiment.ThisTool()})
			if err != nil || !r.OK {
				t.Fatalf("%v, %+v", err, r)
			}
			var texts [2]bytes.Buffer
			for i, d := range []*experiment.Derivation{derived(t, from), derived(t, dir)} {
				if err := json.NewEncoder(&texts[i]).Encode(d.Verdicts()); err != nil {
					t.Fatal(err)
				}
				if err := json.NewEncoder(&texts[i]).Encode(d.Warnings()); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
				t.Errorf("verdicts differ:\n%s\n%s", texts[0].String(), texts[1].String())
			}
		})
	}
}

// What is changed in a packed folder is found.
func TestPackedFolderIsVerified(t *testing.T) {
	t.Parallel()
	f, err := experiment.Open(unpacked(t, "svm-sparse-variants"))
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	dir, err := f.Pack(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Pack(to); err != nil {
		t.Errorf("packed again: %v", err)
	}
	figures, err := filepath.Glob(filepath.Join(dir, "figures", "*.png"))
	if err != nil || len(figures) == 0 {
		t.Fatalf("%d figures, %v", len(figures), err)
	}
	for _, test := range []struct {
		file, want string
		damage     func(text []byte) []byte
	}{
		{experiment.ClaimsFile, "it differs from what the records give", func(text []byte) []byte {
			return bytes.Replace(text, []byte(`"outcome": "reproduced"`), []byte(`"outcome": "not reproduced"`), 1)
		}},
		{strings.TrimPrefix(figures[0], dir+"/"), "it differs from what the records give", func(text []byte) []byte { return append(text, 0) }},
		{experiment.SelectionFile, "missing", nil},
		{experiment.HalvedFile, "cannot be read", func(text []byte) []byte { return text[:len(text)/2] }},
		{experiment.PackedFile, "were packed", func(text []byte) []byte { return bytes.Replace(text, []byte(`"runs": `), []byte(`"runs": 1`), 1) }},
		{experiment.PackedFile, "pack the results again", func([]byte) []byte { return []byte("{") }},
		{record.PackedFile, "cannot read", func(text []byte) []byte { return text[:len(text)/2] }},
	} {
		path := filepath.Join(dir, test.file)
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if test.damage == nil {
			err = os.Remove(path)
		} else if is := test.damage(was); bytes.Equal(is, was) {
			t.Fatalf("%s is as it was", test.file)
		} else {
			err = os.WriteFile(path, is, 0o644)
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
				said.WriteString(finding.File + ": " + finding.Text + "\n")
			}
		}
		if err == nil && r.OK || !strings.Contains(said.String(), test.want) {
			t.Errorf("%s: %q, want %q", test.file, said.String(), test.want)
		}
		if err := os.WriteFile(path, was, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(to, "other", "svm-sparse-variants", "mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Pack(filepath.Join(to, "other")); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("packed over another folder: %v", err)
	}
}

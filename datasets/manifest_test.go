package datasets

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestManifestErrors(t *testing.T) {
	t.Parallel()
	h := strings.Repeat("a", 64)
	good := "- {name: x, title: X, format: libsvm, features: 3, default_part: train,\n" +
		"   variants: [{name: x, parts: [{name: train, rows: 2, files: [f]}]}],\n" +
		"   files: [{name: f, sha256: " + h + ", size: 7, forms: [{name: f}]}]}\n"
	if err := checkedManifest([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"title", "titel", "titel not found"},
		{"format: libsvm", "format: libsvn", `did you mean "libsvm"`},
		{"features: 3", "features: 0", "features missing"},
		{"sha256: " + h, "sha256: abc", "bad sha256 or size"},
		{"forms: [{name: f}]", "forms: [{name: ../f}]", "bad name"},
		{"forms: [{name: f}]", "forms: []", "no form"},
		{"files: [f]", "files: [g]", "no file g"},
		{"files: [f]", "files: [f, f]", "bad rows or files"},
		{"default_part: train", "default_part: tran", `did you mean "train"`},
		{good, good + good, "two entries x"},
	} {
		err := checkedManifest([]byte(strings.Replace(good, c.old, c.new, 1)))
		wantError(t, err, c.want)
	}
}

var (
	sha256Pattern = regexp.MustCompile(`^[0-9a-f]{64}$`)
	namePattern   = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)
)

// checkedManifest reads a manifest and checks it.
func checkedManifest(text []byte) error {
	var entries []Entry
	if err := decodeYAML(text, &entries); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range entries {
		e := &entries[i]
		if seen[e.Name] {
			return fmt.Errorf("datasets manifest: two entries %s", e.Name)
		}
		seen[e.Name] = true
		if err := checkEntry(e); err != nil {
			return fmt.Errorf("datasets manifest: %s: %w", e.Name, err)
		}
	}
	return nil
}

func checkEntry(e *Entry) error {
	if !namePattern.MatchString(e.Name) || e.Title == "" || e.Features <= 0 {
		return fmt.Errorf("name, title or features missing or wrong")
	}
	if !slices.Contains(formats, e.Format) {
		return unknown("format", e.Format, formats)
	}
	for i := range e.Files {
		f := &e.Files[i]
		for j := range f.Forms {
			g := &f.Forms[j]
			unknown := g.SHA256 == "" && g.Size == 0
			if !namePattern.MatchString(g.Name) || path.Base(g.Name) != g.Name || !unknown && (!sha256Pattern.MatchString(g.SHA256) || g.Size <= 0) {
				return fmt.Errorf("file %s: form %q: bad name, sha256 or size", f.Name, g.Name)
			}
		}
		if !sha256Pattern.MatchString(f.SHA256) || f.Size <= 0 || len(f.Forms) == 0 {
			return fmt.Errorf("file %s: bad sha256 or size, or no form", f.Name)
		}
	}
	if (e.Obtain != "") != (len(e.Files) == 0) {
		return fmt.Errorf("neither files nor a way to obtain them, or both")
	}
	if len(e.Variants) == 0 {
		return fmt.Errorf("no variant")
	}
	for _, v := range e.Variants {
		for _, p := range v.Parts {
			want := 1
			if e.Format == "idx" {
				want = 2
			}
			if e.Obtain != "" {
				want = 0
			}
			if p.Rows <= 0 || len(p.Files) != want {
				return fmt.Errorf("variant %s: part %s: bad rows or files", v.Name, p.Name)
			}
			for _, f := range p.Files {
				if e.file(f) == nil {
					return fmt.Errorf("variant %s: part %s: no file %s", v.Name, p.Name, f)
				}
			}
		}
		if _, err := v.parts(e.DefaultPart); err != nil {
			return fmt.Errorf("default_part: %w", err)
		}
	}
	return nil
}

package datasets

import (
	"path"
	"regexp"
	"slices"
	"testing"
)

var (
	sha256Pattern = regexp.MustCompile(`^[0-9a-f]{64}$`)
	namePattern   = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)
)

func TestManifest(t *testing.T) {
	t.Parallel()
	names := append(Sources(), Formats()...)
	for i, name := range names {
		if !namePattern.MatchString(name) || slices.Index(names, name) < i {
			t.Errorf("%q is no name, or is there twice", name)
		}
	}
	for _, e := range List() {
		if e.Title == "" || e.Licence == "" || e.Citation == "" || e.Homepage == "" || e.Thesis == "" || e.Description == "" || e.Classes < 2 ||
			e.Features <= 0 || !slices.Contains(formats, e.Format) || standInOf(e.Name) == nil || (e.Obtain != "") != (len(e.Files) == 0) {
			t.Errorf("%s: incomplete", e.Name)
		}
		for _, f := range e.Files {
			urls := 0
			for _, g := range f.Forms {
				urls += len(g.URLs)
				known := sha256Pattern.MatchString(g.SHA256) && g.Size > 0
				if !namePattern.MatchString(g.Name) || !known && (g.SHA256 != "" || g.Size != 0) || g.SHA256 == f.SHA256 {
					t.Errorf("%s: form %+v", e.Name, g)
				}
				for _, u := range g.URLs {
					if !regexp.MustCompile("^https?://").MatchString(u) || path.Base(u) != g.Name {
						t.Errorf("%s: %s is no address of %s", e.Name, u, g.Name)
					}
				}
			}
			if !sha256Pattern.MatchString(f.SHA256) || f.Size <= 0 || len(f.Forms) == 0 || (urls == 0) != (f.Obtain != "") {
				t.Errorf("%s: file %+v", e.Name, f)
			}
		}
		files := 1
		switch {
		case e.Obtain != "":
			files = 0
		case e.Format == "idx":
			files = 2
		}
		for _, v := range e.Variants {
			for _, p := range v.Parts {
				known := func(name string) bool { return e.file(name) != nil }
				if p.Rows <= 0 || len(p.Files) != files || !slices.Equal(slices.DeleteFunc(slices.Clone(p.Files), known), []string{}) {
					t.Errorf("%s %s: part %+v", e.Name, v.Name, p)
				}
			}
			if _, err := v.parts(e.DefaultPart); err != nil {
				t.Errorf("%s %s: %v", e.Name, v.Name, err)
			}
		}
	}
}

func TestRefShape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ref  Ref
		n, d int
	}{
		{Ref{Source: "mnist"}, 70000, 784},
		{Ref{Source: "mnist", With: map[string]any{"part": "test"}}, 10000, 784},
		{Ref{Source: "ijcnn1"}, 141691, 22},
		{Ref{Source: "ijcnn1", With: map[string]any{"variant": "ijcnn1.tr", "part": "train"}}, 35000, 22},
		{Ref{Source: "covtype", With: map[string]any{"variant": "scaled"}}, 92962, 54},
		{Ref{Source: "simulated-orthogonal", With: map[string]any{"gap": int64(1), "reading": "norm"}}, 0, 32},
		{Ref{Source: "counterexample-2d"}, 0, 2},
		{Ref{Source: "simulated-margin", With: map[string]any{"R": 4, "dim": 16.0, "n": 30, "test": 20}}, 50, 16},
		{Ref{Source: "interval"}, 401, 1},
		{Ref{Path: "a.svm", Features: 5}, 0, 5},
		{Ref{Path: "a.tsv", Label: "y", With: map[string]any{"header": true, "delimiter": ";"}}, 0, 0},
		{Ref{Path: "x.idx", Test: "y.idx", With: map[string]any{"labels": "a", "test_labels": "b"}}, 0, 0},
	} {
		if n, d, err := c.ref.Shape(); n != c.n || d != c.d || err != nil {
			t.Errorf("%+v: %d x %d, %v", c.ref, n, d, err)
		}
	}
	if _, _, err := (Ref{}).Shape(); err == nil {
		t.Error("no error")
	}
	for _, g := range Generators() {
		if shown := slices.ContainsFunc(Params(g.Name), func(p Param) bool { return p.Doc == "" }); shown || g.Doc == "" {
			t.Errorf("%s lacks a description", g.Name)
		}
	}
}

// TestAdultSizesErratum: the table of chapter 2 gives Adult 31562 and 16282
// examples, and the figure of chapter 5 256 dimensions; the files have 32561
// and 16281, and 123.
func TestAdultSizesErratum(t *testing.T) {
	t.Parallel()
	for part, rows := range map[string]int{"train": 32561, "test": 16281} {
		n, d, err := Ref{Source: "adult", With: map[string]any{"part": part}}.Shape()
		if err != nil || n != rows || d != 123 {
			t.Errorf("%s: %d x %d, %v", part, n, d, err)
		}
	}
}

// TestReutersSizesErratum: the table of chapter 2 gives Reuters 3229 test
// examples; the file has 3299.
func TestReutersSizesErratum(t *testing.T) {
	t.Parallel()
	n, _, err := Ref{Source: "reuters", With: map[string]any{"part": "test"}}.Shape()
	if err != nil || n != 3299 {
		t.Errorf("%d rows, %v", n, err)
	}
}

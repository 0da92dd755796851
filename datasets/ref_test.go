package datasets

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestManifest(t *testing.T) {
	t.Parallel()
	if err := checkedManifest(manifestYAML); err != nil {
		t.Fatal(err)
	}
	if got := Sources(); !slices.Equal(got, []string{"mnist", "adult", "reuters", "ijcnn1", "web", "covtype", "timit", "simulated-gaussian", "simulated-orthogonal", "simulated-margin", "interval", "counterexample-2d"}) {
		t.Errorf("sources %v", got)
	}
	for _, e := range List() {
		if e.Licence == "" || e.Citation == "" || e.Homepage == "" || e.Thesis == "" || e.Description == "" || e.Classes < 2 {
			t.Errorf("%s: incomplete", e.Name)
		}
		for _, f := range e.Files {
			urls := 0
			for _, g := range f.Forms {
				urls += len(g.URLs)
				for _, u := range g.URLs {
					if !regexp.MustCompile(`^https?://.*/` + regexp.QuoteMeta(g.Name) + `$`).MatchString(u) {
						t.Errorf("%s: address %s does not end in %s", e.Name, u, g.Name)
					}
				}
			}
			if (urls == 0) != (f.Obtain != "") {
				t.Errorf("%s: %s has neither an address nor a way to get it, or both", e.Name, f.Name)
			}
		}
	}
}

// TestAdultSizesErratum: the table of chapter 2 gives Adult 31562 and 16282
// examples, and the figure of chapter 5 256 dimensions; the files have 32561
// and 16281, and 123.
func TestAdultSizesErratum(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		with map[string]any
		n    int
	}{
		{nil, 32561},
		{map[string]any{"part": "test"}, 16281},
		{map[string]any{"part": "all"}, 48842},
		{map[string]any{"variant": "a8a"}, 22696},
		{map[string]any{"variant": "a8a", "part": "test"}, 9865},
		{map[string]any{"variant": "a1a", "part": "all"}, 32561},
	} {
		n, d, err := Ref{Source: "adult", With: c.with}.Shape()
		if err != nil || n != c.n || d != 123 {
			t.Errorf("%v: %d x %d, %v", c.with, n, d, err)
		}
	}
	e, err := Info("adult/a8a")
	if err != nil || !strings.Contains(e.Thesis, "31562") || !strings.Contains(strings.Join(e.Notes, " "), "256-dimensional") {
		t.Errorf("the manifest does not say so: %v", err)
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
	e, err := Info("reuters")
	if err != nil || !strings.Contains(e.Thesis, "3229 (the file has 3299)") || !strings.Contains(strings.Join(e.Notes, " "), "3229") {
		t.Errorf("the manifest does not say so: %v", err)
	}
}

// TestForestIsASubset: nobody shall take the stored rows for all of Covertype.
func TestForestIsASubset(t *testing.T) {
	t.Parallel()
	e, err := Info("covtype")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{e.Title, e.Description, strings.Join(e.Notes, " ")} {
		if !strings.Contains(text, "subset") {
			t.Errorf("%q does not say that it is a subset", text)
		}
	}
}

func TestRefCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		ref  Ref
		want []string // none: no error
	}{
		{"mnist", Ref{Source: "mnist", Prepare: []string{"center", "unit-expected-norm"}}, nil},
		{"adult part", Ref{Source: "adult", With: map[string]any{"part": "all", "variant": "a8a"}}, nil},
		{"gaussian", Ref{Source: "simulated-gaussian", With: map[string]any{"dim": 8.0, "gap": int64(2), "reading": "norm"}}, nil},
		{"counterexample", Ref{Source: "counterexample-2d"}, nil},
		{"path", Ref{Path: "x/data.svm.gz", Features: 3}, nil},
		{"csv path", Ref{Path: "d.csv", Label: "y", With: map[string]any{"header": true, "delimiter": ";"}}, nil},
		{"idx path", Ref{Path: "train-images-idx3-ubyte.gz", With: map[string]any{"labels": "l"}}, nil},

		{"unknown source", Ref{Source: "mnits"}, []string{`unknown dataset "mnits"`, `did you mean "mnist"`}},
		{"unknown far off", Ref{Source: "quux"}, []string{"known: adult, counterexample-2d, covtype"}},
		{"unknown part", Ref{Source: "mnist", With: map[string]any{"part": "trian"}}, []string{`unknown part "trian"`, `did you mean "train"`}},
		{"unknown variant", Ref{Source: "adult", With: map[string]any{"variant": "a9"}}, []string{`unknown variant "a9"`}},
		{"unknown parameter", Ref{Source: "mnist", With: map[string]any{"parts": "all"}}, []string{`unknown parameter "parts"`, `did you mean "part"`}},
		{"gap missing", Ref{Source: "simulated-gaussian"}, []string{"parameter gap is missing"}},
		{"parameter of none", Ref{Source: "counterexample-2d", With: map[string]any{"dim": 3}}, []string{"none is accepted"}},
		{"prepare a distribution", Ref{Source: "counterexample-2d", Prepare: []string{"center"}}, []string{"preparation needs a table"}},
		{"label of libsvm", Ref{Path: "x.svm", Label: "y"}, []string{"label names a column of a csv or npy file"}},
		{"delimiter", Ref{Path: "x.csv", With: map[string]any{"delimiter": "ab"}}, []string{`"ab" is not a single character`}},
		{"test", Ref{Path: "x.svm", Test: "x.t"}, nil},
		{"test labels", Ref{Path: "x.idx", Test: "y.idx", With: map[string]any{"labels": "a", "test_labels": "b"}}, nil},
		{"positive", Ref{Source: "mnist", Positive: ptr(8)}, nil},
		{"margin prepared", Ref{Source: "simulated-margin", With: map[string]any{"R": 8}, Positive: ptr(1), Prepare: []string{"unit-norm"}}, nil},
		{"test labels without test", Ref{Path: "x.idx", With: map[string]any{"test_labels": "b"}}, []string{"test_labels: there is no test file"}},
		{"positive of a distribution", Ref{Source: "counterexample-2d", Positive: ptr(1)}, []string{"positive: it is a distribution without labels"}},
		{"margin without R", Ref{Source: "simulated-margin"}, []string{"parameter R is missing"}},
		{"margin noise", Ref{Source: "simulated-margin", With: map[string]any{"R": 2, "noise": 0.5}}, []string{"noise: 0.5 is out of range [0, 0.5)"}},
		{"libsvm parameter", Ref{Path: "x.svm", With: map[string]any{"header": "no"}}, []string{`unknown parameter "header"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.ref.Check()
			if c.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantError(t, err, c.want...)
		})
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
		{Ref{Source: "simulated-orthogonal", With: map[string]any{"gap": 1}}, 0, 32},
		{Ref{Source: "counterexample-2d"}, 0, 2},
		{Ref{Source: "simulated-margin", With: map[string]any{"R": 4, "dim": 16, "n": 30, "test": 20}}, 50, 16},
		{Ref{Source: "reuters"}, 11069, 8315},
		{Ref{Source: "ijcnn1"}, 141691, 22},
		{Ref{Source: "ijcnn1", With: map[string]any{"variant": "ijcnn1.tr"}}, 141691, 22},
		{Ref{Source: "ijcnn1", With: map[string]any{"variant": "ijcnn1.tr", "part": "train"}}, 35000, 22},
		{Ref{Source: "web", With: map[string]any{"part": "train"}}, 49749, 300},
		{Ref{Source: "covtype", With: map[string]any{"variant": "scaled"}}, 92962, 54},
		{Ref{Path: "a.svm", Features: 5}, 0, 5},
		{Ref{Path: "a.tsv"}, 0, 0},
	} {
		if n, d, err := c.ref.Shape(); n != c.n || d != c.d || err != nil {
			t.Errorf("%+v: %d x %d, %v", c.ref, n, d, err)
		}
	}
	if _, _, err := (Ref{}).Shape(); err == nil {
		t.Error("no error")
	}
}

func TestGeneratorsAreAllKnown(t *testing.T) {
	t.Parallel()
	for _, g := range Generators() {
		with := map[string]any{}
		if slices.Contains(g.Params, "gap") {
			with["gap"] = 2
		}
		if slices.Contains(g.Params, "R") {
			with["R"] = 4
		}
		if err := (Ref{Source: g.Name, With: with}).Check(); err != nil || g.Doc == "" {
			t.Errorf("%s: %v", g.Name, err)
		}
	}
}

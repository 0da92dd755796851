package plan

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
)

// diagnoses returns the lines of an error without the advice after the semicolons. The first line must
// have a position.
func diagnoses(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var located *Error
	if !errors.As(err, &located) || located.Pos.File != "s.yaml" {
		t.Errorf("the error %v has no position", err)
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i], _, _ = strings.Cut(line, "; ")
	}
	return strings.Join(lines, "\n")
}

// Errors name the entry and its position. Check finds all errors that do not depend on the data, and
// Build finds the others.
func TestErrors(t *testing.T) {
	t.Parallel()
	const (
		same    = "same"
		first   = `s.yaml:10:5: dataset "t": `
		only    = `s.yaml:9:5: dataset "t": `
		halving = only + "selection by halvings needs at least 2 test rows, but there are "
		large   = " features cannot be certified: data of more than 4096 features are measured on at most 1024 rows"
	)
	gaussian := func(pairs ...string) string {
		return replace(t, replace(t, base, "path: t.csv, format: csv", "source: simulated-gaussian, with: {dim: 5, gap: 2}",
			"split: {train: 0.5, validation: 0.25, test: 0.25}, ", ""), pairs...)
	}
	subset := func(sizes string) string {
		return replace(t, svmBase, "format: libsvm,", "format: libsvm, subset: {"+sizes+"},")
	}
	halved := replace(t, sparseBase, "algorithms:", "select: {by: halvings}\nalgorithms:")
	rows, few, labelled := data(t, "h", 40, 5), data(t, "h", 2, 5), alternating(t, 90, 30)
	tested := alternating(t, 6, 0)
	tested.Parts = []datasets.PartRows{{Name: "test", Rows: 6}}
	split := func(fractions string) string {
		return replace(t, base, "train: 0.5, validation: 0.25, test: 0.25", fractions)
	}
	unsplit := replace(t, base, ", split: {train: 0.5, validation: 0.25, test: 0.25}", "")
	wide := wideTable(t, 4*(objective.WideRows+1), objective.WideDim+1)
	for _, test := range []struct {
		name, text   string
		data         *datasets.Data // nil for the data that Open returns
		check, build string         // without the advice
	}{
		{"nothing", base, rows, "", ""},
		{"k = d", replace(t, base, "k: 2", "k: 5"), rows, "",
			first + "k = 5 must be less than the dimension d = 5 of the data"},
		{"k > features", replace(t, base, "k: 2", "k: 6", "format: csv", "format: csv, features: 5"), rows,
			first + "k = 6 must be less than the dimension d = 5 of the data", same},
		{"cap > d", replace(t, base, "id: msg,", "id: capped-msg, with: {cap: [3, 6]},"), rows, "",
			`s.yaml:12:5: algorithm "capped-msg": cap = 6 is more than the dimension d = 5 of dataset "t"`},
		{"a split without rows", base, few, "", first + "split: test: a fraction of 0.25 of 2 rows is empty"},
		{"one dataset twice", replace(t, base, "problem: {k: 2}}", "problem: {k: 2}}\n  - {id: u, path: u.csv, format: csv, "+
			"split: {train: 0.5, validation: 0.25, test: 0.25}, problem: {k: [1, 2]}}"), rows, "",
			`s.yaml:13:5: dataset "u", algorithm "msg" and dataset "t", algorithm "msg" ` +
				"ask for the same run: iterate=last;k=2;start=random-low-rank;step.c=0.5;step.schedule=inverse-sqrt;unrelax=top-k"},
		{"a split distribution", gaussian("problem:", "split: {train: 0.5, test: 0.5}, problem:"), nil,
			first + "a simulated distribution has no rows to split", same},
		{"passes over a distribution", gaussian("iterations: 100", "passes: 2"), nil,
			first + "a simulated distribution has no passes", same},
		{"bad generator", gaussian("gap: 2", "gap: 9"), nil,
			first + "dataset simulated-gaussian: parameter gap: 9 is out of range [1, 5]", ""},
		{"several", gaussian("k: 2", "k: [2, 5, 6]",
			"algorithms:", "  - {id: m, source: mnist, with: {part: non}, problem: {k: 1}}\nalgorithms:"), nil,
			`s.yaml:11:5: dataset "m": dataset mnist: unknown part "non" (known: all, test, train)` + "\n" +
				first + "k = 5 must be less than the dimension d = 5 of the data\n" +
				first + "k = 6 must be less than the dimension d = 5 of the data", ""},
		{"support", replace(t, sparseBase, "{id: sparsify}", "{id: spsvm, with: {support: 61}}"), labelled, "",
			`s.yaml:11:5: algorithm "spsvm" on dataset "t" (s.yaml:9:5): support = 61 is more than the 60 training points`},
		{"support in a grid", replace(t, sparseBase, "{id: rsvm}", "{id: forgetron, with: {support: [8, 64]}}"), labelled, "",
			`s.yaml:12:5: algorithm "forgetron" on dataset "t" (s.yaml:9:5): support = 64 is more than the 60 training points`},
		{"support of a subset", replace(t, sparseBase, "format: libsvm,", "format: libsvm, subset: {train: 20},",
			"{id: sparsify}", "{id: spsvm, with: {support: 20}}", "{id: rsvm}", "{id: rbp, with: {support: 22}}"), labelled,
			`s.yaml:12:5: algorithm "rbp" on dataset "t" (s.yaml:9:5): support = 22 is more than the 20 training points`, same},
		{"nothing to halve", halved, alternating(t, 90, 0), "", halving + "0"},
		{"half a row", halved, alternating(t, 90, 1), "", halving + "1"},
		{"a row for each half", halved, alternating(t, 90, 2), "", ""},
		{"four classes", svmBase, classes(t, "h", 0, 0, 1, 8, 8, 3, 8), "", only + "the labels are 0, 1, 3, 8"},
		{"one class", svmBase, classes(t, "h", 0, 1, 1, 1), "",
			only + "there is only one class: all 3 labels are 1, but a classifier needs two"},
		{"large subset", subset("train: 61"), labelled, "", only + "subset: train: 61 is more than the 60 available rows"},
		{"subset of no rows", subset("test: 1"), alternating(t, 90, 0), "",
			only + "subset: test: 1 is more than the 0 available rows"},
		{"small split", replace(t, svmBase, "format: libsvm,", "format: libsvm, split: {train: 0.9, validation: 0.1},"),
			alternating(t, 6, 3), "", only + "split: validation: a fraction of 0.1 of 3 rows is empty"},
		{"one class to train on", svmBase, classes(t, "h", 2, -1, -1, 1, -1), "",
			only + "repeat 0: none of the 2 training rows has the label +1"},
		{"only the test part", svmBase, tested, "", only + "there are no rows to train on"},
		{"no labels in a distribution",
			replace(t, svmBase, "path: t.svm, format: libsvm", "source: simulated-gaussian, with: {gap: 2}"), nil,
			only + "the task svm needs labels, but this is a distribution without labels", same},
		// Wide data are rejected if they have too many measured rows for a certified optimum.
		{"many rows", unsplit, wideTable(t, objective.WideRows+1, objective.WideDim), "", ""},
		{"many features", unsplit, wideTable(t, objective.WideRows, objective.WideDim+1), "", ""},
		{"many of both", unsplit, wideTable(t, objective.WideRows+1, objective.WideDim+1), "",
			first + "the optimum of 1025 rows of 4097" + large},
		{"small splits", split("train: 0.6, validation: 0.2, test: 0.2"), wide, "", ""},
		{"a large test split", split("train: 0.4, validation: 0.1, test: 0.5"), wide, "",
			first + "the optimum of 2050 rows of 4097" + large},
		{"a source of known shape", replace(t, base, "path: t.csv, format: csv", "source: reuters"), nil,
			first + "the optimum of 2767 rows of 8315" + large, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := load(t, test.text)
			if got := diagnoses(t, Check(s)); got != test.check {
				t.Errorf("Check returns\n%s\nwant\n%s", got, test.check)
			}
			want := test.build
			if want == same {
				want = test.check
			}
			open := func(ctx context.Context, e *spec.DatasetEntry) (*datasets.Data, error) {
				return registry.Open(ctx, e, datasets.Options{Offline: true})
			}
			if test.data != nil {
				open = always(test.data)
			} else if want == "" {
				return // Open fails like Check, or there are no data
			}
			_, err := Build(t.Context(), s, open)
			if got := diagnoses(t, err); got != want {
				t.Errorf("Build returns\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestErrorsOfOpeningKeepTheirCause(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{context.Canceled, datasets.ErrMissing} {
		_, err := Build(t.Context(), load(t, base), func(context.Context, *spec.DatasetEntry) (*datasets.Data, error) {
			return nil, cause
		})
		var located *Error
		if !errors.Is(err, cause) || !errors.As(err, &located) || located.Pos.Line != 10 {
			t.Errorf("error is %v, want one of %v", err, cause)
		}
	}
}

// wideTable reads a LIBSVM file with the given numbers of rows and features.
func wideTable(t *testing.T, rows, features int) *datasets.Data {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(path, []byte(strings.Repeat("1 1:1\n", rows)), 0o644); err != nil {
		t.Fatal(err)
	}
	ref := datasets.Ref{Path: path, Format: "libsvm", Features: features}
	d, err := datasets.Open(t.Context(), ref, datasets.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &datasets.Data{Name: "rows", Hash: "h", Table: d.Table}
}

package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stochopt/datasets"
	"stochopt/harness/internal/spec"
)

const svmBase = `version: 1
name: exp
task: svm
seed: 7
repeats: 2
budget: {passes: 10}
record: {points: 10}
datasets:
  - {id: t, path: t.svm, format: libsvm, problem: {sigma2: 25, C: 1}}
algorithms:
  - {id: sbp}
`

// classes returns a table of rows with the given labels. The last test rows are the publisher's test
// part.
func classes(t *testing.T, hash string, test int, labels ...float64) *datasets.Data {
	t.Helper()
	n := len(labels)
	table := datasets.NewDense(n, 3, make([]float64, 3*n), labels)
	d := &datasets.Data{Name: "t", Hash: hash, Table: table, Parts: []datasets.PartRows{{Name: "train", Rows: n - test}}}
	if test > 0 {
		d.Parts = append(d.Parts, datasets.PartRows{Name: "test", Rows: test})
	}
	return d
}

// alternating returns a table of n rows, every third of them positive.
func alternating(t *testing.T, n, test int) *datasets.Data {
	t.Helper()
	labels := make([]float64, n)
	for i := range labels {
		labels[i] = -1
		if i%3 == 0 {
			labels[i] = 1
		}
	}
	return classes(t, "h", test, labels...)
}

// See TestKeysArePinned. The second key depends on the reference optimum.
func TestSVMKeysArePinned(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ old, new, key, extent string }{
		{"C: 1", "nu: 0.1", "cfa824a25adec096a20a0d7075be3c05", "600/log:10"},
		{"C: 1", "C: 1.0", "09fd869616fdd39624eedd9db7c042f7", "600/log:10"},
		{"points: 10", "points: 10, spacing: linear, reference: false, vectors: true", "09fd869616fdd39624eedd9db7c042f7", "600/linear:10+vectors"},
		{"points: 10", "points: 10, alone: true", "09fd869616fdd39624eedd9db7c042f7", "600/log:10+alone"},
	} {
		p := build(t, replace(t, svmBase, test.old, test.new), alternating(t, 90, 30))
		if got := p.Items[1].ID; got.Key != test.key || got.Extent != test.extent {
			t.Errorf("%s: key %s and extent %s, want %s and %s", test.new, got.Key, got.Extent, test.key, test.extent)
		}
	}
	p := build(t, replace(t, svmBase, "sigma2: 25, C: 1", "sigma2: 25", "{id: sbp}", "{id: perceptron}"), alternating(t, 90, 30))
	if got, want := p.Items[0].ID.Extent, "600/log:10"; got != want {
		t.Errorf("without regularisation the extent is %s, want %s", got, want)
	}
}

// The extent includes the version of the reference if the record is compared with it. Otherwise
// record.reference does not affect the extent.
func TestExtentsNameTheReferenceThatTheyShow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pairs []string
		want  string
	}{
		{[]string{"{id: sbp}", "{id: smo}"}, "+reference1"},
		{[]string{"{id: sbp}", "{id: smo}", "C: 1", "lambda: 0.1"}, "+reference1"},
		{[]string{"{id: sbp}", "{id: smo}", "C: 1", "nu: 0.1"}, ""},
		{[]string{"{id: sbp}", "{id: linear-sdca}", "sigma2: 25", "kernel: linear"}, "+reference1"},
		{[]string{"{id: sbp}", "{id: rff}"}, ""},
		{nil, ""},
	} {
		base := replace(t, svmBase, test.pairs...)
		with := build(t, base, alternating(t, 90, 30)).Items[0].ID.Extent
		without := build(t, replace(t, base, "points: 10", "points: 10, reference: false"), alternating(t, 90, 30)).Items[0].ID.Extent
		if with != without+test.want || strings.Contains(without, "reference") {
			t.Errorf("%q: the extent is %s, without a reference %s", test.pairs, with, without)
		}
	}
}

// If all repeats of a run are equal, the plan has one of them.
func TestDeterministicRunsAreListedOnce(t *testing.T) {
	t.Parallel()
	text := replace(t, svmBase, "repeats: 2", "repeats: 3", "C: 1", "C: [1, 10]", "  - {id: sbp}\n", "  - {id: sbp}\n  - {id: smo}\n  - {id: libsvm, with: {bias: true}}\n")
	for _, test := range []struct {
		name  string
		pairs []string
		want  int // the number of repeats of smo and libsvm
	}{
		{"as published", nil, 1},
		{"subset", []string{"format: libsvm,", "format: libsvm, subset: {train: 30},"}, 1},
		{"split", []string{"format: libsvm,", "format: libsvm, split: {train: 0.5, validation: 0.5},"}, 3},
		{"to compare times", []string{"points: 10", "points: 10, alone: true"}, 3},
	} {
		p := build(t, replace(t, text, test.pairs...), alternating(t, 90, 30))
		got := map[string][]int{}
		for i, it := range p.Items {
			if it.Index != i {
				t.Errorf("%s: item %d has the index %d", test.name, i, it.Index)
			}
			got[it.Series] = append(got[it.Series], it.Repeat)
		}
		for series, repeats := range map[string]int{"sbp": 3, "smo": test.want, "libsvm": test.want} {
			var want []int
			for range 2 { // C
				for r := range repeats {
					want = append(want, r)
				}
			}
			if !slices.Equal(got[series], want) {
				t.Errorf("%s: %s has the repeats %v, want %v", test.name, series, got[series], want)
			}
		}
	}
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, entries string
		want          []string // iterations and kernel evaluations of each series
	}{
		// 60 training rows: a pass is 3600 kernel evaluations. 600/7 rounds up.
		{svmBase, `
  - {id: sbp, as: in-pairs, with: {bias: true}}
  - {id: sbp, as: one-by-one, with: {bias: true, draw: one}}
  - {id: smo}
  - {id: smo, as: pairs, with: {bias: true}}
  - {id: decomposition, with: {size: 7}}
  - {id: perceptron, budget: {passes: 100}}
  - {id: sdca, budget: {iterations: 77}}
  - {id: rff, with: {pairs: 100}}
  - {id: libsvm, with: {bias: true}}`, []string{
			"sbp 600 36000", "in-pairs 300 36000", "one-by-one 600 36000", "smo 600 36000", "pairs 300 36000",
			"decomposition 86 36120", "perceptron 6000 360000", "sdca 77 4620", "rff 8 0", "libsvm 1 0",
		}},
		{sparseBase, `
  - {id: sparsify, as: pairs, with: {bias: true}}
  - {id: spsvm, with: {candidates: 5}, budget: {iterations: 7}}`, []string{
			"sparsify 600 36000", "rsvm 600 36000", "pairs 300 36000", "spsvm 7 2100",
		}},
	} {
		var got []string
		for _, it := range build(t, strings.TrimSpace(test.text)+test.entries, alternating(t, 90, 30)).Items {
			if it.Repeat == 0 {
				got = append(got, fmt.Sprintf("%s %d %d", it.Series, it.Budget, it.KernelEvals()))
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("budgets are %v, want %v", got, test.want)
		}
	}
}

// Splits are disjoint and sorted. The publisher's test part is kept unless all rows are divided.
// Repeats differ if the split is drawn at random.
func TestSVMRows(t *testing.T) {
	t.Parallel()
	published := []datasets.PartRows{{Name: "train", Rows: 60}, {Name: "test", Rows: 30}}
	validated := []datasets.PartRows{{Name: "train", Rows: 40}, {Name: "validation", Rows: 20}, {Name: "test", Rows: 30}}
	for _, test := range []struct {
		name, entry string
		parts       []datasets.PartRows
		sizes       [3]int
		fixed       bool
		apart       bool
	}{
		{"as published", "", published, [3]int{60, 0, 30}, true, true},
		{"no parts", "", nil, [3]int{90, 0, 0}, true, false},
		{"validation", "split: {train: 0.75, validation: 0.25},", published, [3]int{45, 15, 30}, false, true},
		{"published validation", "", validated, [3]int{40, 20, 30}, true, true},
		{"divided again", "split: {train: 0.75, validation: 0.25},", validated, [3]int{45, 15, 30}, false, true},
		{"of all rows", "split: {train: 0.5, validation: 0.2, test: 0.3},", published, [3]int{45, 18, 27}, false, false},
		{"subset", "subset: {train: 21, test: 12},", published, [3]int{21, 0, 12}, true, true},
		{"subset of a split", "split: {train: 0.75, validation: 0.25}, subset: {train: 20, validation: 9},", published,
			[3]int{20, 9, 30}, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := alternating(t, 90, 0)
			d.Parts = test.parts
			pr := build(t, replace(t, svmBase, "format: libsvm,", "format: libsvm, "+test.entry), d).Problems[0]
			rows := func(root uint64, repeat int) (splits [3][]int) {
				var err error
				if splits[0], splits[1], splits[2], err = pr.SVMRows(root, repeat); err != nil {
					t.Fatal(err)
				}
				return splits
			}
			if pr.FixedSplit() != test.fixed || pr.TrainRows != test.sizes[0] {
				t.Errorf("fixed: %v, %d training rows", pr.FixedSplit(), pr.TrainRows)
			}
			first := fmt.Sprint(rows(7, 0))
			if fmt.Sprint(rows(7, 0)) != first || (fmt.Sprint(rows(7, 1)) == first) != test.fixed {
				t.Errorf("the same repeat gives other rows, or the next repeat does not: fixed %t", test.fixed)
			}
			if !test.fixed && fmt.Sprint(rows(8, 0)) == first {
				t.Error("another seed gives the same rows")
			}
			seen := make(map[int]bool)
			for i, split := range rows(7, 0) {
				if len(split) != test.sizes[i] || !slices.IsSorted(split) {
					t.Errorf("%s has %d rows, want %d in order: %v", spec.SplitNames[i], len(split), test.sizes[i], split)
				}
				positive := 0
				for _, row := range split {
					if seen[row] || row < 0 || row >= 90 {
						t.Errorf("row %d is in two splits, or in none of the table", row)
					}
					seen[row] = true
					if test.apart && (row >= 60) != (i == 2) {
						t.Errorf("row %d is in %s", row, spec.SplitNames[i])
					}
					if d.Table.Labels[row] == 1 {
						positive++
					}
				}
				if test.name == "subset" && 3*positive != len(split) {
					t.Errorf("%d of %d rows of %s are positive, want a third", positive, len(split), spec.SplitNames[i])
				}
			}
		})
	}
}

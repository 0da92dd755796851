package cli

import (
	"strings"
	"testing"

	"stochopt/internal/compare"
)

// What halvings select is compared as one trade-off a series, and a grid that was changed
// is named where it changes the outcome.
func TestCompareTradeoffs(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", sparseSmall)
	ok(t, "run", "small.yaml", "--out", "a")
	ok(t, "run", "small.yaml", "--out", "b", "--set", "algorithms.sparsify.with.eta=[0.001]")
	if o := ok(t, "compare", "a", "a", "--strict"); o.out != "3 cells: 3 identical; PASS\n" {
		t.Errorf("with itself: %q", o.out)
	}
	o := stochopt(t, "compare", "a", "b", "--overlay", "overlay")
	wantText(t, "table", o.out, "│ sparsify │     1 │", "small: error / support_size\n", "the grids differ: ", "2 identical", "overlays (SVG, PDF, PNG): overlay/small\n")
	wantText(t, "overlay", read(t, "overlay/small.svg"), "b · Sparsify", ">baseline<", "Support vectors")
	if strings.Contains(o.out, "rsvm") {
		t.Errorf("the table names a cell that did not change:\n%s", o.out)
	}
	r := parseJSON[compare.Report](t, stochopt(t, "compare", "a", "b", "--format", "json").out)
	for _, c := range r.Cells {
		if c.Series == "sparsify" && (c.Pairs != 1 || c.Metric != "error" || c.Cost != compare.TradeoffCost) {
			t.Errorf("cell %+v", c)
		}
	}
	// Other curves are of the runs one by one.
	runs := stochopt(t, "compare", "a", "b", "--cost", "iterations", "-v")
	wantText(t, "table", runs.out, "│ sparsify (eta=0.25) │   1/0 │")
}

// A run without randomness is one, however many repeats are asked for.
func TestCompareDeterministic(t *testing.T) {
	svmHome(t)
	write(t, "smo.yaml", strings.NewReplacer("task: svm-sparse", "task: svm").Replace(sparseSmall[:strings.Index(sparseSmall, "algorithms:")])+
		"algorithms:\n  - {id: smo, with: {tolerance: 0.5}}\nselect: {by: none}\n")
	ok(t, "run", "smo.yaml", "--out", "a", "--set", "repeats=8")
	ok(t, "run", "smo.yaml", "--out", "b", "--set", "repeats=8", "--set", "algorithms.smo.with.tolerance=0.001")
	o := stochopt(t, "compare", "a", "b", "--metric", "hinge", "--tolerance", "0.03")
	wantLast(t, o, 1, "REGRESSION: 1 cell worse")
	wantText(t, "table", o.out, "changed: tolerance: 0.5 -> 0.001", "no randomness is involved: compared exactly")
	wantText(t, "tolerance", ok(t, "compare", "a", "b", "--metric", "hinge", "--tolerance", "0.1", "--strict").out, "equivalent", "1 cell: 1 equivalent; PASS\n")
}

package cli

import (
	"slices"
	"strings"
	"testing"

	"stochopt/internal/compare"
)

// What halvings select is compared as one trade-off of each series.
func TestCompareTradeoffs(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", sparseSmall)
	ok(t, "run", "small.yaml", "--out", "a")
	ok(t, "run", "small.yaml", "--out", "b", "--set", "algorithms.sparsify.with.eta=[0.001]")
	if o := ok(t, "compare", "a", "a", "--strict"); o.out != "3 cells: 3 identical; PASS\n" {
		t.Errorf("with itself: %q", o.out)
	}
	r := parseJSON[compare.Report](t, comparing(t, "a b --overlay overlay --format json").out)
	for _, c := range r.Cells {
		if changed := c.Series == "sparsify"; changed == (c.Verdict == compare.Identical) ||
			changed && (c.Pairs != 1 || c.Metric != "error" || c.Cost != compare.TradeoffCost) {
			t.Errorf("cell %+v", c)
		}
	}
	wantText(t, "overlay", read(t, "overlay/small.svg"), "b · Sparsify", ">baseline<", "Support vectors")
	// Other curves are of the runs one by one.
	r = parseJSON[compare.Report](t, comparing(t, "a b --cost iterations --format json").out)
	if !slices.ContainsFunc(r.Cells, func(c compare.Cell) bool { return c.Params == "eta=0.25" && c.Baseline == 1 && c.Candidate == 0 }) {
		t.Errorf("cells %+v", r.Cells)
	}
}

// A run without randomness is one, however many repeats are asked for.
func TestCompareDeterministic(t *testing.T) {
	svmHome(t)
	write(t, "smo.yaml", strings.NewReplacer("task: svm-sparse", "task: svm").Replace(sparseSmall[:strings.Index(sparseSmall, "algorithms:")])+
		"algorithms:\n  - {id: smo, with: {tolerance: 0.5}}\nselect: {by: none}\n")
	ok(t, "run", "smo.yaml", "--out", "a", "--set", "repeats=8")
	ok(t, "run", "smo.yaml", "--out", "b", "--set", "repeats=8", "--set", "algorithms.smo.with.tolerance=0.001")
	for args, code := range map[string]int{"--tolerance 0.03": 1, "--tolerance 0.1 --strict": 0} {
		o := comparing(t, "a b --metric hinge --format json "+args)
		r := parseJSON[compare.Report](t, o.out)
		if o.code != code || len(r.Cells) != 1 || r.Cells[0].Baseline != 1 {
			t.Errorf("%s: exit %d, %+v", args, o.code, r.Cells)
		}
	}
}

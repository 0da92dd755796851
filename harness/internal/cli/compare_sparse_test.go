package cli

import (
	"slices"
	"testing"

	"stochopt/internal/compare"
	"stochopt/internal/record"
)

// With selection by halvings, compare tests one trade-off per series.
func TestCompareTradeoffs(t *testing.T) {
	svmHome(t)
	write(t, "small.yaml", sparseSmall)
	ok(t, "run", "small.yaml", "--out", "a")
	ok(t, "run", "small.yaml", "--out", "b", "--set", "algorithms.sparsify.with.eta=[0.001]")
	if o := ok(t, "compare", "a", "a", "--strict"); o.out != "3 cells: 3 identical; PASS\n" {
		t.Errorf("with itself: %q", o.out)
	}
	r := parseJSON[compare.Report](t, runCompare(t, "a b --overlay overlay --json").out)
	for _, c := range r.Cells {
		if changed := c.Series == "sparsify"; changed == (c.Verdict == compare.Identical) ||
			changed && (c.Pairs != 1 || c.Metric != "error" || c.Cost != record.CostSupportSize) {
			t.Errorf("cell %+v", c)
		}
	}
	wantText(t, "overlay", read(t, "overlay/small.svg"), "b · Sparsify", ">baseline<", "Support vectors")
	// With another cost, it compares runs.
	r = parseJSON[compare.Report](t, runCompare(t, "a b --cost iterations --json").out)
	if !slices.ContainsFunc(r.Cells, func(c compare.Cell) bool { return c.Params == "eta=0.25" && c.Baseline == 1 && c.Candidate == 0 }) {
		t.Errorf("cells %+v", r.Cells)
	}
}

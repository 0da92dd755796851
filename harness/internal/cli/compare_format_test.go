package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"stochopt/internal/compare"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/plots"
)

func pointer[T any](v T) *T { return &v }

// exampleReport returns a report with a cell of each verdict.
func exampleReport() *compare.Report {
	measure := func(kind string, at, b, c, lo, mid, hi, p float64, verdict string) compare.Measure {
		return compare.Measure{
			Kind: kind, At: at, Baseline: pointer(b), Candidate: pointer(c), Ratio: &stats.Interval{Value: mid, Lo: lo, Hi: hi},
			P: pointer(p / 4), Adjusted: pointer(p), Verdict: verdict,
		}
	}
	undecided := measure(compare.AtCost, 10000, 0.01234567, 0.0135, 0.9, 1.0935, 1.33, 0.31, compare.Inconclusive)
	target := measure(compare.ToTarget, 0.01, 800, 1600, 1.8, 2, 2.25, 0.0004, compare.Worse)
	target.Reached = &[2]int{10, 7}
	unreached := compare.Measure{Kind: compare.ToTarget, At: 1e-9, Reached: &[2]int{}, Verdict: compare.Incomparable, Notes: []string{"no run reaches it"}}
	cell := func(series, verdict string, measures ...compare.Measure) compare.Cell {
		return compare.Cell{
			Experiment: "pca", Dataset: "mnist", Series: series, Baseline: 10, Candidate: 10, Pairs: 10, Verdict: verdict,
			Metric: "suboptimality", Split: "test", Cost: "iterations", Measures: measures,
		}
	}
	worse := cell("msg", compare.Worse, measure(compare.AtCost, 10000, 0.01, 0.02, 1.5, 2, 2.7, 0.0004, compare.Worse), target, unreached,
		measure(compare.Area, 0, 0.05, 0.06, 1.1, 1.2, 1.3, 0.04, compare.Worse))
	worse.Params, worse.Changed, worse.StandIn = "k=4", []string{"step.c: 0.5 -> 0.25"}, true
	chosen := cell("capped-msg", compare.Inconclusive, undecided)
	chosen.Choice = &compare.Choice{Baseline: "step.c=1", Candidate: "step.c=0.125"}
	missing := compare.Cell{Experiment: "pca", Dataset: "adult", Series: "saa", Baseline: 1, Verdict: compare.Incomparable, Reason: "the candidate has no runs of it"}
	unpaired := cell("power", compare.Better, measure(compare.AtCost, 1234, 0.5, 0.25, 0.4, 0.5, 0.6, 0.01, compare.Better))
	unpaired.Pairs, unpaired.Candidate, unpaired.Notes = 0, 8, []string{"unpaired: other seeds", "a | b *c* ~d_e"}
	equal := cell("gha", compare.Equivalent, measure(compare.Charged, 10000, 0.1, 0.1, 1.01, 1.01, 1.01, 1, compare.Equivalent))
	equal.Measures[0].Counter, equal.Measures[0].P = "sum_kt2", nil
	return &compare.Report{
		Options: compare.Options{Alpha: 0.05, Tolerance: 0.05, Targets: []float64{0.01, 1e-9}},
		Differences: []compare.Difference{
			{Experiment: "pca", Run: "mnist gha[k=4] repeat 3", Algorithm: "gha", Key: "00ff", What: "curve test/suboptimality at point 5: 0.5 / 0.25"},
			{Experiment: "pca", Run: "mnist gha[k=4] repeat 4", Algorithm: "gha", Key: "00fe", What: "status: finished / diverged", Excused: "made on linux/amd64 and on linux/arm64"},
		},
		Cells: []compare.Cell{
			cell("incremental", compare.Identical), worse, unpaired, chosen,
			equal, missing,
		},
		Tests: 7, Warnings: []string{"the baseline is of profile \"quick\", the candidate of \"smoke\""},
	}
}

// go test -update-compare writes the golden files.
func TestCompareFormats(t *testing.T) {
	for _, test := range []struct {
		file string
		o    compareOptions
	}{
		{"table.txt", compareOptions{format: inTable}}, {"verbose.txt", compareOptions{format: inTable, verbose: true}},
		{"comment.md", compareOptions{format: inMarkdown}}, {"report.json", compareOptions{asJSON: true}},
	} {
		t.Run(test.file, func(t *testing.T) {
			both := []side{{Side: compare.Side{Name: "pca"}}}
			c := &comparison{
				Report: exampleReport(), compareOptions: test.o, base: both, cand: both, figures: []string{"build/pca"},
			}
			var b bytes.Buffer
			if err := c.write(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", "compare", test.file), b.String())
		})
	}
}

// Only the first of many differences are listed, unless verbose.
func TestCompareManyDifferences(t *testing.T) {
	c := &comparison{Report: &compare.Report{Differences: make([]compare.Difference, maxDifferences+4)}}
	few := len(c.differences())
	c.verbose = true
	if all := len(c.differences()); all != few+3 { // 4 lines instead of the count
		t.Errorf("of %d differences %d lines are printed, with -v %d", maxDifferences+4, few, all)
	}
}

// Combined outcomes that TestCompareOutcomes does not cover.
func TestCombinedOutcomes(t *testing.T) {
	differences := []compare.Difference{{Algorithm: "msg"}, {Algorithm: "msg"}, {Algorithm: "saa", Excused: "another platform"}}
	missing := []string{"4 of 10 repeats"}
	for want, r := range map[string]*compare.Report{
		"REGRESSION: 1 cell worse; BITS CHANGED: 2 runs of msg with the same key; raise the Version, or find out why": {
			Cells: []compare.Cell{{Verdict: compare.Worse}}, Differences: differences,
		},
		"REGRESSION: 1 cell worse; the candidate has less: 4 of 10 repeats": {
			Cells: []compare.Cell{{Verdict: compare.Worse, Missing: missing}}, Missing: missing,
		},
	} {
		for _, strict := range []bool{false, true} {
			c := &comparison{Report: r, compareOptions: compareOptions{strict: strict}}
			if code, words := c.outcome(); code != 1 || words != want {
				t.Errorf("strict %t: exit %d %q, want %q", strict, code, words, want)
			}
		}
	}
}

// An overlay has the cells that changed, up to a maximum.
func TestOverlays(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	run := record.Run{
		Schema: record.Schema, Dataset: "d", Series: "msg", Algorithm: "msg", Status: record.StatusFinished,
		Curve: record.Curve{
			Cost:    map[string][]int64{"iterations": {1, 10}},
			Metrics: map[string]map[string][]float64{"test": {"suboptimality": {0.5, 0.25}}},
		},
	}
	r := &compare.Report{Cells: []compare.Cell{{Experiment: "same", Verdict: compare.Identical, Metric: "suboptimality", Base: []*record.Run{&run}}}}
	for i := range plots.MaxOverlayPairs + 1 {
		r.Cells = append(r.Cells, compare.Cell{
			Experiment: "many", Dataset: "d", Series: "msg", Params: fmt.Sprintf("k=%d;step.c=1", i), Verdict: compare.Equivalent,
			Metric: "suboptimality", Split: "test", Cost: "iterations", Base: []*record.Run{&run}, Cand: []*record.Run{&run},
		})
	}
	of := func(name string) side { return side{Side: compare.Side{Name: name}} }
	c := &comparison{Report: r, base: []side{of("same"), of("many")}}
	dir := t.TempDir()
	if err := c.drawOverlays(dir); err != nil {
		t.Fatal(err)
	}
	if len(c.figures) != 1 || c.figures[0] != dir+"/many" || len(r.Warnings) != 1 {
		t.Errorf("figures %q, warnings %q", c.figures, r.Warnings)
	}
	if pair := c.overlayPanel(&r.Cells[37]); pair.Title != "d · MSG (k=36, step.c=1): equivalent" || len(pair.Panel.Log) != 2 || pair.Panel.X != "iterations" {
		t.Errorf("the panel is %+v", pair)
	}
}

package compare

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
)

// defaults has the options of most tests.
var defaults = Options{Alpha: 0.05, Tolerance: 0.05}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b)) }

// testCosts has the recorded costs of test runs.
var testCosts = []int64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}

// testRun returns a finished run with suboptimality level/cost.
func testRun(series string, repeat int, level float64) record.Run {
	r := record.Run{
		Schema: record.Schema, Extent: "1000/log:10", Task: "pca",
		Dataset: "gaussian", DatasetHash: "sha256:1", Series: series, Algorithm: series, Version: 1,
		Params: record.Params{"k": int64(4), "step.c": 0.5}, Repeat: repeat, Seed: 7,
		Status: record.StatusFinished, Reason: "budget of 1000 iterations",
	}
	y := make([]float64, len(testCosts))
	for i, x := range testCosts {
		y[i] = level / float64(x)
	}
	r.Curve = record.Curve{
		Cost:    map[string][]int64{"iterations": slices.Clone(testCosts)},
		Metrics: map[string]map[string][]float64{"test": {"suboptimality": y}},
	}
	return keyed(r)
}

// keyed sets the key of a run.
func keyed(r record.Run) record.Run {
	r.Key = record.Key(map[string]any{"p": r.Params.String(), "d": r.DatasetHash, "a": r.Algorithm, "v": r.Version, "r": r.Repeat, "s": r.Seed, "n": r.Series})
	return r
}

// noisyRuns returns n repeats with lognormal levels. Equal seeds give equal runs.
func noisyRuns(series string, n int, level, sd float64, seed uint64) []record.Run {
	rng := rand.New(rand.NewPCG(seed, 11))
	var runs []record.Run
	for i := range n {
		runs = append(runs, testRun(series, i, level*math.Exp(sd*rng.NormFloat64())))
	}
	return runs
}

// changed returns copies of runs to which f has been applied.
func changed(runs []record.Run, f func(i int, r *record.Run)) []record.Run {
	out := slices.Clone(runs)
	for i := range out {
		out[i].Params = maps.Clone(out[i].Params)
		out[i].Rows = maps.Clone(out[i].Rows)
		cost := map[string][]int64{}
		for name, col := range out[i].Curve.Cost {
			cost[name] = slices.Clone(col)
		}
		metrics := map[string]map[string][]float64{}
		for split, cols := range out[i].Curve.Metrics {
			metrics[split] = map[string][]float64{}
			for name, col := range cols {
				metrics[split][name] = slices.Clone(col)
			}
		}
		out[i].Curve.Cost, out[i].Curve.Metrics = cost, metrics
		f(i, &out[i])
	}
	return out
}

// versioned returns runs with another version of their algorithm.
func versioned(runs []record.Run, version int) []record.Run {
	return changed(runs, func(_ int, r *record.Run) {
		r.Version = version
		*r = keyed(*r)
	})
}

// scaled returns runs of a new version with a multiple of the metric.
func scaled(runs []record.Run, by float64) []record.Run {
	return changed(versioned(runs, 2), func(_ int, r *record.Run) {
		for i := range r.Curve.Metrics["test"]["suboptimality"] {
			r.Curve.Metrics["test"]["suboptimality"][i] *= by
		}
	})
}

func failed(r record.Run, status, reason string) record.Run {
	r.Status, r.Reason, r.Curve = status, reason, record.Curve{}
	return r
}

func side(runs ...record.Run) []Side { return []Side{{Name: "exp", Dir: "results/exp", Runs: runs}} }

func compareRuns(t *testing.T, base, cand []record.Run, o Options) *Report {
	t.Helper()
	return mustCompare(t, side(base...), side(cand...), o)
}

func mustCompare(t *testing.T, base, cand []Side, o Options) *Report {
	t.Helper()
	r, err := Compare(base, cand, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// compareCell compares runs of a single cell.
func compareCell(t *testing.T, base, cand []record.Run, o Options) Cell {
	t.Helper()
	r := compareRuns(t, base, cand, o)
	if len(r.Cells) != 1 {
		t.Fatalf("%d cells, want 1: %+v", len(r.Cells), r.Cells)
	}
	return r.Cells[0]
}

func wantText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q lacks %q", text, p)
		}
	}
}

func wantNote(t *testing.T, notes []string, part string) {
	t.Helper()
	if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, part) }) {
		t.Errorf("notes %q lack %q", notes, part)
	}
}

func summary(r *Report) string {
	var b strings.Builder
	for _, c := range r.Cells {
		fmt.Fprintf(&b, "%s %s[%s]: %s (%s)\n", c.Dataset, c.Series, c.Params, c.Verdict, c.Reason)
	}
	return b.String()
}

// reseeded returns runs with other keys and seeds.
func reseeded(runs []record.Run, seed uint64) []record.Run {
	return changed(runs, func(_ int, r *record.Run) {
		r.Key += "-other"
		r.Seed += seed
	})
}

// reseededSide returns a side with other keys and seeds.
func reseededSide(s Side) Side {
	s.Runs = reseeded(s.Runs, 1)
	return s
}

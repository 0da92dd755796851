package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

const tradeoffRows = 400

// sparseRuns returns runs over a grid of eta. The error of their classifiers decreases with the support.
func sparseRuns(repeats int, by float64, version int, seed uint64) []record.Run {
	var runs []record.Run
	for repeat := range repeats {
		for _, eta := range []float64{0.25, 1} {
			r := record.Run{
				Schema: record.Schema, Extent: "e", Task: "svm-sparse", Dataset: "adult", DatasetHash: "h",
				Series: "sbp", Algorithm: "sbp", Version: version, Params: record.Params{"C": 1.0, "eta": eta},
				Repeat: repeat, Seed: 7, Status: record.StatusFinished, Reason: "budget",
				Rows: map[string]int64{"train": 100, "test": tradeoffRows},
			}
			r.Curve.Cost = map[string][]int64{"iterations": nil}
			errors, support := []float64{}, []float64{}
			// The order of the rows by difficulty is the same for all runs of a repeat.
			rng := rand.New(rand.NewPCG(seed, uint64(repeat)))
			hard := make([]float64, tradeoffRows)
			for i := range hard {
				hard[i] = rng.Float64()
			}
			for s := 1; s <= 64; s *= 2 {
				var wrong record.IndexSet
				for i, h := range hard {
					if h < by*(0.15+0.3/math.Sqrt(float64(s))) {
						wrong = append(wrong, int32(i))
					}
				}
				r.Curve.Cost["iterations"] = append(r.Curve.Cost["iterations"], int64(s))
				r.Curve.Mistakes = append(r.Curve.Mistakes, wrong)
				errors, support = append(errors, float64(len(wrong))/tradeoffRows), append(support, float64(s))
			}
			r.Curve.Metrics = map[string]map[string][]float64{"test": {"error": errors}, "state": {"support": support}}
			r.Key = record.Key(map[string]any{"v": version, "r": repeat, "eta": eta, "seed": seed})
			runs = append(runs, r)
		}
	}
	return runs
}

func sparseSide(t *testing.T, runs []record.Run, deterministic bool) []Side {
	t.Helper()
	h, err := selection.Choose(runs, selection.Rule{By: selection.ByHalvings, Tune: []string{"eta"}, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	return []Side{{Name: "exp", Runs: runs, Rule: h.Rule, Choice: h, Deterministic: func(string, string) bool { return deterministic }}}
}

func TestTradeoffs(t *testing.T) {
	for _, c := range []struct {
		name          string
		repeats       int
		by            float64
		version       int
		seed          uint64
		deterministic bool
		verdict       string
		pairs         int
		reason        string
	}{
		{"the same runs", 1, 1, 1, 1, false, Identical, 0, ""},
		{"the same under other keys", 1, 1, 2, 1, false, Equivalent, 1, "the same trade-off under other keys"},
		{"one repeat", 1, 1.3, 2, 1, false, Inconclusive, 1, "only one repeat"},
		{"one deterministic repeat", 1, 1.3, 2, 1, true, Worse, 1, ""},
		{"one deterministic repeat, slightly worse", 1, 1.01, 2, 1, true, Equivalent, 1, ""},
		{"one deterministic repeat, other halvings", 1, 1.3, 2, 2, true, Worse, 1, ""},
		{"one repeat, better", 1, 0.7, 2, 1, true, Better, 1, ""},
		{"repeats", 8, 1.3, 2, 1, false, Worse, 8, ""},
		{"repeats of other rows", 8, 1, 2, 2, false, Inconclusive, 8, "neither a difference nor equivalence"},
	} {
		base, cand := sparseSide(t, sparseRuns(c.repeats, 1, 1, 1), c.deterministic), sparseSide(t, sparseRuns(c.repeats, c.by, c.version, c.seed), c.deterministic)
		r := mustCompare(t, base, cand, defaults)
		if len(r.Cells) != 1 {
			t.Fatalf("%s: %d cells, want one of the whole grid:\n%s", c.name, len(r.Cells), summary(r))
		}
		got := r.Cells[0]
		if got.Verdict != c.verdict || got.Pairs != c.pairs || got.Baseline != c.repeats {
			t.Errorf("%s: %s (%s), %d pairs, %d repeats; want %s, %d, %d", c.name, got.Verdict, got.Reason, got.Pairs, got.Baseline, c.verdict, c.pairs, c.repeats)
		}
		wantText(t, got.Reason, c.reason)
	}
	// Runs of different seeds are independent samples. With another cost, single runs are compared.
	base, worse := sparseRuns(4, 1, 1, 1), sparseRuns(4, 1.3, 2, 3)
	r := mustCompare(t, sparseSide(t, base, false), sparseSide(t, reseeded(worse, 1), false), defaults)
	if c := r.Cells[0]; c.Pairs != 0 || c.Baseline != 4 || c.Candidate != 4 || c.Verdict == Identical {
		t.Errorf("%d pairs of %d and %d, %s; want independent samples", c.Pairs, c.Baseline, c.Candidate, c.Verdict)
	}
	o := Options{Alpha: 0.05, Tolerance: 0.05, Cost: "iterations"}
	r = mustCompare(t, sparseSide(t, base, false), sparseSide(t, worse, false), o)
	if len(r.Cells) != 2 || r.Cells[0].Cost != "iterations" {
		t.Errorf("want a cell for each eta, got:\n%s", summary(r))
	}
}

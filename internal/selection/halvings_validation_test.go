package selection

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/internal/record"
)

// withValidation adds errors on a validation split, multiples of 1/16, so that some are tied.
func withValidation(rng *rand.Rand, runs []record.Run) []record.Run {
	for i := range runs {
		errors := make([]float64, runs[i].Curve.Len())
		for p := range errors {
			errors[p] = float64(rng.IntN(17)) / 16
		}
		runs[i].Curve.Metrics[record.SplitValidation] = map[string][]float64{record.MetricError: errors}
	}
	return runs
}

// With ByValidation, the chosen classifier has the least error on the validation split, and the reported
// error is that on all test rows.
func TestTradeoffByValidation(t *testing.T) {
	t.Parallel()
	for _, over := range []string{OverLargest, OverAny} {
		rng := rand.New(rand.NewPCG(3, 5))
		runs := withValidation(rng, append(sparseGrid(rng, "d", "a", 2, 50), sparseGrid(rng, "d", "b", 2, 50)...))
		o := Rule{By: ByValidation, Tune: []string{"eta"}, Over: over, Sizes: []int{7}}
		h := choose(t, runs, o)
		if len(h.Runs()) != len(runs) || len(h.Series) != 2 || o.Chooses() {
			t.Errorf("selection at each size omits runs")
		}
		for i := range h.Series {
			c := &h.Series[i]
			for at, size := range c.Sizes {
				var validation, test, byValidation [2]float64
				for repeat := range 2 {
					validation[repeat] = math.Inf(1)
					for k := range runs {
						r := &runs[k]
						if r.Series != c.Name || r.Repeat != repeat {
							continue
						}
						for _, p := range bruteOptions(r, size, over) {
							validation[repeat] = min(validation[repeat], r.Curve.Metrics["validation"]["error"][p])
						}
					}
					byValidation[repeat], test[repeat] = c.ValidationByRepeat[repeat][at], c.ByRepeat[repeat][at]
				}
				if byValidation != validation || c.Validation[at] != (validation[0]+validation[1])/2 || c.Error[at] != test[0]/2+test[1]/2 || c.SD[at] != 0 {
					t.Errorf("%s of %s at %d: %v, want %v; error %v of %v", over, c.Name, size, byValidation, validation, c.Error[at], test)
				}
				pick := c.Pick(size)
				k := pick.Run.Repeat
				if pick.Score != min(validation[0], validation[1]) || pick.Score != validation[k] || shareOf(int64(pick.wrong), 50) != test[k] {
					t.Errorf("%s of %s at %d: Pick returned %+v", over, c.Name, size, pick)
				}
			}
			if c.Reported() != 50 {
				t.Errorf("errors are measured on %d rows", c.Reported())
			}
		}
		// Test rows do not affect the choice: different mistakes give the same choices.
		before := h.Series[0].Votes
		for k := range runs {
			for p := range runs[k].Curve.Mistakes {
				runs[k].Curve.Mistakes[p] = record.IndexSet{int32(rng.IntN(50))}
			}
		}
		h = choose(t, runs, o)
		for at := range before {
			if votesText(before[at]) != votesText(h.Series[0].Votes[at]) {
				t.Errorf("at %d the test rows changed the choice", h.Series[0].Sizes[at])
			}
		}
	}
	bare := sparseGrid(rand.New(rand.NewPCG(1, 1)), "d", "a", 1, 20)
	if _, err := Choose(bare, Rule{By: ByValidation, Over: OverAny, Tune: []string{"eta"}}); err == nil {
		t.Error("no error for runs without validation rows")
	}
}

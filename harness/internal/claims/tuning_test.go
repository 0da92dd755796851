package claims

import (
	"slices"
	"testing"

	"stochopt/results/record"
)

// A search makes a ten times as dear as it is by itself, and b no dearer.
func TestClaimsThatCountTheSearch(t *testing.T) {
	t.Parallel()
	runs := join(made{series: "a", of: noisy(0.01, falling(0.1))}.runs(), made{series: "b", of: noisy(0.01, falling(0.2))}.runs())
	tuned := func(lost int) func(string) []record.Run {
		return func(tuning string) (all []record.Run) {
			for _, r := range runs[lost:] {
				if r.Series == "a" && tuning == "grid" {
					iterations := slices.Clone(r.Curve.Cost["iterations"])
					for i := range iterations {
						iterations[i] *= 10
					}
					r.Curve.Cost = map[string][]int64{"iterations": iterations}
				}
				all = append(all, r)
			}
			return all
		}
	}
	in := Input{Runs: runs, Tuned: tuned(0)}
	order := func(series, other, tuning string) Claim {
		return claimOf(Check{Order: &Order{Series: series, Below: []string{other}, Curve: Curve{Tuned: tuning}}})
	}
	wantOutcome(t, "by itself", judgeOne(t, order("a", "b", ""), in), Reproduced)
	wantOutcome(t, "with the search", judgeOne(t, order("b", "a", "grid"), in), Reproduced)
	wantOutcome(t, "another search", judgeOne(t, order("a", "b", "random"), in), Reproduced)

	cost := claimOf(Check{Level: &Level{
		Reading: Reading{Series: "a", Read: readCost, Curve: Curve{Tuned: "grid"}}, Between: []*float64{ptr(999), ptr(1001)},
	}})
	wantOutcome(t, "cost", judgeOne(t, cost, in), Reproduced, "iterations summed over the grid")
	// The first half of the passes over 50 rows ends at iteration 25, which cost 250.
	passes := claimOf(Check{Level: &Level{
		Reading: Reading{Series: "a", Curve: Curve{Tuned: "grid"}, Range: Range{Passes: []float64{0, 0.5}}},
		Between: []*float64{ptr(0.017), ptr(0.024)},
	}})
	wantOutcome(t, "passes", judgeOne(t, passes, in), Reproduced)

	in.Tuned = tuned(1)
	wantOutcome(t, "a search not on record", judgeOne(t, cost, in), NotRun, "repeat 0 lacks runs of its grid")
	in.Tuned = nil
	wantOutcome(t, "no search", judgeOne(t, cost, in), NotRun, "no record of what was selected among")
}

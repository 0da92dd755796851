package claims

import (
	"slices"
	"testing"

	"stochopt/results/record"
)

// A search makes a ten times as dear as it is by itself, and b no dearer.
func TestClaimsThatCountTheSearch(t *testing.T) {
	t.Parallel()
	runs := made{series: "b", of: noisy(0.01, falling(0.2))}.runs()
	for step := range 10 {
		runs = append(runs, made{series: "a", params: record.Params{"step.c": step}, of: noisy(0.01, falling(0.1*(1+0.01*float64(step))))}.runs()...)
	}
	in := chosenFrom(t, runs)
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

	in = chosenFrom(t, slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool { return r.Repeat == 0 && r.Params["step.c"] == 9 }))
	wantOutcome(t, "a search not on record", judgeOne(t, cost, in), NotRun, "repeat 0 lacks runs of its grid")
	in.Selection = nil
	wantOutcome(t, "no search", judgeOne(t, cost, in), NotRun, "the selection is not on record")
}

// What the whole grid costs is the same whichever of two level steps is chosen.
func TestSearchIsCountedWhateverIsChosen(t *testing.T) {
	t.Parallel()
	in := chosenFrom(t, two("a", 5, 0, 5, stepNoise(1, 5)))
	cost := claimOf(Check{Level: &Level{
		Reading: Reading{Series: "a", Read: readCost, Curve: Curve{Tuned: "grid"}}, Between: []*float64{ptr(200), ptr(200)},
	}})
	wantOutcome(t, "a tie", judgeOne(t, cost, in), Reproduced)
}

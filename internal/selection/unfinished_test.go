package selection

import (
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/internal/record"
)

func TestSkippedRunsAreOmitted(t *testing.T) {
	runs := []record.Run{skippedRun(0, "svm-train is not installed"), testRun(4)}
	b, err := Aggregate(runs, "iterations", "test", "suboptimality")
	if err != nil {
		t.Fatal(err)
	}
	if b.N != 1 {
		t.Errorf("a band of %d runs", b.N)
	}
	wantWarning(t, b.Warnings, "1 of 2 runs were skipped and are left out", "repeat 0")

	runs = []record.Run{candidate("a", 1, 0, validation(1)), skippedRun(3, "no solver")}
	runs[1].Series = "a"
	sel := mustSelect(t, runs, byValidation)
	if c := sel.Series[0]; !c.OK || c.Candidates[1].Skipped != 1 || c.Candidates[1].Scored {
		t.Errorf("got %+v", c)
	}
	wantWarning(t, sel.Warnings(), "repeat 0 was skipped: no solver")
}

func TestAggregateAlongSeconds(t *testing.T) {
	a, b := testRun(0), testRun(1)
	timed := a.Timed(record.Timing{Seconds: []float64{0.5, 1, 8}})
	band, err := Aggregate([]record.Run{timed}, "seconds", "test", "suboptimality")
	if err != nil || !slices.Equal(band.X, []float64{0.5, 1, 8}) {
		t.Errorf("band %v, %v", band, err)
	}
	_, err = Aggregate([]record.Run{b}, "seconds", "test", "suboptimality")
	wantError(t, err, "has no seconds")
}

func TestLimitedRunsAreOutOfTheRace(t *testing.T) {
	for _, status := range []string{record.StatusOutOfTime, record.StatusOutOfMemory} {
		good, lost := candidate("s", 1, 0, validation(0.5)), candidate("s", 2, 0, validation(0.1))
		lost.Status, lost.Reason = status, "the limit"
		sel := mustSelect(t, []record.Run{good, lost}, Rule{By: ByValidation, Metric: "suboptimality", Over: OverFinal, Tune: []string{"step.c"}})
		if c := sel.Series[0]; !c.OK || record.FormatParam(c.Chosen["step.c"]) != "1" || c.Candidates[1].OutOfTime+c.Candidates[1].OutOfMemory != 1 || c.Candidates[1].Finished != 0 {
			t.Errorf("%s: chose %v among %+v", status, c.Chosen, c.Candidates)
		}
		wantWarning(t, sel.Warnings(), "out of", "the limit")
	}
	band, err := Aggregate([]record.Run{testRun(0), limitedRun(4, record.StatusOutOfTime, "600 s")}, "iterations", "test", "suboptimality")
	if err != nil || band.N != 1 {
		t.Fatalf("%+v, %v", band, err)
	}
	wantWarning(t, band.Warnings, "1 of 2 runs ran out of time or memory")
}

func BenchmarkAggregateInterpolated(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var runs []record.Run
	for i := range 100 {
		runs = append(runs, paperRun(rng, i))
	}
	for b.Loop() {
		if _, err := Aggregate(runs, "sum_kt2", "test", "suboptimality"); err != nil {
			b.Fatal(err)
		}
	}
}

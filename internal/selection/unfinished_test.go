package selection

import (
	"testing"

	"stochopt/internal/record"
)

func TestSkippedRunsAreOmitted(t *testing.T) {
	runs := []record.Run{candidate("a", 1, 0, validation(1)), skippedRun(3, "no solver")}
	runs[1].Series = "a"
	sel := mustSelect(t, runs, byValidation)
	if c := sel.Series[0]; !c.OK || c.Candidates[1].Skipped != 1 || c.Candidates[1].Scored {
		t.Errorf("got %+v", c)
	}
	wantWarning(t, sel.Warnings(), "repeat 0 was skipped: no solver")
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
}

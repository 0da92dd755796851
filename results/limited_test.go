package results

import "testing"

func limitedRun(i int, status, reason string) Run {
	r := testRun(i)
	r.Status, r.Reason = status, reason
	return r
}

// A run that is out of time or memory is done: a folder serves it again.
func TestLimitedRunsAreCompleted(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	appendRuns(t, s, 0, testRun(0), limitedRun(1, StatusOutOfTime, "600 s"), limitedRun(2, StatusOutOfMemory, "12 GB"), failedRun(3, "boom"))
	if err := s.SetPlan(planOf(0, 1, 2, 3)); err != nil {
		t.Fatal(err)
	}
	if n := len(s.Completed()); n != 3 {
		t.Errorf("%d runs are completed, want 3", n)
	}
	e := read(t, dir)
	sum := Summarise(e)
	if want := (Counts{Runs: 4, Finished: 1, Failed: 1, OutOfTime: 1, OutOfMemory: 1}); sum.Counts != want || sum.Series[0].Counts != want {
		t.Errorf("counts %+v, want %+v", sum.Counts, want)
	}
	if len(sum.Problems) != 3 || sum.Problems[0].Status != StatusOutOfTime || sum.Problems[1].Reason != "12 GB" {
		t.Errorf("problems %+v", sum.Problems)
	}
}

func TestLimitedRunsAreOutOfTheRace(t *testing.T) {
	for _, status := range []string{StatusOutOfTime, StatusOutOfMemory} {
		good, lost := candidate("s", 1, 0, validation(0.5)), candidate("s", 2, 0, validation(0.1))
		lost.Status, lost.Reason = status, "the limit"
		sel := mustSelect(t, []Run{good, lost}, SelectOptions{By: ByValidation, Metric: "suboptimality", Over: OverFinal, Tune: []string{"step.c"}})
		if c := sel.Choices[0]; !c.OK || FormatParam(c.Chosen["step.c"]) != "1" || c.Candidates[1].Limited != 1 || c.Candidates[1].Finished != 0 {
			t.Errorf("%s: chose %v among %+v", status, c.Chosen, c.Candidates)
		}
		wantWarning(t, sel.Warnings(), "out of", "the limit")
	}
	band, err := Aggregate([]Run{testRun(0), limitedRun(4, StatusOutOfTime, "600 s")}, "iterations", "test", "suboptimality")
	if err != nil || band.N != 1 {
		t.Fatalf("%+v, %v", band, err)
	}
	wantWarning(t, band.Warnings, "1 of 2 runs ran out of time or memory")
}

func TestSelectByHalvingsKeepsAllRuns(t *testing.T) {
	runs := []Run{testRun(0), testRun(1), failedRun(2, "boom")}
	if sel := mustSelect(t, runs, SelectOptions{By: ByHalvings}); len(sel.Runs()) != 3 || len(sel.Choices) != 0 {
		t.Errorf("%d runs, %d choices", len(sel.Runs()), len(sel.Choices))
	}
}

package results

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestSummarise(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	diverged := labelled(testRun(2), "grouse")
	diverged.Status, diverged.Reason, diverged.StandIn = StatusDiverged, "Inf at iteration 7", true
	appendRuns(t, s, 0, testRun(0), testRun(1), diverged, failedRun(7, "panic: boom"))
	if err := s.Compact(planOf(7, 0, 1)); err != nil {
		t.Fatal(err)
	}
	appendRuns(t, s, 0, labelled(testRun(5), "grouse"), labelled(diverged, "grouse"))
	if err := s.SetPlan(planOf(7, 0, 1, 5, 2)); err != nil {
		t.Fatal(err)
	}
	e, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sum := Summarise(e)
	if want := (Counts{Runs: 5, Finished: 3, Diverged: 1, Failed: 1}); sum.Counts != want || sum.Journaled != 1 || sum.StandIn != 1 {
		t.Errorf("got %+v", sum)
	}
	if len(sum.Series) != 2 {
		t.Fatalf("series %+v", sum.Series)
	}
	if want := (Counts{Runs: 3, Finished: 2, Failed: 1}); sum.Series[0].Series != "msg" || sum.Series[0].Counts != want {
		t.Errorf("got %+v", sum.Series[0])
	}
	if want := (Counts{Runs: 2, Finished: 1, Diverged: 1}); sum.Series[1].Series != "grouse" || sum.Series[1].Counts != want {
		t.Errorf("got %+v", sum.Series[1])
	}
	if want := []Problem{
		{"gaussian msg[k=4;step.c=2] repeat 1", "gaussian", "msg", "k=4;step.c=2", 1, StatusFailed, "panic: boom", testRun(7).Key},
		{"gaussian grouse[k=4;step.c=1.5] repeat 0", "gaussian", "grouse", "k=4;step.c=1.5", 0, StatusDiverged, "Inf at iteration 7", testRun(2).Key},
	}; !reflect.DeepEqual(sum.Problems, want) {
		t.Errorf("problems %+v, want %+v", sum.Problems, want)
	}
	// The msg runs took 0/8, 1/8 and 3/8 s, and the others, as first recorded, 0/8
	// and 2/8.
	if sum.EvalSeconds != 5*0.25 || sum.StepSeconds != 0.75 || sum.Series[0].StepSeconds != 0.5 {
		t.Errorf("seconds %v, %v, %v", sum.StepSeconds, sum.EvalSeconds, sum.Series[0].StepSeconds)
	}
	data, err := json.Marshal(Summarise(&Experiment{Name: "empty"}))
	if err != nil || strings.Contains(string(data), "null") {
		t.Errorf("%s, %v", data, err)
	}
}

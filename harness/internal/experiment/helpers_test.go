package experiment

import (
	"errors"
	"testing"

	"stochopt/internal/record"
)

// testRun returns small valid run i.
func testRun(i int) record.Run {
	return record.Run{
		Schema: record.Schema, Key: record.Key(map[string]any{"run": i}), Extent: "100/log:3", Task: "pca",
		Dataset: "gaussian", Group: "k=4", DatasetHash: "abc", Series: "msg", Algorithm: "msg", Version: 1,
		Params: record.Params{"k": int64(4), "step.c": 0.5 * float64(i%4+1)},
		Repeat: i / 4, Seed: 20130719, Status: record.StatusFinished, Reason: "budget",
		Curve: record.Curve{
			Cost: map[string][]int64{"iterations": {1, 10, 100}, "sum_kt2": {16, int64(160 + i), int64(1600 + 2*i)}},
			Metrics: map[string]map[string][]float64{
				"test":  {"suboptimality": {0.5, 0.25, 0.1 / float64(i+1)}},
				"state": {"rank": {4, 4, 4}},
			},
		},
	}
}

func failedRun(i int, reason string) record.Run {
	r := testRun(i)
	r.Status, r.Reason = record.StatusFailed, reason
	r.Curve = record.Curve{}
	return r
}

func labelled(r record.Run, name string) record.Run {
	r.Series = name
	return r
}

// addRuns adds runs, and a plan unless it is nil, to a folder.
func addRuns(t *testing.T, dir string, plan []record.ID, runs ...record.Run) {
	t.Helper()
	s, err := record.Open(dir, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	errs := []error{}
	if plan != nil {
		errs = append(errs, s.SetPlan(plan))
	}
	for _, r := range runs {
		timing, _ := r.Timing()
		errs = append(errs, s.Add(r, timing))
	}
	if err := errors.Join(append(errs, s.Close())...); err != nil {
		t.Fatal(err)
	}
}

package analysis

import (
	"testing"

	"stochopt/results/record"
)

func TestTargets(t *testing.T) {
	x, y := []float64{1, 10, 100, 1000}, []float64{0.5, 0.2, 0.3, 0.1}
	for _, c := range []struct {
		target, at float64
		ok         bool
	}{{0.6, 1, true}, {0.5, 1, true}, {0.4, 10, true}, {0.2, 10, true}, {0.15, 1000, true}, {0.05, 0, false}} {
		if at, ok := FirstAt(x, y, c.target); at != c.at || ok != c.ok {
			t.Errorf("FirstAt %v = %v, %v", c.target, at, ok)
		}
	}
	for _, c := range []struct {
		x, y float64
		ok   bool
	}{{0.5, 0, false}, {1, 0.5, true}, {9, 0.5, true}, {10, 0.2, true}, {5000, 0.1, true}} {
		if got, ok := ValueAt(x, y, c.x); got != c.y || ok != c.ok {
			t.Errorf("ValueAt %v = %v, %v", c.x, got, ok)
		}
	}
	r := curveRun([]int64{1, 2, 3}, 0.5, 0.2, 0.1)
	failed := r
	failed.Status = record.StatusFailed
	for _, c := range []struct {
		run           record.Run
		split, metric string
		target        float64
		point         int
		outcome       Outcome
	}{
		{r, "test", "m", 0.2, 1, Reached}, {r, "test", "m", 0.15, 2, Reached}, {r, "test", "m", 0.5, 0, AtOnce},
		{r, "test", "m", 0.01, 0, NotReached}, {failed, "test", "m", 0.2, 0, NotReached},
		{r, "train", "m", 0.2, 0, NotReached}, {r, "test", "n", 0.2, 0, NotReached},
	} {
		if i, o := PointAt(c.run, c.split, c.metric, c.target); i != c.point || o != c.outcome {
			t.Errorf("%s %s at %v: point %d, %v, want %d, %v", c.split, c.metric, c.target, i, o, c.point, c.outcome)
		}
	}
}

package record

import "testing"

func TestResolution(t *testing.T) {
	r := Run{
		Rows: map[string]int64{"test": 200},
		// The gap on record is relative to the optimum.
		Facts: map[string]float64{"reference_primal": 0.25, "reference_dual": 0.125, "reference_gap": 0.5},
	}
	for _, c := range []struct {
		split, metric string
		want          float64
	}{
		{"test", "error", 0.0025}, {"train", "error", 0}, {"state", "suboptimality", 0.125}, {"test", "hinge", 0},
	} {
		if got := r.Resolution(c.split, c.metric); got != c.want {
			t.Errorf("%s on %s: %v, want %v", c.metric, c.split, got, c.want)
		}
	}
	delete(r.Facts, "reference_dual")
	if got := r.Resolution("state", "suboptimality"); got != 0 {
		t.Errorf("without a bound: %v, want 0", got)
	}
}

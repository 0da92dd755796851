package algorithms

import (
	"math"
	"testing"
)

func TestSchedules(t *testing.T) {
	for _, test := range []struct {
		s    Schedule
		text string
		want map[int64]float64
	}{
		{Constant{C: 0.5}, "0.5", map[int64]float64{1: 0.5, 2: 0.5, 1000000: 0.5}},
		{InverseSqrt{C: 2}, "2/sqrt(t)", map[int64]float64{1: 2, 4: 1, 1000000: 0.002}},
		{Inverse{C: 3}, "3/t", map[int64]float64{1: 3, 2: 1.5, 1000000: 3e-6}},
	} {
		if got := test.s.String(); got != test.text {
			t.Errorf("String() = %q, want %q", got, test.text)
		}
		for step, want := range test.want {
			if got := test.s.At(step); math.Abs(got-want) > 1e-15*want {
				t.Errorf("%v: At(%d) = %v, want %v", test.s, step, got, want)
			}
		}
	}
}

func TestStatus(t *testing.T) {
	if (Status{}).Stop() {
		t.Error("the zero status stops")
	}
	for state, name := range map[State]string{
		Running: "running", Exhausted: "exhausted", Converged: "converged", Diverged: "diverged", Failed: "failed", 99: "unknown", -1: "unknown",
	} {
		if got := state.String(); got != name {
			t.Errorf("State(%d) = %q, want %q", int(state), got, name)
		}
		if got, want := (Status{State: state}).Stop(), state != Running; got != want {
			t.Errorf("%s: Stop() = %v", name, got)
		}
	}
}

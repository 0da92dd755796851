package suite

import (
	"math"
	"slices"

	"stochopt/algorithms"
)

// Advance takes at most n steps and returns the last status.
func Advance(s algorithms.Stepper, n int) algorithms.Status {
	for range n {
		if status := s.Step(); status.Stop() {
			return status
		}
	}
	return algorithms.Status{}
}

// MustAdvance is Advance, but a failure of the learner ends the check.
func MustAdvance(t Reporter, s algorithms.Stepper, n int) algorithms.Status {
	t.Helper()
	status := Advance(s, n)
	if Failed(status) {
		t.Fatalf("after %d steps: %v: %s", s.Cost().Iterations, status.State, status.Reason)
	}
	return status
}

// Failed reports whether status is Diverged or Failed.
func Failed(status algorithms.Status) bool {
	return status.State == algorithms.Diverged || status.State == algorithms.Failed
}

// SameBits reports whether a and b have the same bits.
func SameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// Distance returns the greatest difference, or NaN if a difference is NaN.
func Distance(a, b []float64) float64 {
	var d float64
	for i, x := range a {
		d = max(d, math.Abs(x-b[i]))
	}
	return d
}

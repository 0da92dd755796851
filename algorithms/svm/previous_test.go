package svm

import (
	"slices"
	"testing"
)

// TestReach: the support after a step is within what was said before it, and what a
// method that keeps it says of the step before is what it had said then.
func TestReach(t *testing.T) {
	eachSparse(t, func(name string, a Sparse) {
		past, keepsPrevious := a.(PreviousKeeper)
		keepsPrevious = keepsPrevious && past.KeepsPrevious()
		var now, before Solution
		for step := range 300 {
			a.SolutionTo(&now)
			least, most := a.Reach()
			status := a.Step()
			if got := a.Support(); got < least || got > most {
				t.Fatalf("%s, step %d: support %d, which was to be %d to %d", name, step, got, least, most)
			}
			if status.Stop() {
				break
			}
			if !keepsPrevious {
				continue
			}
			before.Alpha, before.Bias = nil, 7
			if past.PreviousTo(&before); !slices.Equal(before.Alpha, now.Alpha) || before.Bias != now.Bias {
				t.Fatalf("%s, step %d: the classifier before has alpha %v and bias %g, want %v and %g", name, step, before.Alpha, before.Bias, now.Alpha, now.Bias)
			}
		}
		if want := name == "sdca" || name == "smo" || name == "smo, pairs"; keepsPrevious != want {
			t.Errorf("%s: KeepsPrevious is %t", name, keepsPrevious)
		}
	})
}

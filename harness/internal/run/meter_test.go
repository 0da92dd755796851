package run

import (
	"testing"
	"time"
)

// Runs side by side share what is taken meanwhile, and the sum is all that was taken
// while there was one.
func TestMeterSharesOut(t *testing.T) {
	var now time.Duration
	m := &meter{now: func() time.Duration { return now }}
	now = 5 * time.Second // before the first run
	a := m.begin()
	now += 4 * time.Second
	b := m.begin()
	now += 6 * time.Second
	if got := m.split(a); got != 4+3 {
		t.Errorf("the setup of the first took %v s, want 7", got)
	}
	now += 2 * time.Second
	if got := m.split(b); got != 3+1 {
		t.Errorf("the second took %v s, want 4", got)
	}
	m.end(b)
	now += 10 * time.Second
	if got := m.split(a); got != 1+10 {
		t.Errorf("the first took %v s after its setup, want 11", got)
	}
	m.end(a)
	now += time.Hour
	if c := m.begin(); m.split(c) != 0 {
		t.Error("a run was given what was taken before it")
	}
}

package suite

import "stochopt/algorithms"

// Result describes what the learners of a package compute, an R that a method of
// theirs writes, to the checks that are the same for all of them.
type Result[L algorithms.Stepper, R any] struct {
	// Method names the method, which Write calls.
	Method string
	Write  func(l L, into *R)
	// Same reports whether two results are the same to the last bit.
	Same func(a, b *R) bool
	// Clone returns a copy that shares nothing, and Spoil overwrites a result.
	Clone func(r *R) *R
	Spoil func(r *R)
	// Reused, if not nil, reports whether the slices of a destination are still
	// those that it had if they are long enough; before is as it was.
	Reused func(before, after *R) bool
}

// Of returns the result of the learner.
func (k Result[L, R]) Of(l L) *R {
	r := new(R)
	k.Write(l, r)
	return r
}

// Reproducible checks that runs that begin alike are the same to the last bit, and
// say the same of themselves at every step.
func (k Result[L, R]) Reproducible(t Reporter, runs int, fresh func(run int) L, steps int, says func(l L) any) {
	t.Helper()
	var said []any
	var want *R
	for run := range runs {
		l := fresh(run)
		for step := range steps {
			stop := AdvanceWell(t, l, 1).Stop()
			if now := says(l); run == 0 {
				said = append(said, now)
			} else if step == len(said) || now != said[step] {
				t.Fatalf("another run with the same seeds: not the same bits: after %d steps it is %+v",
					step+1, now)
			}
			if stop {
				break
			}
		}
		if got := k.Of(l); run == 0 {
			want = got
		} else if !k.Same(got, want) {
			t.Errorf("another run with the same seeds: not the same bits")
		}
	}
}

// Passive checks that the method does not change the run, is idempotent, fetches
// nothing and gives away nothing that belongs to the learner. The second result of
// fresh says what has been fetched since it was last called, and is nil if that is
// nothing; says is what a learner says of itself.
func (k Result[L, R]) Passive(t Reporter, fresh func() (L, func() any), steps int, says func(l L) any) {
	t.Helper()
	l, _ := fresh()
	AdvanceWell(t, l, steps)
	want := k.Of(l)
	l, fetched := fresh()
	got := new(R)
	for range steps {
		stop := AdvanceWell(t, l, 1).Stop()
		fetched()
		before := says(l)
		k.Write(l, got)
		if what := fetched(); what != nil {
			t.Fatalf("after %d steps: %s fetched %+v", l.Cost().Iterations, k.Method, what)
		}
		first := k.Clone(got)
		k.Spoil(got)
		k.Write(l, got)
		if !k.Same(first, got) {
			t.Fatalf("after %d steps: a second %s is not the same as the first",
				l.Cost().Iterations, k.Method)
		}
		if now := says(l); now != before {
			t.Fatalf("after %d steps: %s changes %+v to %+v", l.Cost().Iterations, k.Method, before, now)
		}
		if stop {
			break
		}
	}
	if !k.Same(got, want) {
		t.Errorf("a run is not the same when %s is called at every step", k.Method)
	}
}

// Destinations checks, after each number of further steps, that whatever was in a
// destination does not matter, and that a later step does not change it.
func (k Result[L, R]) Destinations(t Reporter, l L, steps []int, dirty func(want *R) map[string]*R) {
	t.Helper()
	for _, n := range steps {
		stop := AdvanceWell(t, l, n).Stop()
		want := k.Of(l)
		for name, dst := range dirty(want) {
			before := *dst
			k.Write(l, dst)
			if !k.Same(dst, want) {
				t.Fatalf("after %d steps: %s into %q is not the same as into nothing",
					l.Cost().Iterations, k.Method, name)
			}
			if k.Reused != nil && !k.Reused(&before, dst) {
				t.Errorf("%s into %q did not reuse slices that are long enough", k.Method, name)
			}
		}
		if stop {
			return
		}
	}
	kept := k.Of(l)
	copied := k.Clone(kept)
	if !AdvanceWell(t, l, 1).Stop() {
		AdvanceWell(t, l, 4)
	}
	k.Of(l)
	if !k.Same(kept, copied) {
		t.Errorf("a later step changed what %s had written", k.Method)
	}
}

// Refused checks that an impossible problem is an error, one that says something,
// and not a panic.
func Refused(t Reporter, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
	} else if err.Error() == "" {
		t.Errorf("%s: an empty error", what)
	}
}

package suite

import "stochopt/algorithms"

// Result describes the result R of the learners of a package, for the checks that all packages share.
type Result[L algorithms.Stepper, R any] struct {
	// Method is the name of the method that writes the result, and Write calls it.
	Method string
	Write  func(l L, into *R)
	// Same reports whether two results have the same bits.
	Same func(a, b *R) bool
	// Clone returns a deep copy, and Overwrite overwrites a result.
	Clone     func(r *R) *R
	Overwrite func(r *R)
	// Reused, if not nil, reports whether after reuses the slices of before, if they are long enough.
	Reused func(before, after *R) bool
}

// Of returns the result of l.
func (k Result[L, R]) Of(l L) *R {
	r := new(R)
	k.Write(l, r)
	return r
}

// Reproducible checks that runs from equal starts have the same bits, and the same values of observe
// after every step.
func (k Result[L, R]) Reproducible(t Reporter, runs int, fresh func(run int) L, steps int, observe func(l L) any) {
	t.Helper()
	var observed []any
	var want *R
	for run := range runs {
		l := fresh(run)
		for step := range steps {
			stop := MustAdvance(t, l, 1).Stop()
			if now := observe(l); run == 0 {
				observed = append(observed, now)
			} else if step == len(observed) || now != observed[step] {
				t.Fatalf("a run with the same seeds differs: after %d steps it reports %+v", step+1, now)
			}
			if stop {
				break
			}
		}
		if got := k.Of(l); run == 0 {
			want = got
		} else if !k.Same(got, want) {
			t.Errorf("a run with the same seeds has a different result")
		}
	}
}

// Passive checks that the method does not change the run, is idempotent, fetches nothing and does not
// return memory of the learner. fresh returns a learner and a function that returns what was fetched
// since its last call, or nil. observe returns values that the learner reports.
func (k Result[L, R]) Passive(t Reporter, fresh func() (L, func() any), steps int, observe func(l L) any) {
	t.Helper()
	l, _ := fresh()
	MustAdvance(t, l, steps)
	want := k.Of(l)
	l, fetched := fresh()
	got := new(R)
	for range steps {
		stop := MustAdvance(t, l, 1).Stop()
		fetched()
		before := observe(l)
		k.Write(l, got)
		if what := fetched(); what != nil {
			t.Fatalf("after %d steps: %s fetched %+v", l.Cost().Iterations, k.Method, what)
		}
		first := k.Clone(got)
		k.Overwrite(got)
		k.Write(l, got)
		if !k.Same(first, got) {
			t.Fatalf("after %d steps: a second call of %s gives a different result",
				l.Cost().Iterations, k.Method)
		}
		if now := observe(l); now != before {
			t.Fatalf("after %d steps: %s changes %+v to %+v", l.Cost().Iterations, k.Method, before, now)
		}
		if stop {
			break
		}
	}
	if !k.Same(got, want) {
		t.Errorf("calling %s after every step changes the run", k.Method)
	}
}

// Destinations takes steps and checks, after each of the given numbers of further steps, that the
// previous contents of a destination do not matter. It also checks that later steps do not change a
// destination.
func (k Result[L, R]) Destinations(t Reporter, l L, steps []int, dirty func(want *R) map[string]*R) {
	t.Helper()
	for _, n := range steps {
		stop := MustAdvance(t, l, n).Stop()
		want := k.Of(l)
		for name, dst := range dirty(want) {
			before := *dst
			k.Write(l, dst)
			if !k.Same(dst, want) {
				t.Fatalf("after %d steps: %s into %q differs from %s into an empty destination",
					l.Cost().Iterations, k.Method, name, k.Method)
			}
			if k.Reused != nil && !k.Reused(&before, dst) {
				t.Errorf("%s into %q did not reuse its slices", k.Method, name)
			}
		}
		if stop {
			return
		}
	}
	kept := k.Of(l)
	copied := k.Clone(kept)
	if !MustAdvance(t, l, 1).Stop() {
		MustAdvance(t, l, 4)
	}
	k.Of(l)
	if !k.Same(kept, copied) {
		t.Errorf("a later step changed a result of %s", k.Method)
	}
}

// Refused checks that err, the result of an invalid argument, is an error with a message.
func Refused(t Reporter, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
	} else if err.Error() == "" {
		t.Errorf("%s: error without a message", what)
	}
}

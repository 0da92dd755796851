package pca

import (
	"math"
	"testing"

	"stochopt/algorithms"
)

var (
	_ Checker = (*SAA)(nil)
	_ Checker = (*Incremental)(nil)
	_ Checker = (*Power)(nil)
	_ Checker = (*GHA)(nil)
	_ Checker = (*GROUSE)(nil)
	_ Checker = (*MSG)(nil)
	_ Checker = (*CappedMSG)(nil)
	_ Checker = (*WarmuthKuzmin)(nil)
	_ Checker = (*WarmuthKuzminNaive)(nil)
	_ Checker = (*Averaged)(nil)
	_ Checker = (*Sampled)(nil)
	_ Checker = (*Decomposed)(nil)
)

// brokenSAA returns an SAA at the end of its samples, whose second moment cannot
// be decomposed any more.
func brokenSAA(t *testing.T) *SAA {
	t.Helper()
	const d, n = 4, 8
	s, err := NewSAA(SAAConfig{K: 2}, &rowSource{d, normalRows(n, d, 0.7, 80)})
	if err != nil {
		t.Fatal(err)
	}
	mustStep(t, s, n)
	s.sum.SetSym(0, 0, math.NaN())
	return s
}

// A failure of StateTo after the last sample shows without another step, through
// any wrapper.
func TestStatusAfterStateTo(t *testing.T) {
	for _, test := range []struct {
		name string
		wrap func(Learner) (Learner, error)
	}{
		{"saa", func(l Learner) (Learner, error) { return l, nil }},
		{"decomposed", func(l Learner) (Learner, error) { return NewDecomposed(l, streamRand(81)) }},
		{"decomposed twice", func(l Learner) (Learner, error) {
			p, err := NewDecomposed(l, streamRand(81))
			if err != nil {
				return nil, err
			}
			return NewDecomposed(p, streamRand(82))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, err := test.wrap(brokenSAA(t))
			if err != nil {
				t.Fatal(err)
			}
			if status := l.(Checker).Status(); status.Stop() {
				t.Fatalf("before StateTo: %+v", status)
			}
			var st State
			l.StateTo(&st)
			if status := l.(Checker).Status(); status.State != algorithms.Failed || status.Reason == "" {
				t.Errorf("after StateTo: %+v, want failed", status)
			}
		})
	}
}

// The wrappers that ask for iterates beforehand show what came of it.
func TestStatusOfWrappedFailure(t *testing.T) {
	for _, test := range []struct {
		name string
		wrap func(Learner) (Learner, error)
	}{
		{"averaged", func(l Learner) (Learner, error) { return NewAveraged(l) }},
		{"sampled", func(l Learner) (Learner, error) { return NewSampled(l, streamRand(83)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, err := test.wrap(brokenSAA(t))
			if err != nil {
				t.Fatal(err)
			}
			if status := l.(Checker).Status(); status.State != algorithms.Failed || status.Reason == "" {
				t.Errorf("%+v, want failed", status)
			}
		})
	}
}

// An average that cannot be decomposed is a failure even where the learner has
// merely run out of samples; a learner that is no Checker counts as running.
func TestStatusOfAveraged(t *testing.T) {
	const d, n = 5, 6
	inner, err := NewGROUSE(GROUSEConfig{K: 2, Step: algorithms.Constant{C: 1}}, &rowSource{d, normalRows(n, d, 0.7, 84)}, streamRand(85))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		inner Learner
		ended algorithms.State
	}{
		{inner, algorithms.Exhausted},
		{randomScript(d, 2, n, 86), algorithms.Running},
	} {
		a, err := NewAveraged(test.inner)
		if err != nil {
			t.Fatal(err)
		}
		mustStep(t, a, n)
		if status := a.Status(); status.Stop() {
			t.Fatalf("%T: %+v", test.inner, status)
		}
		if status := a.Step(); status.State != algorithms.Exhausted {
			t.Fatalf("%T: %+v, want exhausted", test.inner, status)
		}
		if status := a.Status(); status.State != test.ended {
			t.Errorf("%T: %+v, want %v", test.inner, status, test.ended)
		}
		a.sum.SetSym(0, 0, math.NaN())
		var st State
		a.StateTo(&st)
		if status := a.Status(); status.State != algorithms.Failed || status.Reason == "" {
			t.Errorf("%T: %+v, want failed", test.inner, status)
		}
	}
}

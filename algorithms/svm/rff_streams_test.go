package svm

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
)

// cancelAfter is a context that is cancelled after looks calls of Err.
type cancelAfter struct {
	context.Context
	looks int
	end   func()
}

func (c *cancelAfter) Err() error {
	if c.looks == 0 {
		c.end()
	}
	c.looks--
	return c.Context.Err()
}

// newCancelAfter returns a context that is not cancelled until looks is set.
func newCancelAfter() *cancelAfter {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &cancelAfter{ctx, -1, func() { cancel(errors.New("interrupted by the user")) }}
}

// TestRFFEndsWithItsContext checks cancellation at each check of the context: before each of two blocks of
// directions, before the solution and before each of three passes. A cancelled step must change
// nothing.
func TestRFFEndsWithItsContext(t *testing.T) {
	const n, looks = 40, 2 + 1 + 3
	x, positive := rffRings(14, n, 0, 2)
	for lasts := range looks + 1 {
		ctx := newCancelAfter()
		a, err := NewRFF(ctx, RFFConfig{Gamma: 1, MaxPairs: 256, Lambda: 0.02}, x, n, positive, rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			if st := a.Step(); st.Stop() {
				t.Fatal(st)
			}
		}
		var before, after Solution
		a.SolutionTo(&before)
		cost, alpha := a.Cost(), slices.Clone(a.solver.alpha)
		a.cfg.Tolerance, a.ascent.maxPasses = 1e-12, 3
		ctx.looks = lasts
		if st := a.Step(); st.State != algorithms.Failed {
			t.Errorf("cancelled at check %d: status %+v", lasts+1, st)
		}
		if lasts == looks && ctx.looks != 0 {
			t.Errorf("a step used all but %d of %d checks", ctx.looks, looks)
		}
		a.SolutionTo(&after)
		if !slices.Equal(before.Scores, after.Scores) || before.NormSq != after.NormSq || !slices.Equal(alpha, a.solver.alpha) || a.Cost() != cost || a.Pairs() != 128 {
			t.Errorf("cancelled at check %d: the step changed the solution or the cost", lasts+1)
		}
	}
}

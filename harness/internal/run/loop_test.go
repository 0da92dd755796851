package run

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stochopt/algorithms"
)

// script is a Stepper that ends with a status at step end, which it does not
// complete; 0 means never.
type script struct {
	end    int64
	status algorithms.Status
	steps  int64
	calls  int64
	hook   func(t int64)
}

func (s *script) Step() algorithms.Status {
	s.calls++
	if s.hook != nil {
		s.hook(s.calls)
	}
	if s.calls == s.end {
		return s.status
	}
	s.steps++
	return algorithms.Status{}
}

func (s *script) Cost() algorithms.Cost { return algorithms.Cost{Iterations: s.steps} }

func TestLoop(t *testing.T) {
	t.Parallel()
	points := []int64{1, 5, 10}
	for _, test := range []struct {
		name  string
		end   int64
		state algorithms.State
		// seen are the iterations observed, calls the number of steps tried.
		seen  []int64
		calls int64
	}{
		{"to the end", 0, algorithms.Running, []int64{1, 5, 10}, 10},
		{"exhausted between points", 8, algorithms.Exhausted, []int64{1, 5, 7}, 8},
		{"exhausted just after a point", 6, algorithms.Exhausted, []int64{1, 5}, 6},
		{"exhausted at once", 1, algorithms.Exhausted, nil, 1},
		{"converged between points", 4, algorithms.Converged, []int64{1, 3}, 4},
		{"diverged between points", 8, algorithms.Diverged, []int64{1, 5}, 8},
		{"failed just after a point", 6, algorithms.Failed, []int64{1, 5}, 6},
		{"diverged at the last step", 10, algorithms.Diverged, []int64{1, 5}, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &script{end: test.end, status: algorithms.Status{State: test.state, Reason: "why"}}
			var seen []int64
			status, _, err := loop(context.Background(), s, points, new(atomic.Int64), func(took) error {
				seen = append(seen, s.Cost().Iterations)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if status.State != test.state || status.Stop() && status.Reason != "why" {
				t.Errorf("status is %v, want %v", status, test.state)
			}
			if !slices.Equal(seen, test.seen) {
				t.Errorf("observed at %v, want %v", seen, test.seen)
			}
			if s.calls != test.calls {
				t.Errorf("%d steps were tried, want %d", s.calls, test.calls)
			}
		})
	}
}

func TestLoopStopsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	s := &script{hook: func(n int64) {
		if n == 1000 {
			cancel()
		}
	}}
	observed := 0
	_, _, err := loop(ctx, s, []int64{100, 1 << 40}, new(atomic.Int64), func(took) error { observed++; return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
	if s.calls > 1064 {
		t.Errorf("it went on for %d steps", s.calls-1000)
	}
	if observed != 1 {
		t.Errorf("observed %d times, want 1", observed)
	}
}

func TestLoopStopsWhenObservingFails(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad")
	for _, end := range []int64{0, 8} {
		s := &script{end: end, status: algorithms.Status{State: algorithms.Exhausted}}
		n := 0
		_, _, err := loop(context.Background(), s, []int64{5, 10, 15}, new(atomic.Int64), func(took) error {
			if n++; n == 2 {
				return bad
			}
			return nil
		})
		if err != bad || n != 2 {
			t.Errorf("error is %v after %d observations, want %v after 2", err, n, bad)
		}
	}
}

// Measuring is not on the algorithm's clock.
func TestLoopClocksStepsOnly(t *testing.T) {
	t.Parallel()
	// With a clock of its own, which only sleeping advances.
	synctest.Test(t, func(t *testing.T) {
		s := &script{hook: func(n int64) { time.Sleep(time.Duration(n) * time.Second) }}
		var at []time.Duration
		_, clock, err := loop(context.Background(), s, []int64{1, 2, 5}, new(atomic.Int64), func(so took) error {
			time.Sleep(time.Hour)
			at = append(at, so.wall)
			return nil
		})
		if want := []time.Duration{time.Second, 3 * time.Second, 15 * time.Second}; err != nil || !slices.Equal(at, want) {
			t.Errorf("the points were reached at %v, %v, want %v", at, err, want)
		}
		if clock.wall != 15*time.Second {
			t.Errorf("the clock says %v, want 15s", clock)
		}
	})
}

// picky is a script that is to be recorded after some of its steps.
type picky struct {
	script
	at []int64
}

func (p *picky) due() bool { return slices.Contains(p.at, p.steps) }

func (p *picky) waiting() bool { return false }

// What is selective is observed where it says so, at the points and at the end.
func TestLoopOfSelective(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		end      int64
		at, seen []int64
	}{
		{"between points", 0, []int64{2, 3, 7}, []int64{2, 3, 5, 7, 10}},
		{"at points", 0, []int64{5, 10}, []int64{5, 10}},
		{"just before the end", 9, []int64{8}, []int64{5, 8, 8}},
		{"before the end", 9, []int64{7}, []int64{5, 7, 8}},
		{"not after the step that ends it", 9, []int64{9}, []int64{5, 8}},
	} {
		s := &picky{script: script{end: test.end, status: algorithms.Status{State: algorithms.Converged}}, at: test.at}
		var seen []int64
		var before time.Duration
		if _, _, err := loop(context.Background(), s, []int64{5, 10}, new(atomic.Int64), func(clock took) error {
			if clock.wall < before {
				t.Errorf("%s: the clock runs backwards", test.name)
			}
			before = clock.wall
			seen = append(seen, s.steps)
			return nil
		}); err != nil || !slices.Equal(seen, test.seen) {
			t.Errorf("%s: observed at %v, %v, want %v", test.name, seen, err, test.seen)
		}
	}
	// Its errors end the loop.
	s := &picky{at: []int64{2}}
	if _, _, err := loop(context.Background(), s, []int64{5}, new(atomic.Int64), func(took) error { return context.Canceled }); !errors.Is(err, context.Canceled) || s.steps != 2 {
		t.Errorf("error %v after %d steps", err, s.steps)
	}
}

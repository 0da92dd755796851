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

// script is a Stepper that returns a status instead of completing the step number end; 0 means never.
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

// scriptedTrial returns a trial that calls observe with the time spent in steps.
func scriptedTrial(s algorithms.Stepper, points []int64, observe func(elapsed) error) *trial {
	t := &trial{learner: learner{Stepper: s}, points: points}
	t.observe = func() error { return observe(t.elapsed()) }
	return t
}

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
		{"converged between points", 4, algorithms.Converged, []int64{1, 3}, 4},
		{"diverged at the last step", 10, algorithms.Diverged, []int64{1, 5}, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &script{end: test.end, status: algorithms.Status{State: test.state, Reason: "why"}}
			var seen []int64
			status, err := scriptedTrial(s, points, func(elapsed) error {
				seen = append(seen, s.Cost().Iterations)
				return nil
			}).loop(context.Background(), new(atomic.Int64))
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
	run := scriptedTrial(s, []int64{100, 1 << 40}, func(elapsed) error { observed++; return nil })
	_, err := run.loop(ctx, new(atomic.Int64))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want context.Canceled", err)
	}
	if s.calls > 1064 {
		t.Errorf("the loop continued for %d steps", s.calls-1000)
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
		_, err := scriptedTrial(s, []int64{5, 10, 15}, func(elapsed) error {
			if n++; n == 2 {
				return bad
			}
			return nil
		}).loop(context.Background(), new(atomic.Int64))
		if err != bad || n != 2 {
			t.Errorf("error is %v after %d observations, want %v after 2", err, n, bad)
		}
	}
}

// The time of observing does not count towards the algorithm's time.
func TestLoopClocksStepsOnly(t *testing.T) {
	t.Parallel()
	// Inside synctest, only sleeping advances the clock.
	synctest.Test(t, func(t *testing.T) {
		s := &script{hook: func(n int64) { time.Sleep(time.Duration(n) * time.Second) }}
		var at []time.Duration
		run := scriptedTrial(s, []int64{1, 2, 5}, func(so elapsed) error {
			time.Sleep(time.Hour)
			at = append(at, so.wall)
			return nil
		})
		_, err := run.loop(context.Background(), new(atomic.Int64))
		if want := []time.Duration{time.Second, 3 * time.Second, 15 * time.Second}; err != nil || !slices.Equal(at, want) {
			t.Errorf("the points were reached at %v, %v, want %v", at, err, want)
		}
		if clock := run.elapsed(); clock.wall != 15*time.Second || clock.cpu >= clock.wall/2 {
			t.Errorf("the clock shows %v, want 15s of wall time and little CPU time", clock)
		}
	})
}

// A trial with afterStep is observed when it returns true, at the points and at the end.
func TestLoopObservesAfterSteps(t *testing.T) {
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
		s := &script{end: test.end, status: algorithms.Status{State: algorithms.Converged}}
		var seen []int64
		var before time.Duration
		run := scriptedTrial(s, []int64{5, 10}, func(clock elapsed) error {
			if clock.wall < before {
				t.Errorf("%s: the time decreases", test.name)
			}
			before = clock.wall
			seen = append(seen, s.steps)
			return nil
		})
		run.afterStep = func(n int64, _ algorithms.Status) bool { return slices.Contains(test.at, n) }
		if _, err := run.loop(context.Background(), new(atomic.Int64)); err != nil || !slices.Equal(seen, test.seen) {
			t.Errorf("%s: observed at %v, %v, want %v", test.name, seen, err, test.seen)
		}
	}
	// An error of observe ends the loop.
	s := new(script)
	run := scriptedTrial(s, []int64{5}, func(elapsed) error { return context.Canceled })
	run.afterStep = func(n int64, _ algorithms.Status) bool { return n == 2 }
	if _, err := run.loop(context.Background(), new(atomic.Int64)); !errors.Is(err, context.Canceled) || s.steps != 2 {
		t.Errorf("error %v after %d steps", err, s.steps)
	}
}

package run

import (
	"context"
	"testing"
	"time"

	"stochopt/algorithms"
)

// limitedTrial returns a trial with a time limit, its script, and the context of its steps.
func limitedTrial(seconds float64) (*trial, *script, context.Context) {
	s := new(script)
	run := &trial{learner: learner{Stepper: s}}
	return run, s, run.bound(context.Background(), seconds)
}

// Only the time inside steps counts. A step that polls its context ends at the limit, and no step
// follows.
func TestLimitedSteps(t *testing.T) {
	t.Parallel()
	run, s, ctx := limitedTrial(1000)
	s.hook = func(int64) { run.clock.spent.cpu += 300 * time.Second }
	for k := range int64(3) {
		if status, n := run.step(k, 100); status.Stop() || n != k+1 || ctx.Err() != nil || run.timedOut {
			t.Fatalf("the limit is reached after %d steps", n)
		}
	}
	polls := 0
	s.hook = func(int64) {
		for ; ctx.Err() == nil; polls++ {
			run.clock.spent.cpu += time.Second
		}
	}
	if run.step(3, 100); polls == 0 || polls > 100 {
		t.Errorf("the last step polled %d times", polls)
	}
	if status, n := run.step(4, 100); status.State != algorithms.Failed || n != 4 || !run.timedOut {
		t.Errorf("a step after the limit: %v, %d steps, over %t", status, n, run.timedOut)
	}
}

// CPU time counts if it is known, so a run on a busy machine may take more wall time than the limit.
func TestLimitOnABusyMachine(t *testing.T) {
	t.Parallel()
	run, _, ctx := limitedTrial(10)
	for _, test := range []struct {
		spent elapsed
		late  bool
	}{
		{elapsed{wall: 99 * time.Second, cpu: 9 * time.Second}, false}, {elapsed{wall: 99 * time.Second, cpu: 10 * time.Second}, true},
		{elapsed{wall: 9 * time.Second}, false}, {elapsed{wall: 10 * time.Second}, true},
	} {
		run.clock.spent = test.spent
		if late := ctx.Err() == context.DeadlineExceeded; late != test.late {
			t.Errorf("%+v: late is %t", test.spent, late)
		}
	}
	if ctx := run.bound(context.Background(), 0); ctx != context.Background() {
		t.Error("without a limit, bound does not return the given context")
	}
}

// Extremely short and long limits take effect, and none ends the context before the first step.
func TestExtremeLimits(t *testing.T) {
	t.Parallel()
	for _, seconds := range []float64{1e-300, 1e-9, 1e9, 9.3e9, 1e300} {
		run, _, ctx := limitedTrial(seconds)
		if run.limit < 1 || ctx.Err() != nil {
			t.Errorf("%v seconds: a limit of %v, %v", seconds, run.limit, ctx.Err())
		}
		run.step(0, 2)
		run.clock.spent.cpu += time.Microsecond
		if status, _ := run.step(1, 2); status.Stop() != (seconds < 1) {
			t.Errorf("%v seconds: a limit of %v, %v spent", seconds, run.limit, run.clock.total())
		}
	}
}

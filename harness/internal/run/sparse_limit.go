package run

import (
	"context"
	"math"
	"sync"
	"time"

	"stochopt/internal/whole"
)

// limitedSteps bounds the CPU time that the steps of a run take together. A step that
// heeds its context ends when the time is up. Steps must be called on one thread.
type limitedSteps struct {
	limit, spent time.Duration // no limit if it is 0
	cancel       context.CancelFunc
	// over: the run has been ended by the limit.
	over bool
	// thread returns the clock of the thread that calls it.
	thread func() (clock func() time.Duration)

	// mu guards what follows, which the timer reads while a step runs.
	mu    sync.Mutex
	timer *time.Timer
	// left is the CPU time that is left to the step that is running, nil between steps.
	left func() time.Duration
}

// bound sets the limit, none if it is 0, and returns the context for the steps.
func (l *limitedSteps) bound(ctx context.Context, seconds float64) context.Context {
	if seconds <= 0 {
		return ctx
	}
	ctx, l.cancel = context.WithCancel(ctx)
	l.limit = max(whole.Seconds(seconds), 1)
	if l.thread == nil {
		l.thread = threadClock
	}
	// It is set in each step.
	l.timer = time.AfterFunc(math.MaxInt64, l.look)
	l.timer.Stop()
	return ctx
}

// look ends the step that is running if its time is up. A thread gets at most as much CPU
// time as the clock shows, so that there is no need to look again before what is left has
// passed by the clock.
func (l *limitedSteps) look() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left == nil {
		return
	}
	if left := l.left(); left > 0 {
		l.timer.Reset(max(left, time.Millisecond))
	} else {
		l.cancel()
	}
}

// step calls a step while there is time left, and reports whether there was.
func (l *limitedSteps) step(do func()) bool {
	if l.limit == 0 {
		do()
		return true
	}
	left := l.limit - l.spent
	if left <= 0 {
		l.over = true
		return false
	}
	clock := l.thread()
	start := clock()
	l.watch(func() time.Duration { return left - (clock() - start) })
	l.timer.Reset(left)
	do()
	l.watch(nil)
	l.timer.Stop()
	l.spent += clock() - start
	return true
}

func (l *limitedSteps) watch(left func() time.Duration) {
	l.mu.Lock()
	l.left = left
	l.mu.Unlock()
}

// end frees what the limit has taken.
func (l *limitedSteps) end() {
	if l.cancel != nil {
		l.timer.Stop()
		l.cancel()
	}
}

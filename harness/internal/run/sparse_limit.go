package run

import (
	"context"
	"math"
	"time"
)

// limitedSteps bounds the time that the steps of a run take together. A step that
// heeds its context ends when the time is up.
type limitedSteps struct {
	limit, spent time.Duration // no limit if it is 0
	timer        *time.Timer
	cancel       context.CancelFunc
	// over: the run has been ended by the limit.
	over bool
}

// bound sets the limit, none if it is 0, and returns the context for the steps.
func (l *limitedSteps) bound(ctx context.Context, seconds float64) context.Context {
	if seconds <= 0 {
		return ctx
	}
	ctx, l.cancel = context.WithCancel(ctx)
	l.limit = math.MaxInt64
	if d := seconds * float64(time.Second); d < math.MaxInt64 {
		l.limit = max(time.Duration(d), 1)
	}
	// It is set in each step.
	l.timer = time.AfterFunc(math.MaxInt64, l.cancel)
	l.timer.Stop()
	return ctx
}

// step calls a step while there is time left, and reports whether there was.
func (l *limitedSteps) step(do func()) bool {
	if l.limit == 0 {
		do()
		return true
	}
	if l.spent >= l.limit {
		l.over = true
		return false
	}
	start := time.Now()
	l.timer.Reset(l.limit - l.spent)
	do()
	l.timer.Stop()
	l.spent += time.Since(start)
	return true
}

// end frees what the limit has taken.
func (l *limitedSteps) end() {
	if l.cancel != nil {
		l.timer.Stop()
		l.cancel()
	}
}

package run

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// The time of steps counts, that between them does not, and a step that heeds its
// context ends when the time is up.
func TestLimitedSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l limitedSteps
		ctx := l.bound(context.Background(), 10)
		defer l.end()
		for k := range 3 {
			if !l.step(func() { time.Sleep(3 * time.Second) }) || ctx.Err() != nil {
				t.Fatalf("the time is up after %d steps", k)
			}
			time.Sleep(time.Hour)
		}
		start := time.Now()
		if !l.step(func() { <-ctx.Done() }) || time.Since(start) != time.Second {
			t.Errorf("the last step took %v", time.Since(start))
		}
		if l.over {
			t.Error("over, though nothing was refused")
		}
		if l.step(func() { t.Error("a step after the time was up") }) || !l.over {
			t.Error("the time is not up")
		}
	})
}

func TestStepsWithoutLimit(t *testing.T) {
	t.Parallel()
	var l limitedSteps
	ctx := context.Background()
	if l.bound(ctx, 0) != ctx {
		t.Error("another context")
	}
	done := false
	if !l.step(func() { done = true }) || !done || l.over {
		t.Error("no step")
	}
	l.end()
}

// However short or long a limit is, it is one, and it ends no context before the
// first step.
func TestExtremeLimits(t *testing.T) {
	t.Parallel()
	for _, seconds := range []float64{1e-300, 1e-9, 1e9, 9.3e9, 1e300} {
		var l limitedSteps
		ctx := l.bound(context.Background(), seconds)
		if l.limit < 1 || ctx.Err() != nil {
			t.Errorf("%v seconds: a limit of %v, %v", seconds, l.limit, ctx.Err())
		}
		if done := l.step(func() { time.Sleep(time.Microsecond) }); !done || l.step(func() {}) != (seconds > 1) {
			t.Errorf("%v seconds: %+v", seconds, l)
		}
		l.end()
	}
}

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
	synctest.Test(t, func(t *testing.T) {
		var l limitedSteps
		ctx := l.bound(context.Background(), 10*time.Second)
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

package run

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// wall is a clock by which a thread is never without a processor.
func wall() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// The time of steps counts, that between them does not, and a step that heeds its
// context ends when the time is up.
func TestLimitedSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limitedSteps{thread: wall}
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

// A step that gets a tenth of a processor has ten times as long by the clock.
func TestLimitOnABusyMachine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := limitedSteps{thread: func() func() time.Duration {
			clock := wall()
			return func() time.Duration { return clock() / 10 }
		}}
		ctx := l.bound(context.Background(), 10)
		defer l.end()
		start := time.Now()
		if !l.step(func() { <-ctx.Done() }) {
			t.Error("no step")
		}
		if d := time.Since(start); d < 100*time.Second || d > 101*time.Second {
			t.Errorf("the step took %v", d)
		}
		if l.step(func() { t.Error("a step after the time was up") }) || !l.over {
			t.Error("the time is not up")
		}
	})
}

// The clock of a thread is read from others, goes while the thread works, and does not
// while it waits.
func TestThreadClock(t *testing.T) {
	t.Parallel()
	if threadTime() == 0 {
		t.Skip("the CPU time of threads is not known here")
	}
	clocks, done := make(chan func() time.Duration), make(chan bool)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		clocks <- threadClock()
		<-done
		for start := threadTime(); threadTime()-start < 5*time.Millisecond; {
		}
		done <- true
		<-done
	}()
	clock := <-clocks
	before := clock()
	time.Sleep(20 * time.Millisecond)
	if waited := clock() - before; waited > 10*time.Millisecond {
		t.Errorf("%v while it waited for 20 ms", waited)
	}
	done <- true
	<-done
	if worked := clock() - before; worked < 5*time.Millisecond {
		t.Errorf("%v while it worked for 5 ms", worked)
	}
	done <- true
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
			t.Errorf("%v seconds: a limit of %v, %v spent", seconds, l.limit, l.spent)
		}
		l.end()
	}
}

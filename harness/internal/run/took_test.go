package run

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"stochopt/internal/record"
)

// A step that waits takes time by the clock, and next to none of the processor's.
func TestWaitingIsNoProcessorsTime(t *testing.T) {
	s := &script{hook: func(int64) { time.Sleep(30 * time.Millisecond) }}
	var timing record.Timing
	run := scriptedTrial(s, []int64{1, 3}, func(so took) error {
		so.into(&timing)
		return nil
	})
	_, err := run.loop(context.Background(), new(atomic.Int64))
	if err != nil || len(timing.Seconds) != 2 || timing.Seconds[1] < 0.09 {
		t.Fatalf("by the clock %v, %v", timing.Seconds, err)
	}
	if clock := run.took(); clock.cpu >= clock.wall/2 {
		t.Errorf("%v of the processor's time in %v, spent asleep", clock.cpu, clock.wall)
	}
}

func TestWorkIsProcessorsTime(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not measured here")
	}
	sum := 0.0
	s := &script{hook: func(int64) {
		for i := range 3_000_000 {
			sum += float64(i)
		}
	}}
	run := scriptedTrial(s, []int64{3}, func(took) error { return nil })
	_, err := run.loop(context.Background(), new(atomic.Int64))
	clock := run.took()
	if err != nil || clock.cpu < time.Millisecond || clock.cpu > clock.wall+time.Millisecond {
		t.Errorf("%v of the processor's time in %v, %v, at work (%v)", clock.cpu, clock.wall, err, sum)
	}
}

package run

import (
	"context"
	"runtime"
	"sync/atomic"

	"stochopt/algorithms"
)

// tellEvery is the number of steps after which a loop says how far it is.
const tellEvery = 16

// loop steps s through the points, increasing iteration counts, and calls
// observe at each with what Step has taken so far. Now and then it stores in
// done how many steps it has taken. It returns the status that
// ended the run (Running if all points were reached) and what Step alone has
// taken. Its goroutine stays on one thread. When s stops between two points with a good iterate, observe is called
// once more for it. If s is selective, observe is also called where it says so;
// what it records there may be an earlier iterate.
//
// The error is that of the context or of observe.
func loop(ctx context.Context, s algorithms.Stepper, points []int64, done *atomic.Int64, observe func(clock took) error) (algorithms.Status, took, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var t, observed int64
	var clock took
	choosy, _ := s.(selective)
	batch := batchStepping(s)
	for _, p := range points {
		var status algorithms.Status
		watch := startWatch()
		for t < p {
			if ctx.Err() != nil {
				return algorithms.Status{}, clock.plus(watch.took()), ctx.Err()
			}
			if batch != nil {
				status = batch.StepTo(p)
				t = batch.Cost().Iterations
			} else if status = s.Step(); !status.Stop() {
				t++
			}
			if status.Stop() {
				break
			}
			if t%tellEvery == 0 {
				done.Store(t)
			}
			if choosy != nil && t < p && choosy.due() {
				clock = clock.plus(watch.took())
				if err := observe(clock); err != nil {
					return algorithms.Status{}, clock, err
				}
				watch = startWatch()
			}
		}
		done.Store(t)
		clock = clock.plus(watch.took())
		if status.State == algorithms.Failed && ctx.Err() != nil {
			// A step, or an external solver, that the context has ended.
			return status, clock, ctx.Err()
		}
		if status.Stop() {
			iterations := s.Cost().Iterations
			good := status.State == algorithms.Exhausted || status.State == algorithms.Converged
			if good && iterations > observed || choosy != nil && choosy.waiting() {
				if err := observe(clock); err != nil {
					return status, clock, err
				}
			}
			return status, clock, nil
		}
		if err := observe(clock); err != nil {
			return algorithms.Status{}, clock, err
		}
		observed = t
	}
	return algorithms.Status{}, clock, nil
}

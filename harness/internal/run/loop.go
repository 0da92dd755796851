package run

import (
	"context"
	"time"

	"stochopt/algorithms"
)

// loop steps s through the points, increasing iteration counts, and calls
// observe at each with the time spent in Step so far. It returns the status that
// ended the run (Running if all points were reached) and the time spent in Step
// alone. When s stops between two points with a good iterate, observe is called
// once more for it.
//
// The error is that of the context or of observe.
func loop(ctx context.Context, s algorithms.Stepper, points []int64, observe func(clock time.Duration) error) (algorithms.Status, time.Duration, error) {
	var clock time.Duration
	var t, observed int64
	for _, p := range points {
		var status algorithms.Status
		start := time.Now()
		for t < p {
			if ctx.Err() != nil {
				return algorithms.Status{}, clock, ctx.Err()
			}
			if status = s.Step(); status.Stop() {
				break
			}
			t++
		}
		clock += time.Since(start)
		if status.State == algorithms.Failed && ctx.Err() != nil {
			// An external solver that the context has ended.
			return status, clock, ctx.Err()
		}
		if status.Stop() {
			done := s.Cost().Iterations
			good := status.State == algorithms.Exhausted || status.State == algorithms.Converged
			if good && done > observed {
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

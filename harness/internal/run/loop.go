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
	return loopFrom(ctx, s, points, done, place{}, nil, observe)
}

// place is where a loop is between two steps: how many it has taken, at which of them it
// last observed a point, and what they have taken.
type place struct {
	t, observed int64
	clock       took
}

// keeper keeps a loop on its way.
type keeper interface {
	// due reports whether it is time to.
	due() bool
	// keep is called between two steps, when it is due or, with last, when the context
	// has ended.
	keep(at place, last bool)
}

// loopFrom is loop for a stepper that has come to a place before, at which all points up to
// it have been observed. A keeper, if there is one, may keep the stepper between its steps.
func loopFrom(ctx context.Context, s algorithms.Stepper, points []int64, done *atomic.Int64, from place, k keeper, observe func(clock took) error) (algorithms.Status, took, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t, observed, clock := from.t, from.observed, from.clock
	choosy, _ := s.(selective)
	leaper := leaping(s)
	keepLast := func() {
		if k != nil && ctx.Err() != nil {
			k.keep(place{t, observed, clock}, true)
		}
	}
	for _, p := range points {
		if p <= observed {
			continue
		}
		var status algorithms.Status
		watch := startWatch()
		for t < p {
			if ctx.Err() != nil {
				clock = clock.plus(watch.took())
				keepLast()
				return algorithms.Status{}, clock, ctx.Err()
			}
			if k != nil && k.due() {
				clock = clock.plus(watch.took())
				k.keep(place{t, observed, clock}, false)
				watch = startWatch()
			}
			if leaper != nil {
				status = leaper.StepTo(p)
				t = leaper.Cost().Iterations
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
					keepLast()
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
			keepLast()
			return algorithms.Status{}, clock, err
		}
		observed = t
	}
	return algorithms.Status{}, clock, nil
}

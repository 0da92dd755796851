package run

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"stochopt/algorithms"
	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/external"
	"stochopt/harness/internal/objective"
	"stochopt/internal/record"
	"stochopt/internal/whole"
)

// learner is an algorithm with its optional methods. A method that the algorithm lacks is nil.
type learner struct {
	algorithms.Stepper
	// stepTo performs iterations up to t in one call. See algorithms.BatchStepper.
	stepTo func(t int64) algorithms.Status
	// refresh computes the iterate that is observed next. See algorithms.Refresher.
	refresh func() algorithms.Status
	// seconds is the time of the steps as reported by a solver in another process.
	seconds func() (wall, cpu float64)
	// approximates reports whether the observed iterate solves an approximation of the problem.
	approximates func() bool
	// value is the objective that a sparse method minimises.
	value func() float64
	// supportBounds bounds the support after the next step. previousTo writes the classifier before
	// the last step. See sparse.BoundedSupport.
	supportBounds func() (least, most int)
	previousTo    func(e *sparse.Expansion)
	// program is the process of an external algorithm.
	program *external.Process
}

// newLearner returns an algorithm with the optional methods it has.
func newLearner(s algorithms.Stepper) learner {
	l := learner{Stepper: s}
	if can, ok := s.(algorithms.BatchStepper); ok {
		l.stepTo = can.StepTo
	}
	if can, ok := s.(algorithms.Refresher); ok {
		l.refresh = can.Refresh
	}
	if can, ok := s.(interface{ Seconds() (wall, cpu float64) }); ok {
		l.seconds = can.Seconds
	}
	if can, ok := s.(interface{ Approximates() bool }); ok {
		l.approximates = can.Approximates
	}
	if can, ok := s.(sparse.Valued); ok {
		l.value = can.Value
	}
	if can, ok := s.(sparse.BoundedSupport); ok {
		l.supportBounds = can.SupportBounds
		if can.KeepsPrevious() {
			l.previousTo = can.PreviousTo
		}
	}
	if can, ok := s.(interface{ External() *external.Process }); ok {
		l.program = can.External()
	}
	return l
}

// trial is a prepared run.
type trial struct {
	learner
	// points are the iterations to record, increasing.
	points []int64
	// observe adds the measurements of the current iterate to the curve and its time to the timing.
	// It returns an objective.NotFiniteError if a measurement is not finite.
	observe func() error
	// afterStep, if not nil, is called after each step with the number t of completed steps. It reports
	// whether to observe between two points.
	afterStep func(t int64, status algorithms.Status) bool
	// finish completes the record after the last step.
	finish func(rec *record.Run)

	clock stopwatch
	// threads is true if steps use several threads: their CPU time is then unknown.
	threads bool
	// limit bounds the CPU time of the steps; 0 means no limit. timedOut is true once it has ended the run.
	limit    time.Duration
	timedOut bool
}

// reportEvery is the number of steps between two updates of the progress counter.
const reportEvery = 16

// loop steps to each point and observes there. It updates done every reportEvery steps. It returns
// the status that ended the run, Running if all points were reached. If the algorithm stops normally
// between two points, loop observes the final iterate too. Errors come from the context or observe.
// The goroutine is locked to its thread, whose CPU time is measured.
func (t *trial) loop(ctx context.Context, done *atomic.Int64) (status algorithms.Status, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var n, observed int64
	for _, point := range t.points {
		for n < point && !status.Stop() {
			if ctx.Err() != nil {
				return status, ctx.Err()
			}
			status, n = t.step(n, point)
			if n%reportEvery == 0 {
				done.Store(n)
			}
			if t.afterStep != nil && t.afterStep(n, status) && n < point && !status.Stop() {
				if err := t.pausedObserve(); err != nil {
					return status, err
				}
			}
		}
		done.Store(n)
		good := status.State == algorithms.Exhausted || status.State == algorithms.Converged
		switch {
		case status.State == algorithms.Failed && ctx.Err() != nil:
			return status, ctx.Err() // the context interrupted the step
		case !status.Stop(), good && t.Cost().Iterations > observed, t.afterStep != nil:
			err = t.pausedObserve()
		}
		if err != nil || status.Stop() {
			return status, err
		}
		observed = n
	}
	return status, nil
}

// step takes one step after n, or all steps up to point, and returns the number of completed steps.
func (t *trial) step(n, point int64) (algorithms.Status, int64) {
	if t.overLimit() {
		t.timedOut = true
		return algorithms.Status{State: algorithms.Failed, Reason: "out of time"}, n
	}
	t.clock.start()
	if t.stepTo != nil {
		status := t.stepTo(point)
		return status, t.Cost().Iterations
	}
	status := t.Step()
	if !status.Stop() {
		n++
	}
	t.timedOut = status.State == algorithms.Failed && t.overLimit()
	return status, n
}

// pausedObserve observes while the clock is stopped.
func (t *trial) pausedObserve() error {
	t.clock.stop()
	if t.refresh != nil {
		switch status := t.refresh(); {
		case status.State == algorithms.Diverged:
			return objective.NotFiniteError(status.Reason)
		case status.Stop():
			return t.program.Failure
		}
	}
	return t.observe()
}

// elapsed returns the time spent in steps so far.
func (t *trial) elapsed() elapsed {
	total := t.clock.total()
	switch {
	case t.seconds != nil:
		wall, cpu := t.seconds()
		return elapsed{whole.Seconds(wall), whole.Seconds(cpu)}
	case t.threads, t.program != nil && t.program.CPU == 0:
		total.cpu = 0 // unknown
	case t.program != nil:
		total.cpu += t.program.CPU
	}
	return total
}

// overLimit reports whether the steps have used up the time limit: CPU time, or wall time if CPU time is
// unknown.
func (t *trial) overLimit() bool {
	if t.limit == 0 {
		return false
	}
	total := t.clock.total()
	if total.cpu == 0 {
		return total.wall >= t.limit
	}
	return total.cpu >= t.limit
}

// limited is a context that also ends at the time limit of its trial. Only the goroutine of the trial
// may use it. It must poll Err: Done does not report the limit.
type limited struct {
	context.Context
	trial *trial
}

// Err implements context.Context.
func (l limited) Err() error {
	if l.trial.overLimit() {
		return context.DeadlineExceeded
	}
	return l.Context.Err()
}

// bound sets a time limit and returns the context for the steps. If seconds is 0, there is no limit.
func (t *trial) bound(ctx context.Context, seconds float64) context.Context {
	if seconds <= 0 {
		return ctx
	}
	t.limit = max(whole.Seconds(seconds), 1)
	return limited{ctx, t}
}

// outcome returns the status and reason to record, given the status that ended the loop.
func (t *trial) outcome(s algorithms.Status) (status, reason string) {
	switch s.State {
	case algorithms.Running:
		return record.StatusFinished, fmt.Sprintf("budget of %d iterations", t.points[len(t.points)-1])
	case algorithms.Diverged:
		return record.StatusDiverged, cmp.Or(s.Reason, "the algorithm gives no reason")
	case algorithms.Failed:
		return record.StatusFailed, cmp.Or(s.Reason, "the algorithm gives no reason")
	}
	return record.StatusFinished, strings.TrimSuffix(s.State.String()+": "+s.Reason, ": ")
}

// elapsed is wall time and the CPU time of the thread, 0 if unknown.
type elapsed struct{ wall, cpu time.Duration }

// addTo adds the time of a recorded point to a timing.
func (t elapsed) addTo(timing *record.Timing) {
	timing.Seconds = append(timing.Seconds, t.wall.Seconds())
	if t.cpu > 0 || len(timing.CPUSeconds) > 0 {
		timing.CPUSeconds = append(timing.CPUSeconds, t.cpu.Seconds())
	}
}

// stopwatch sums the time between starts and stops. While it runs, its goroutine must stay on one
// thread.
type stopwatch struct {
	spent   elapsed
	wall    time.Time
	cpu     time.Duration
	running bool
}

// start starts the watch. It has no effect on a running watch.
func (w *stopwatch) start() {
	if !w.running {
		w.wall, w.cpu, w.running = time.Now(), threadTime(), true
	}
}

// stop stops the watch. It has no effect on a stopped watch.
func (w *stopwatch) stop() { w.spent, w.running = w.total(), false }

// total returns the time measured so far, also while the watch runs.
func (w *stopwatch) total() elapsed {
	if !w.running {
		return w.spent
	}
	return elapsed{w.spent.wall + time.Since(w.wall), w.spent.cpu + threadTime() - w.cpu}
}

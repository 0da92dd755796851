// Package run performs the runs of a plan that are not on record yet, several at a time, and records
// them. It contains the step loop, the clock and the recording; algorithms only step.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"

	"golang.org/x/sync/errgroup"
)

// Progress reports the progress of an execution. Its methods may be called from any goroutine.
type Progress interface {
	// Start is called once, with the number of runs in the plan and the runs that are not on record.
	Start(total int, pending []*plan.Item)
	// Begin is called before each run. The counter holds the iterations completed so far and may be
	// read at any time.
	Begin(it *plan.Item, iterations *atomic.Int64)
	// Done is called after each run.
	Done(it *plan.Item, r record.Run, t record.Timing)
}

// Options configures an execution.
type Options struct {
	// Tool, Job, Node and CPU are stored in the timings: the program, the batch job, the machine and
	// its processor model. Empty ones are left out.
	Tool, Job, Node, CPU string
	// Workers is the number of concurrent runs, at least 1. A plan with record.alone uses 1.
	Workers int
	// Memory bounds the memory that grows with data and parameters, in bytes; 0 means defaultMemory.
	// Data is the part of it that the datasets occupy.
	Memory, Data int64
	// Part restricts execution to some of the plan's items.
	Part Part
	// External allows the programs of external algorithms to be started.
	External bool
	Progress Progress
	// Warn, if set, receives warnings that no record contains. Any goroutine may call it.
	Warn func(text string)
	// Note, if set, receives messages about long computations. Any goroutine may call it.
	Note func(text string)
}

// defaultMemory is used where Options.Memory is 0, in bytes.
const defaultMemory = 1 << 30

// Summary counts the runs of an execution.
type Summary struct {
	// Planned is the number of runs in Options.Part. Reused of them were on record.
	Planned, Reused int
	// Counts counts the runs performed, by status.
	record.Counts
}

// Recorded looks up recorded runs. A record.Store implements it.
type Recorded interface {
	Lookup(key, extent string) (record.Run, bool)
}

// Pending returns the items that are not on record, in the order of execution, and the number of items in
// opt.Part. Items that share their preparation are adjacent. With record.alone, such a group is sorted by
// repeat, so that its settings are timed in turn.
func Pending(p *plan.Plan, recorded Recorded, opt Options) (pending []*plan.Item, planned int) {
	items := opt.Part.Of(p)
	missing := slices.DeleteFunc(slices.Clone(items), func(it *plan.Item) bool {
		r, ok := recorded.Lookup(it.ID.Key, it.ID.Extent)
		return ok && r.Satisfies(it.Limits())
	})
	for _, group := range groupShared(missing) {
		if p.Spec.Record.Alone {
			slices.SortStableFunc(group, func(a, b *plan.Item) int { return cmp.Compare(a.Repeat, b.Repeat) })
		}
		pending = append(pending, group...)
	}
	return pending, len(items)
}

// Execute performs the pending runs of the plan and adds them to the store. When the context ends,
// it stops the runs in progress and returns the context's error. The store then contains every
// finished run and no unfinished one.
func Execute(ctx context.Context, p *plan.Plan, store *record.Store, opt Options) (Summary, error) {
	return execute(ctx, p, store, opt, constructors{registry.NewPCA, registry.NewSVM, registry.NewSparse})
}

func execute(ctx context.Context, p *plan.Plan, store *record.Store, opt Options, with constructors) (Summary, error) {
	pending, planned := Pending(p, store, opt)
	sum := Summary{Planned: planned, Reused: planned - len(pending)}
	if opt.Progress != nil {
		opt.Progress.Start(planned, pending)
	}
	s := newSettings(p, opt, objective.NewReferences(store, opt.Warn))
	if s.Workers < min(opt.Workers, len(pending)) {
		s.Note(fmt.Sprintf("record.alone: one run at a time, not %d, so that times are comparable", opt.Workers))
	}
	if s.plan.Spec.Record.Alone && opt.Part.Shared() && len(pending) > 0 {
		s.Warn("record.alone with shards: times are comparable only if no other shard runs on this machine at the same time")
	}
	s.jobs = min(s.Workers, len(pending))
	x := &execution{settings: s, task: newTask(pending, s, with), store: store, sum: &sum}
	err := x.runAll(ctx, pending)
	return sum, err
}

type execution struct {
	settings settings
	task     task
	store    *record.Store

	mu  sync.Mutex
	sum *Summary
}

// runAll performs the pending runs in order.
func (x *execution) runAll(ctx context.Context, pending []*plan.Item) error {
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(x.settings.Workers)
	for _, it := range pending {
		group.Go(func() error { return x.runOne(running, it) })
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (x *execution) runOne(ctx context.Context, it *plan.Item) error {
	defer x.task.release(it)
	defer x.settings.stopProgram(it)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var done atomic.Int64
	if x.settings.Progress != nil {
		x.settings.Progress.Begin(it, &done)
	}
	rec, timing, err := x.performOrFail(ctx, it, &done)
	if err != nil {
		return err
	}
	if err := x.store.Add(rec, timing); err != nil {
		return err
	}
	x.mu.Lock()
	x.sum.Add(rec.Status)
	x.mu.Unlock()
	if x.settings.Progress != nil {
		x.settings.Progress.Done(it, rec, timing)
	}
	return nil
}

// performOrFail performs a run. It turns errors and panics into a record, so that other runs continue.
func (x *execution) performOrFail(
	ctx context.Context, it *plan.Item, done *atomic.Int64,
) (rec record.Run, timing record.Timing, err error) {
	err = catchPanic(func() (err error) {
		rec, timing, err = x.perform(ctx, it, done)
		return err
	})
	if err == nil {
		if err = rec.Validate(); err == nil {
			return rec, timing, nil
		}
		err = fmt.Errorf("the run's record is invalid: %w", err)
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return rec, timing, err
	}
	rec = Planned(it)
	rec.Status, rec.Reason = record.StatusFailed, err.Error()
	if ended := new(statusError); errors.As(err, &ended) {
		rec.Status = ended.status
	}
	switch rec.Status {
	case record.StatusOutOfMemory:
		rec.Limit = &record.Limit{Memory: it.Limits().Memory}
	case record.StatusOutOfTime:
		rec.Limit = &record.Limit{Seconds: it.Limits().Seconds}
	}
	return rec, record.Timing{Key: it.ID.Key, Extent: it.ID.Extent}, nil
}

// catchPanic calls do and turns a panic into an error with its location. The location omits the
// folder, which differs between builds.
func catchPanic(do func() error) (err error) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		err = fmt.Errorf("panic: %v", p)
		var pcs [64]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
		raised := false
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			inRuntime := strings.HasPrefix(f.Function, "runtime.")
			if raised && !inRuntime {
				err = fmt.Errorf("panic: %v at %s (%s:%d)", p, f.Function, filepath.Base(f.File), f.Line)
				return
			}
			raised = raised || f.Function == "runtime.gopanic"
		}
	}()
	return do()
}

// perform prepares and performs one run and returns its record. It counts the iterations in done.
func (x *execution) perform(
	ctx context.Context, it *plan.Item, done *atomic.Int64,
) (rec record.Run, timing record.Timing, err error) {
	rec = Planned(it)
	timing = record.Timing{
		Key: it.ID.Key, Extent: it.ID.Extent, Tool: x.settings.Tool, Jobs: x.settings.jobs,
		Job: x.settings.Job, Node: x.settings.Node, CPU: x.settings.CPU,
	}
	run, err := x.task.start(ctx, it, &rec, &timing)
	if err != nil {
		return rec, timing, err
	}
	rec.External = run.external()
	start := time.Now()
	status, err := run.loop(ctx, done)
	diverged := errors.As(err, new(objective.NotFiniteError))
	if err != nil && !diverged {
		return rec, timing, err
	}
	timing.StepSeconds = run.elapsed().wall.Seconds()
	run.finish(&rec)
	x.settings.stopProgram(it)
	timing.EvalSeconds = max(time.Since(start).Seconds()-timing.StepSeconds, 0)
	timing.Finished = time.Now().UTC().Format(time.RFC3339)
	switch {
	case diverged:
		rec.Status, rec.Reason = record.StatusDiverged, err.Error()
	case run.timedOut:
		rec.Status, rec.Limit = record.StatusOutOfTime, &record.Limit{Seconds: it.Limit.Seconds}
		rec.Reason = fmt.Sprintf("more than %g s of CPU time (limit)", it.Limit.Seconds)
	default:
		rec.Status, rec.Reason = run.outcome(status)
	}
	return rec, timing, nil
}

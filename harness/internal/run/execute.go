// Package run performs the runs of a plan that are not recorded yet, side by side, and records
// them. The loop, the clock, stopping and recording live here; the algorithms know of none of them.
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

// Progress follows the runs. Any goroutine may call its methods.
type Progress interface {
	// Start is called once, with the number of runs in the plan and those of them that are not on
	// record yet.
	Start(total int, pending []*plan.Item)
	// Begin is called before each run. What it is given counts the iterations of the run, and may
	// be read at any time.
	Begin(it *plan.Item, iterations *atomic.Int64)
	// Done is called after each run.
	Done(it *plan.Item, r record.Run, t record.Timing)
}

// Options says how to execute a plan.
type Options struct {
	// Tool names the program in the timings. Job, Node and CPU say there what job of a batch system
	// made a run, and on which machine with which processors; "" leaves them out.
	Tool, Job, Node, CPU string
	// Workers is the number of runs side by side, at least 1. It is 1 for a plan with record.alone.
	Workers int
	// Memory bounds what grows with the data and the parameters of runs, in bytes, of which Data is
	// that of the data themselves; 0 means defaultMemory.
	Memory, Data int64
	// Part restricts execution to some of the plan's items.
	Part Part
	// External allows the programs of external algorithms to be started.
	External bool
	Progress Progress
	// Warn, if set, is told what a user should know and no record says. Any goroutine may call it.
	Warn func(text string)
	// Note, if set, is called with what runs are waiting for. Any goroutine may call it.
	Note func(text string)
}

// defaultMemory is the bound where Options give none.
const defaultMemory = 1 << 30

// Summary counts what an execution did.
type Summary struct {
	// Planned is the number of runs of Options.Part; Reused of them were on record.
	Planned, Reused int
	// Counts is of the runs performed.
	record.Counts
}

// Recorded knows what is on record; a record.Store does.
type Recorded interface {
	Lookup(key, extent string) (record.Run, bool)
}

// Pending returns the items still to be run, in the order of execution: those that share their
// preparation together, and where runs are timed in rounds, a repeat of each after the other.
func Pending(p *plan.Plan, recorded Recorded, opt Options) (pending []*plan.Item, planned int) {
	for _, it := range opt.Part.Of(p) {
		planned++
		if r, ok := recorded.Lookup(it.ID.Key, it.ID.Extent); ok && r.Serves(it.Limits()) {
			continue
		}
		pending = append(pending, it)
	}
	if len(pending) == 0 {
		return nil, planned
	}
	position := make(map[any]int)
	place := make(map[*plan.Item]int)
	for _, it := range p.Items {
		key := shareKey(it)
		if _, ok := position[key]; !ok {
			position[key] = len(position)
		}
		place[it] = position[key]
	}
	slices.SortStableFunc(pending, func(a, b *plan.Item) int {
		order := cmp.Compare(place[a], place[b])
		if p.Spec.Record.Alone {
			order = cmp.Or(order, cmp.Compare(a.Repeat, b.Repeat))
		}
		return order
	})
	return pending, planned
}

// Execute performs the pending runs of the plan and adds them to the store. When the context ends
// it returns the context's error after the runs in flight have stopped; every finished run is in
// the store by then, and the unfinished are not.
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
		s.Note(fmt.Sprintf("record.alone: one run at a time, not %d, so that times compare", opt.Workers))
	}
	if s.plan.Spec.Record.Alone && opt.Part.Shared() && len(pending) > 0 {
		s.Warn("record.alone, but in parts: times compare only if no other part is done on this machine meanwhile")
	}
	s.jobs = min(s.Workers, len(pending))
	x := &execution{settings: s, task: newTask(pending, s, with), store: store, sum: &sum}
	err := x.all(ctx, pending)
	return sum, err
}

type execution struct {
	settings settings
	task     task
	store    *record.Store

	mu  sync.Mutex
	sum *Summary
}

// all performs the pending runs in their order.
func (x *execution) all(ctx context.Context, pending []*plan.Item) error {
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(x.settings.Workers)
	for _, it := range pending {
		group.Go(func() error { return x.one(running, it) })
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (x *execution) one(ctx context.Context, it *plan.Item) error {
	defer x.task.release(it)
	defer x.settings.externals.end(it)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var done atomic.Int64
	if x.settings.Progress != nil {
		x.settings.Progress.Begin(it, &done)
	}
	rec, timing, err := x.guarded(ctx, it, &done)
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

// guarded performs a run and turns what goes wrong inside it, panics included, into a record, so that
// the others go on.
func (x *execution) guarded(
	ctx context.Context, it *plan.Item, done *atomic.Int64,
) (rec record.Run, timing record.Timing, err error) {
	err = recovered(func() (err error) {
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

// recovered calls do and turns a panic into an error that says where it happened, without folders,
// which differ from one build to another.
func recovered(do func() error) (err error) {
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

// perform does one run from its preparation to its record. It counts the iterations in done.
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
	timing.StepSeconds = run.took().wall.Seconds()
	run.finish(&rec)
	x.settings.externals.end(it)
	timing.EvalSeconds = max(time.Since(start).Seconds()-timing.StepSeconds, 0)
	timing.Finished = time.Now().UTC().Format(time.RFC3339)
	switch {
	case diverged:
		rec.Status, rec.Reason = record.StatusDiverged, err.Error()
	case run.endedByLimit(it, &rec):
	case run.over:
		rec.Status, rec.Limit = record.StatusOutOfTime, &record.Limit{Seconds: it.Limit.Seconds}
		rec.Reason = fmt.Sprintf("more than %g s of CPU time (limit)", it.Limit.Seconds)
	default:
		rec.Status, rec.Reason = run.outcome(status)
	}
	return rec, timing, nil
}

// Package run performs the runs of a plan that are not recorded yet, side by side, and records
// them. The loop, the clock, stopping and recording live here; the algorithms know of none of them.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stochopt/algorithms"
	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"

	"golang.org/x/sync/errgroup"
)

// Progress is told of every run. Its methods may be called by any goroutine.
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
	// Workers is the number of runs side by side, at least 1. A plan whose runs are to be alone has
	// one.
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
	return execute(ctx, p, store, opt, constructors{pca: registry.NewPCA, svm: registry.NewSVM, sparse: registry.NewSparse})
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
	x := &execution{
		settings: s,
		task:     newTask(p, pending, s, with),
		store:    store,
		sum:      &sum,
	}
	if len(pending) == 0 {
		return sum, nil
	}
	return sum, x.all(ctx, pending)
}

type execution struct {
	settings settings
	task     task
	store    *record.Store

	mu  sync.Mutex
	sum *Summary
}

func (x *execution) all(ctx context.Context, pending []*plan.Item) error {
	queue := make(chan *plan.Item, len(pending))
	for _, it := range pending {
		queue <- it
	}
	close(queue)
	group, running := errgroup.WithContext(ctx)
	for range min(x.settings.Workers, len(pending)) {
		group.Go(func() error {
			for it := range queue {
				if err := x.one(running, it); err != nil {
					return err
				}
			}
			return nil
		})
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

// guarded turns what goes wrong inside a run, panics included, into a record, so that the others go
// on.
func (x *execution) guarded(ctx context.Context, it *plan.Item, done *atomic.Int64) (rec record.Run, timing record.Timing, err error) {
	without := func(status, reason string) (record.Run, record.Timing, error) {
		rec := newRecord(it, x.settings)
		rec.Status, rec.Reason = status, reason
		return rec, record.Timing{Key: it.ID.Key, Extent: it.ID.Extent}, nil
	}
	defer func() {
		if p := recover(); p != nil {
			rec, timing, err = without(record.StatusFailed, fmt.Sprintf("panic: %v%s", p, panicSite()))
		}
	}()
	rec, timing, err = x.perform(ctx, it, done)
	var ended *statusError
	switch {
	case errors.As(err, &ended):
		rec, timing, err = without(ended.status, err.Error())
		switch ended.status {
		case record.StatusOutOfMemory:
			rec.Limit = &record.Limit{Memory: it.Limits().Memory}
		case record.StatusOutOfTime:
			rec.Limit = &record.Limit{Seconds: it.Limits().Seconds}
		}
		return rec, timing, err
	case err != nil && ctx.Err() == nil && !errors.Is(err, context.Canceled):
		return without(record.StatusFailed, err.Error())
	case err != nil:
		return rec, timing, err
	}
	if err := rec.Validate(); err != nil {
		return without(record.StatusFailed, "the run's record is invalid: "+err.Error())
	}
	return rec, timing, nil
}

// perform does one run from its preparation to its record. It counts the iterations in done.
func (x *execution) perform(ctx context.Context, it *plan.Item, done *atomic.Int64) (record.Run, record.Timing, error) {
	rec := newRecord(it, x.settings)
	timing := record.Timing{Key: it.ID.Key, Extent: it.ID.Extent, Tool: x.settings.Tool, Jobs: x.settings.jobs,
		Job: x.settings.Job, Node: x.settings.Node, CPU: x.settings.CPU}
	run, err := x.task.start(ctx, it, &rec, &timing)
	if err != nil {
		return rec, timing, err
	}
	points := run.points()
	start := time.Now()
	status, clock, err := loop(ctx, run, points, done, func(clock took) error {
		if err := run.observe(); err != nil {
			return err
		}
		run.took(clock).into(&timing)
		return nil
	})
	timing.StepSeconds = run.took(clock).wall.Seconds()
	diverged := errors.Is(err, errNotFinite)
	if err != nil && !diverged {
		return rec, timing, err
	}
	status = run.finish(status, &rec, &timing)
	x.settings.externals.end(it)
	timing.EvalSeconds = max(time.Since(start).Seconds()-timing.StepSeconds, 0)
	timing.Finished = time.Now().UTC().Format(time.RFC3339)
	switch {
	case diverged:
		rec.Status, rec.Reason = record.StatusDiverged, err.Error()
	case rec.Status == "":
		rec.Status, rec.Reason = outcome(status, points[len(points)-1])
	}
	return rec, timing, nil
}

// outcome translates the status that ended a loop into a record's.
func outcome(s algorithms.Status, budget int64) (status, reason string) {
	switch s.State {
	case algorithms.Running:
		return record.StatusFinished, fmt.Sprintf("budget of %d iterations", budget)
	case algorithms.Diverged:
		return record.StatusDiverged, cmp.Or(s.Reason, "the algorithm gives no reason")
	case algorithms.Failed:
		return record.StatusFailed, cmp.Or(s.Reason, "the algorithm gives no reason")
	}
	return record.StatusFinished, strings.TrimSuffix(s.State.String()+": "+s.Reason, ": ")
}

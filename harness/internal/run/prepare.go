package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"

	"golang.org/x/sync/errgroup"
)

// Prepared counts what Prepare found and did.
type Prepared struct {
	// Missing is the number of runs that are not on record. Certified is the number of optima that
	// were solved for them, which does not count those on file.
	Missing, Certified int
}

// Prepare certifies the optima that the missing runs need, each once, and performs no run.
// Options.Warn reports an optimum that cannot be solved; its runs will end for the same reason.
func Prepare(ctx context.Context, p *plan.Plan, store *record.Store, opt Options) (out Prepared, err error) {
	pending, _ := Pending(p, store, opt)
	out.Missing = len(pending)
	pending = slices.DeleteFunc(pending, func(it *plan.Item) bool { return !wantsOptimum(it) })
	s := newSettings(p, opt, objective.NewReferences(store, opt.Warn))
	task := newTask(p, pending, s, constructors{})
	var said sync.Map
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(s.Workers)
	for _, it := range pending {
		group.Go(func() error {
			defer task.release(it)
			err := prepare(running, task, it)
			if running.Err() != nil {
				return running.Err()
			}
			var skipped *statusError
			if err == nil || errors.As(err, &skipped) {
				return nil // a run that will not be made needs nothing
			}
			text := fmt.Sprintf("dataset %q: %v", it.Problem.Entry.ID, err)
			if _, known := said.LoadOrStore(text, true); !known {
				s.Warn(text)
			}
			return nil
		})
	}
	err = group.Wait()
	out.Certified = s.refs.Added()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out, err
}

// prepare has a task prepare an item, and turns a panic into an error.
func prepare(ctx context.Context, t task, it *plan.Item) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v%s", p, panicSite())
		}
	}()
	return t.prepare(ctx, it)
}

// wantsOptimum reports whether a run depends on a certified optimum or is compared with one.
func wantsOptimum(it *plan.Item) bool {
	a, params := it.Algorithm, it.Params
	switch a.Task {
	case registry.TaskSVM:
		return a.Converts(params) || it.Problem.Spec.Record.UsesReference() && a.Compares(params)
	case registry.TaskSparse:
		return a.DependsOnReference(params)
	case registry.TaskLoss:
		return false
	}
	return true
}

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/internal/record"

	"golang.org/x/sync/errgroup"
)

// Prepared is the result of Prepare.
type Prepared struct {
	// Missing is the number of runs that are not on record. Certified is the number of optima newly
	// solved for them.
	Missing, Certified int
}

// Prepare certifies the optima that the missing runs need, each once. It performs no run. It warns of
// each optimum that cannot be certified; the runs that need it will fail for the same reason.
func Prepare(ctx context.Context, p *plan.Plan, store *record.Store, opt Options) (out Prepared, err error) {
	pending, _ := Pending(p, store, opt)
	out.Missing = len(pending)
	pending = slices.DeleteFunc(pending, func(it *plan.Item) bool { return !needsOptimum(it) })
	s := newSettings(p, opt, objective.NewReferences(store, opt.Warn))
	task := newTask(pending, s, constructors{})
	var reported sync.Map
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(s.Workers)
	for _, it := range pending {
		group.Go(func() error {
			defer task.release(it)
			err := catchPanic(func() error { return task.prepare(running, it) })
			var skipped *statusError
			if running.Err() != nil || err == nil || errors.As(err, &skipped) {
				return running.Err() // a run that will be skipped needs no optimum
			}
			text := fmt.Sprintf("dataset %q: %v", it.Problem.Entry.ID, err)
			if _, known := reported.LoadOrStore(text, true); !known {
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

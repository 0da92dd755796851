package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"stochopt/algorithms"
	"stochopt/harness/internal/external"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// externals are the programs that perform the external algorithms of the runs in flight, an
// *external.Process for each *plan.Item.
type externals struct {
	settings settings
	busy     sync.Map
}

// errNotAllowed is the error of a program that may not be started.
var errNotAllowed = errors.New("the algorithm is external: its program is started only with --external allow")

// env returns what the constructor of an external algorithm is given.
func (x *externals) env(ctx context.Context, it *plan.Item) registry.StartProgram {
	return func() (*external.Process, external.Init, error) {
		seed := x.settings.stream(it, seed.RoleInit).Int64N(1 << 53)
		i := external.Init{Seed: seed, Repeat: it.Repeat, Iterations: it.Budget}
		if !x.settings.External {
			return nil, i, errNotAllowed
		}
		p, err := external.Start(ctx, it.Algorithm.Program, it.Limits(), x.settings.Warn)
		if err == nil {
			x.busy.Store(it, p)
		}
		return p, i, err
	}
}

// end ends the program of an item's run, if there is one.
func (x *externals) end(it *plan.Item) {
	if p, ok := x.busy.LoadAndDelete(it); ok {
		p.(*external.Process).Close()
	}
}

// programOf returns the program that performs a learner, nil if none does.
func programOf(learner any) *external.Process {
	if l, ok := learner.(interface{ External() *external.Process }); ok {
		return l.External()
	}
	return nil
}

// externalOf is what the record says of the program of a learner, nil if it has none.
func externalOf(learner any) *record.External {
	p := programOf(learner)
	if p == nil {
		return nil
	}
	declared := slices.Sorted(slices.Values(p.Hello.Counters))
	return &record.External{Deterministic: p.Hello.Deterministic, Declared: declared}
}

// withProgram adds the CPU time of the program of a learner, if it has one.
func (t took) withProgram(learner any) took {
	if p := programOf(learner); p != nil && p.CPU == 0 {
		t.cpu = 0 // of the program it is unknown
	} else if p != nil {
		t.cpu += p.CPU
	}
	return t
}

// costsOf names the costs of a task that are known of a learner: the program of an external one
// says which, and of others counts does, where it is not nil.
func costsOf(task string, learner any, counts func(name string) bool) []string {
	if p := programOf(learner); p != nil {
		counts = func(name string) bool { return slices.Contains(p.Counted, name) }
	}
	return slices.DeleteFunc(observe.TaskCosts(task), func(name string) bool { return counts != nil && !counts(name) })
}

// batchStepping returns a stepper as one that takes several steps at once, nil if it does not.
func batchStepping(s algorithms.Stepper) algorithms.BatchStepper {
	if l, ok := s.(interface {
		batchStepper() algorithms.BatchStepper
	}); ok {
		return l.batchStepper()
	}
	return nil
}

// batchStepperOf returns the learner of a trial as a BatchStepper, nil if it is not one.
func batchStepperOf(learner any) algorithms.BatchStepper {
	l, _ := learner.(algorithms.BatchStepper)
	return l
}

// refresh makes the current iterate of a Refresher the one observed.
func refresh(learner any) error {
	s, ok := learner.(algorithms.Refresher)
	if !ok || !s.Refresh().Stop() {
		return nil
	}
	failure := programOf(learner).Failure
	if failure.Status == record.StatusDiverged {
		return fmt.Errorf("%s: %w", failure.Reason, errNotFinite)
	}
	return &statusError{failure.Status, failure}
}

// endedByLimit says in the record that the program of a learner exceeded the item's limit, if it did.
func endedByLimit(learner any, it *plan.Item, rec *record.Run) {
	p := programOf(learner)
	if p == nil || p.Failure == nil {
		return
	}
	limits := it.Limits()
	switch p.Failure.Status {
	case record.StatusOutOfTime:
		limits.Memory = 0
	case record.StatusOutOfMemory:
		limits.Seconds = 0
	default:
		return
	}
	rec.Status, rec.Reason, rec.Limit = p.Failure.Status, p.Failure.Reason, &limits
}

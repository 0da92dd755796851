package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"stochopt/algorithms"
	"stochopt/harness/internal/external"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// externals are the programs that perform external algorithms: those of the runs in flight, and
// those that wait for the next.
type externals struct {
	settings settings

	mu   sync.Mutex
	busy map[*plan.Item]*external.Process
	idle map[*external.Program][]*external.Process
}

func newExternals(s settings) *externals {
	return &externals{
		settings: s,
		busy:     make(map[*plan.Item]*external.Process),
		idle:     make(map[*external.Program][]*external.Process),
	}
}

// errNotAllowed is the error of a program that may not be started.
var errNotAllowed = errors.New("it is an external algorithm, whose program is started with --external allow only")

// env is what the constructor of an external algorithm is given.
func (x *externals) env(ctx context.Context, it *plan.Item) registry.ExternalRun {
	if it.Algorithm.Program == nil {
		return registry.ExternalRun{}
	}
	rng := x.settings.stream(it, seed.RoleInit)
	return registry.ExternalRun{
		Context: ctx, Seed: rng.Int64N(1 << 53), Repeat: it.Repeat, Budget: it.Budget,
		Start: func() (*external.Process, error) { return x.start(ctx, it) },
	}
}

// start returns a program for an item's run: one that waits, or a new one.
func (x *externals) start(ctx context.Context, it *plan.Item) (*external.Process, error) {
	if !x.settings.External {
		return nil, errNotAllowed
	}
	p := x.waiting(it.Algorithm.Program)
	if p == nil {
		var err error
		if p, err = external.Start(ctx, it.Algorithm.Program, external.Settings{
			Seconds: it.Limit.Seconds, Memory: int64(it.Limit.Memory), Warn: x.settings.Warn,
		}); err != nil {
			return nil, err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.busy[it] = p
	return p, nil
}

// waiting takes a program that waits, nil if there is none.
func (x *externals) waiting(of *external.Program) *external.Process {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := x.idle[of]
	if len(list) == 0 {
		return nil
	}
	x.idle[of] = list[:len(list)-1]
	return list[len(list)-1]
}

// end ends the program of an item's run, if there is one, unless it serves many runs and is sound.
func (x *externals) end(it *plan.Item) {
	x.mu.Lock()
	p := x.busy[it]
	delete(x.busy, it)
	x.mu.Unlock()
	if p == nil {
		return
	}
	if !p.Hello.Many || it.Limit != (it.Within(record.Limit{})).Limit || p.Reset(context.Background()) != nil {
		p.Close()
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.idle[it.Algorithm.Program] = append(x.idle[it.Algorithm.Program], p)
}

// close ends those that wait.
func (x *externals) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, list := range x.idle {
		for _, p := range list {
			p.Close()
		}
	}
	clear(x.idle)
}

// CheckPrograms starts the programs of items once, and reports the parameters that they do not
// take. A program that does not even say hello is no mistake of the spec: its runs fail.
func CheckPrograms(ctx context.Context, items []*plan.Item, warn func(text string)) error {
	var errs []error
	for _, program := range plan.Programs(items) {
		p, err := external.Start(ctx, program, external.Settings{Warn: warn})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			continue
		}
		said := make(map[string]bool)
		for _, it := range items {
			if it.Algorithm.Program != program {
				continue
			}
			if err := it.CheckProgram(&p.Hello); err != nil && !said[err.Error()] {
				said[err.Error()] = true
				errs = append(errs, err)
			}
		}
		p.Close()
	}
	return errors.Join(errs...)
}

// performed is a learner that another program performs.
type performed interface {
	// Counts reports whether a cost is known, Declared which costs only the program knows of.
	Counts(cost string) bool
	Declared() []string
	Deterministic() bool
	// CPU is what the program has had of the processors for its steps, 0 if that is not known.
	CPU() time.Duration
	// Failure is why the program cannot go on, nil if it can.
	Failure() *external.Error
}

// externalOf is what the record says of a learner that another program performs, nil of others.
func externalOf(learner any) *record.External {
	l, ok := learner.(performed)
	if !ok {
		return nil
	}
	return &record.External{Deterministic: l.Deterministic(), Declared: slices.Sorted(slices.Values(l.Declared()))}
}

// withProgram adds what the program of a learner has had of the processors, if one performs it.
func (t took) withProgram(learner any) took {
	l, ok := learner.(performed)
	switch {
	case !ok:
		return t
	case l.CPU() == 0:
		return took{wall: t.wall}
	}
	return took{t.wall, t.cpu + l.CPU()}
}

// costsOf names the costs of a task that are known of a learner: the program of an external one
// tells, and of others counts does, where it is not nil.
func costsOf(task string, learner any, counts func(name string) bool) []string {
	if l, ok := learner.(performed); ok {
		counts = l.Counts
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
	if !ok {
		return nil
	}
	switch status := s.Refresh(); status.State {
	case algorithms.Running:
		return nil
	case algorithms.Diverged:
		return &notFinite{status.Reason}
	default:
		return failure(learner, status)
	}
}

// notFinite is an error that is errNotFinite and says so in words of its own.
type notFinite struct{ reason string }

func (e *notFinite) Error() string { return e.reason }

func (e *notFinite) Unwrap() error { return errNotFinite }

// failure is why a learner has shown nothing.
func failure(learner any, status algorithms.Status) error {
	if l, ok := learner.(performed); ok && l.Failure() != nil {
		switch why := l.Failure(); {
		case why.OutOfMemory:
			return &statusError{record.StatusOutOfMemory, why}
		case why.OutOfTime:
			return &statusError{record.StatusOutOfTime, why}
		}
	}
	return fmt.Errorf("%s", status.Reason)
}

// endedByLimit reports whether the program of a learner took more than the item's limit allows, and
// then says so in the record.
func endedByLimit(learner any, it *plan.Item, rec *record.Run) bool {
	l, ok := learner.(performed)
	if !ok || l.Failure() == nil {
		return false
	}
	limits := it.Limits()
	switch why := l.Failure(); {
	case why.OutOfTime:
		rec.Status, rec.Reason, rec.Limit = record.StatusOutOfTime, why.Reason, &record.Limit{Seconds: limits.Seconds}
	case why.OutOfMemory:
		rec.Status, rec.Reason, rec.Limit = record.StatusOutOfMemory, why.Reason, &record.Limit{Memory: limits.Memory}
	default:
		return false
	}
	return true
}

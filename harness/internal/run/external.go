package run

import (
	"context"
	"errors"
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

// external returns what the record says of an external algorithm, nil for others.
func (l learner) external() *record.External {
	if l.program == nil {
		return nil
	}
	return &record.External{
		Deterministic: l.program.Deterministic(), Declared: slices.Sorted(slices.Values(l.program.Declared())),
	}
}

// costs returns the costs of a task that are known: the program of an external algorithm says so, and
// for others counts does if it is not nil.
func (l learner) costs(task string, counts func(name string) bool) []string {
	if l.program != nil {
		counts = l.program.Counts
	}
	return slices.DeleteFunc(observe.TaskCosts(task), func(name string) bool { return counts != nil && !counts(name) })
}

// failure returns the error of an iterate that could not be computed.
func (l learner) failure(status algorithms.Status) error {
	if l.program != nil && l.program.Failure() != nil {
		switch why := l.program.Failure(); {
		case why.OutOfMemory:
			return &statusError{record.StatusOutOfMemory, why}
		case why.OutOfTime:
			return &statusError{record.StatusOutOfTime, why}
		}
	}
	return errors.New(status.Reason)
}

// endedByLimit reports whether the program of the algorithm exceeded the limit of the item, and
// records it.
func (l learner) endedByLimit(it *plan.Item, rec *record.Run) bool {
	if l.program == nil || l.program.Failure() == nil {
		return false
	}
	limits := it.Limits()
	switch why := l.program.Failure(); {
	case why.OutOfTime:
		rec.Status, rec.Reason, rec.Limit = record.StatusOutOfTime, why.Reason, &record.Limit{Seconds: limits.Seconds}
	case why.OutOfMemory:
		rec.Status, rec.Reason, rec.Limit = record.StatusOutOfMemory, why.Reason, &record.Limit{Memory: limits.Memory}
	default:
		return false
	}
	return true
}

package run

import (
	"context"
	"errors"
	"slices"
	"sync"

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

// external returns what the record says of the program of an algorithm, nil if it has none.
func (l learner) external() *record.External {
	if l.program == nil {
		return nil
	}
	hello := l.program.Hello
	return &record.External{Deterministic: hello.Deterministic, Declared: slices.Sorted(slices.Values(hello.Counters))}
}

// costs returns the costs of a task that are known: the program of an external algorithm says which,
// and for others counts does if it is not nil.
func (l learner) costs(task string, counts func(name string) bool) []string {
	if l.program != nil {
		counts = func(name string) bool { return slices.Contains(l.program.Counted, name) }
	}
	return slices.DeleteFunc(observe.TaskCosts(task), func(name string) bool { return counts != nil && !counts(name) })
}

// endedByLimit reports whether the program of the algorithm exceeded the limit of the item, and
// records it.
func (l learner) endedByLimit(it *plan.Item, rec *record.Run) bool {
	if l.program == nil || l.program.Failure == nil {
		return false
	}
	limits := it.Limits()
	switch l.program.Failure.Status {
	case record.StatusOutOfTime:
		limits.Memory = 0
	case record.StatusOutOfMemory:
		limits.Seconds = 0
	default:
		return false
	}
	rec.Status, rec.Reason, rec.Limit = l.program.Failure.Status, l.program.Failure.Reason, &limits
	return true
}

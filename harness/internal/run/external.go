package run

import (
	"context"
	"errors"
	"slices"

	"stochopt/harness/internal/external"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// errNotAllowed is returned for an external algorithm without permission to start its program.
var errNotAllowed = errors.New("the algorithm is external: its program is started only with --external allow")

// startProgram returns the function with which the constructor of an external algorithm starts its program.
func (s settings) startProgram(ctx context.Context, it *plan.Item) registry.StartProgram {
	return func() (*external.Process, external.Init, error) {
		seed := s.stream(it, seed.RoleInit).Int64N(1 << 53)
		init := external.Init{Seed: seed, Repeat: it.Repeat, Iterations: it.Budget}
		if !s.External {
			return nil, init, errNotAllowed
		}
		p, err := external.Start(ctx, it.Algorithm.Program, s.Warn)
		if err == nil {
			s.programs.Store(it, p)
		}
		return p, init, err
	}
}

// stopProgram stops the program of an item's run, if there is one.
func (s settings) stopProgram(it *plan.Item) {
	if p, ok := s.programs.LoadAndDelete(it); ok {
		p.(*external.Process).Close()
	}
}

// external describes the algorithm's program for the record; nil if there is no program.
func (l learner) external() *record.External {
	if l.program == nil {
		return nil
	}
	hello := l.program.Hello
	return &record.External{Deterministic: hello.Deterministic, Declared: slices.Sorted(slices.Values(hello.Counters))}
}

// costs returns the cost counters of a task that are known for this algorithm. An external program
// declares them. For other algorithms, counts selects them; nil selects all.
func (l learner) costs(task string, counts func(name string) bool) []string {
	if l.program != nil {
		counts = func(name string) bool { return slices.Contains(l.program.Counted, name) }
	}
	return slices.DeleteFunc(observe.TaskCosts(task), func(name string) bool { return counts != nil && !counts(name) })
}

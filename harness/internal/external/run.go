package external

import (
	"context"
	"errors"
	"slices"
	"time"

	"stochopt/algorithms"
)

// run is what learners of all tasks have in common: a program and how far it is.
type run struct {
	ctx     context.Context
	process *Process
	cost    algorithms.Cost
	// counted names the costs that are known, declared those of them that only the program
	// knows of.
	counted, declared []string
	// cpu is what the steps have had of the processors.
	cpu time.Duration
	err *Error
}

// newRun returns a run that has been begun.
// The costs named are counted here.
func newRun(ctx context.Context, p *Process, i Init, counted ...string) (run, error) {
	r := run{ctx: ctx, process: p, counted: append(counted, costIterations)}
	for _, name := range p.Hello.Counters {
		if slices.Contains(counted, name) {
			return r, p.fail("hello: it declares the cost %s, which is counted here", name)
		}
		if counter(&r.cost, name) == nil {
			return r, p.fail("hello: it declares the cost %q, and there is none of that name", name)
		}
		r.counted, r.declared = append(r.counted, name), append(r.declared, name)
	}
	return r, p.Init(ctx, i)
}

// costIterations names the cost that is always known.
const costIterations = "iterations"

// counter is the cost of a name that a program may declare, nil if there is none.
func counter(c *algorithms.Cost, name string) *int64 {
	return map[string]*int64{
		"kernel_evals": &c.KernelEvals, "kernel_evals_moved": &c.KernelEvalsMoved, "inner_products": &c.InnerProducts,
		"sum_kt": &c.SumKT, "sum_kt2": &c.SumKT2,
	}[name]
}

// Cost implements algorithms.Stepper.
func (r *run) Cost() algorithms.Cost { return r.cost }

// Counts reports whether a cost of the run is known.
func (r *run) Counts(name string) bool { return slices.Contains(r.counted, name) }

// Declared names the costs that the program declares and nobody has counted.
func (r *run) Declared() []string { return r.declared }

// Deterministic reports whether the program says that it is.
func (r *run) Deterministic() bool { return r.process.Hello.Deterministic }

// CPU returns what the steps of the program have had of the processors, without other
// processes that it has started; 0 where that is not known.
func (r *run) CPU() time.Duration { return r.cpu }

// Failure returns why the program could not go on, nil if it can.
func (r *run) Failure() *Error { return r.err }

// broke takes in an error, and returns it as a status.
func (r *run) broke(err error) algorithms.Status {
	known, ok := errors.AsType[*Error](err)
	if !ok {
		known = &Error{Reason: err.Error()}
	}
	r.err = known
	if known.Diverged {
		return algorithms.Status{State: algorithms.Diverged, Reason: known.Error()}
	}
	return algorithms.Status{State: algorithms.Failed, Reason: known.Error()}
}

// advance has the program go on to an iteration, and takes in what it says of its costs.
func (r *run) advance(a Advance, serve func(rows []int64) (Array, error)) algorithms.Status {
	before, cpu := r.cost, r.process.CPU()
	done, err := r.process.Advance(r.ctx, a, serve)
	r.cpu += max(r.process.CPU()-cpu, 0) // of a program that has ended it is not known
	if err == nil {
		err = r.takeCosts(done)
	}
	if err != nil {
		return r.broke(err)
	}
	if done.To < before.Iterations {
		return r.broke(r.process.fail("it has advanced to iteration %d after %d", done.To, before.Iterations))
	}
	r.cost.Iterations = done.To
	switch done.Status {
	case "converged":
		return algorithms.Status{State: algorithms.Converged, Reason: done.Reason}
	case "diverged":
		return algorithms.Status{State: algorithms.Diverged, Reason: done.Reason}
	}
	return algorithms.Status{}
}

// takeCosts takes in the counters that a program declares.
func (r *run) takeCosts(done *Advanced) error {
	for name, n := range done.Cost {
		c := counter(&r.cost, name)
		switch {
		case c == nil || !slices.Contains(r.declared, name):
			return r.process.fail("it tells of the cost %q, which its hello does not name among its counters", name)
		case n < *c:
			return r.process.fail("the cost %s is %d after %d; it is cumulative", name, n, *c)
		}
		*c = n
	}
	return nil
}

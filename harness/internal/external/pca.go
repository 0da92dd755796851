package external

import (
	"context"
	"errors"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// sampleBytes bounds a block of samples, so that it stays in a processor's cache from the one
// who writes it to the other who reads it.
const sampleBytes = 1 << 20

// run is what learners of all tasks have in common: a program and how far it is.
type run struct {
	ctx     context.Context
	process *Process
	cost    algorithms.Cost
	// counted names the costs that are known, declared those of them that only the program
	// knows of.
	counted, declared []string
	err               *Error
}

// newRun returns a run that has been begun.
func newRun(ctx context.Context, p *Process, i Init) (run, error) {
	r := run{ctx: ctx, process: p, counted: []string{CostIterations}}
	for _, name := range p.Hello.Counters {
		if counter(&r.cost, name) == nil {
			return r, p.fail("hello: it declares the cost %q, which there is none of that name", name)
		}
		r.counted, r.declared = append(r.counted, name), append(r.declared, name)
	}
	return r, p.Init(ctx, i)
}

// CostIterations names the cost that is always known.
const CostIterations = "iterations"

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
func (r *run) advance(a Advance, serve func(rows []int64) (Array, error)) (algorithms.Status, *Advanced) {
	before := r.cost
	done, err := r.process.Advance(r.ctx, a, serve)
	if err == nil {
		err = r.takeCosts(done)
	}
	if err != nil {
		return r.broke(err), nil
	}
	if done.To < before.Iterations {
		return r.broke(r.process.fail("it has advanced to iteration %d after %d", done.To, before.Iterations)), nil
	}
	r.cost.Iterations = done.To
	switch done.Status {
	case "converged":
		return algorithms.Status{State: algorithms.Converged, Reason: done.Reason}, done
	case "diverged":
		return algorithms.Status{State: algorithms.Diverged, Reason: done.Reason}, done
	}
	return algorithms.Status{}, done
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

// PCA shows a program as an algorithm for streaming principal component analysis. It serves
// the samples, in blocks.
type PCA struct {
	run
	source pca.Source
	d, k   int
	block  []float64
	fixed  bool

	state pca.State
	u     []float64
	sigma []float64
	drift float64
}

var (
	_ pca.Learner       = (*PCA)(nil)
	_ algorithms.Leaper = (*PCA)(nil)
	_ algorithms.Shower = (*PCA)(nil)
)

// NewPCA begins a run of a program that has said hello, for a subspace of k dimensions. The end
// of the context ends each of its steps.
func NewPCA(ctx context.Context, p *Process, i Init, source pca.Source) (*PCA, error) {
	a := &PCA{source: source, d: source.Dim(), k: i.K}
	i.D = a.d
	var err error
	if a.run, err = newRun(ctx, p, i); err != nil {
		return nil, err
	}
	if p.Hello.Rank == "fixed" {
		a.fixed = true
		for _, name := range []string{"sum_kt", "sum_kt2"} {
			if !a.Counts(name) {
				a.counted = append(a.counted, name)
			}
		}
	}
	return a, nil
}

// Dims implements pca.Learner.
func (a *PCA) Dims() (d, k int) { return a.d, a.k }

// Rank implements pca.Learner: that of the iterate shown last.
func (a *PCA) Rank() int { return len(a.state.Sigma) }

// Step implements algorithms.Stepper.
func (a *PCA) Step() algorithms.Status { return a.StepTo(a.cost.Iterations + 1) }

// StepTo implements algorithms.Leaper.
func (a *PCA) StepTo(t int64) algorithms.Status {
	for a.cost.Iterations < t {
		to := min(t, a.cost.Iterations+int64(max(sampleBytes/8/a.d, 1)))
		advance := Advance{To: to}
		exhausted := false
		if a.process.Hello.Serves(ServeSamples) {
			n := a.draw(int(to - a.cost.Iterations))
			exhausted = int64(n) < to-a.cost.Iterations
			advance.To = a.cost.Iterations + int64(n)
			if n == 0 {
				return algorithms.Status{State: algorithms.Exhausted}
			}
			samples, err := writeArray(&a.process.files, "samples", []int{n, a.d}, a.block)
			if err != nil {
				return a.broke(err)
			}
			advance.Samples = &samples
		}
		before := a.cost.Iterations
		status, _ := a.advance(advance, nil)
		a.countRank(a.cost.Iterations - before)
		if status.Stop() {
			return status
		}
		if exhausted {
			return algorithms.Status{State: algorithms.Exhausted}
		}
	}
	return algorithms.Status{}
}

// draw fills the block with at most so many samples, and returns how many there are.
func (a *PCA) draw(most int) (n int) {
	a.block = a.block[:0]
	for ; n < most; n++ {
		x, ok := a.source.Next()
		if !ok {
			break
		}
		a.block = append(a.block, x...)
	}
	return n
}

// countRank counts the ranks of so many iterates of rank k, unless the program does.
func (a *PCA) countRank(steps int64) {
	if !a.fixed {
		return
	}
	k := int64(a.k)
	if !slices.Contains(a.declared, "sum_kt") {
		a.cost.SumKT += steps * k
	}
	if !slices.Contains(a.declared, "sum_kt2") {
		a.cost.SumKT2 += steps * k * k
	}
}

// Show implements algorithms.Shower.
func (a *PCA) Show() algorithms.Status {
	s, err := a.process.State(a.ctx)
	if err == nil {
		err = a.take(s)
	}
	if err != nil {
		return a.broke(err)
	}
	return algorithms.Status{}
}

// mostDrift is how far a basis may be from orthonormal.
const mostDrift = 1e-5

// take checks a state and keeps it.
func (a *PCA) take(s *State) (err error) {
	u, ok := s.Arrays["U"]
	if !ok {
		return a.process.fail("its state has no array U, the basis")
	}
	if a.u, err = a.process.Array("U", u, a.u, a.d, -1); err != nil {
		return err
	}
	m := u.Shape[1]
	if m > a.d {
		return a.process.fail("U has %d columns of %d features", m, a.d)
	}
	if sigma, ok := s.Arrays["sigma"]; ok {
		if a.sigma, err = a.process.Array("sigma", sigma, a.sigma, m); err != nil {
			return err
		}
	} else {
		a.sigma = slices.Repeat([]float64{1}, m)
	}
	const rounding = 1e-9
	for j, v := range a.sigma {
		if v < -rounding || v > 1+rounding || j > 0 && v > a.sigma[j-1] {
			return a.process.fail("sigma, which is %v at %d, has to decrease, and to be at least 0 and at most 1", v, j)
		}
	}
	if !(s.Bulk >= 0 && s.Bulk <= 1) {
		return a.process.fail("bulk is %v; it has to be at least 0 and at most 1", s.Bulk)
	}
	a.state = pca.State{Sigma: a.sigma, Bulk: s.Bulk}
	if m > 0 {
		a.state.U = mat.NewDense(a.d, m, a.u)
	}
	if a.drift = pca.Orthonormality(a.state.U); a.drift > mostDrift {
		return a.process.fail("the columns of U are not orthonormal: UᵀU is %.2g from I", a.drift)
	}
	return nil
}

// StateTo implements pca.Learner: the state that was last shown.
func (a *PCA) StateTo(dst *pca.State) { dst.CopyFrom(&a.state) }

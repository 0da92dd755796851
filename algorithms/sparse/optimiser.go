package sparse

import (
	"errors"
	"fmt"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// OptimiserConfig configures Optimiser.
type OptimiserConfig struct {
	// Support, if not 0, is the number of expansion vectors at which the run stops. A
	// step that moves a working set of k points may go beyond it by k - 1.
	Support int
}

// Optimiser is an SVM optimiser as a method for sparse SVMs: every step adds the
// points of its working set at most, so that it is sparse if it is stopped early.
// Every iterate is a classifier.
//
// A step is a step of the optimiser, costs what that costs and is charged the
// same. ExpansionTo costs a call of its SolutionTo.
//
// Source: Cotter 2013, section 3.4, for the SBP; section 3.2 for the Perceptron; full
// text read.
type Optimiser struct {
	learner  svm.Sparse
	past     svm.PreviousKeeper // the learner if it keeps the previous classifier, else nil
	p        svm.Problem
	target   int
	work     svm.Solution
	progress // the cost is that of learner
}

var _ Steady = (*Optimiser)(nil)

// NewOptimiser makes l, an optimiser of p, a method for sparse SVMs. It returns an
// error if l is nil, the support negative, or p has other points than those it is
// trained on.
func NewOptimiser(cfg OptimiserConfig, p svm.Problem, l svm.Sparse) (*Optimiser, error) {
	if l == nil {
		return nil, errors.New("sparse: optimiser: no optimiser given")
	}
	if err := checkProblem("optimiser", p, false); err != nil {
		return nil, err
	}
	if cfg.Support < 0 {
		return nil, fmt.Errorf("sparse: optimiser: support = %d; it must be positive, or 0 for no limit", cfg.Support)
	}
	a := &Optimiser{learner: l, p: p, target: cfg.Support}
	if past, ok := l.(svm.PreviousKeeper); ok && past.KeepsPrevious() {
		a.past = past
	}
	return a, nil
}

// Step implements algorithms.Stepper. It reports Converged once the support that
// was asked for is reached.
func (a *Optimiser) Step() algorithms.Status { return a.once(a.step) }

func (a *Optimiser) step() algorithms.Status {
	if s := a.learner.Support(); a.target > 0 && s >= a.target {
		return algorithms.Status{State: algorithms.Converged,
			Reason: fmt.Sprintf("the classifier has %d support vectors, %d were asked for", s, a.target)}
	}
	return a.learner.Step()
}

// Cost implements algorithms.Stepper.
func (a *Optimiser) Cost() algorithms.Cost {
	c := a.learner.Cost()
	c.KernelEvalsMoved = 0
	return c
}

// Support implements Learner.
func (a *Optimiser) Support() int { return a.learner.Support() }

// Settled implements Learner.
func (a *Optimiser) Settled() bool { return true }

// ExpansionTo implements Learner: the training points in ascending order.
func (a *Optimiser) ExpansionTo(e *Expansion) {
	a.learner.SolutionTo(&a.work)
	a.write(e)
}

// Reach implements Steady.
func (a *Optimiser) Reach() (least, most int) { return a.learner.Reach() }

// KeepsPrevious implements Steady.
func (a *Optimiser) KeepsPrevious() bool { return a.past != nil }

// PreviousTo implements Steady.
func (a *Optimiser) PreviousTo(e *Expansion) {
	a.past.PreviousTo(&a.work)
	a.write(e)
}

// write writes the solution in work.
func (a *Optimiser) write(e *Expansion) {
	e.Reset()
	for i, c := range a.work.Alpha {
		if c != 0 {
			e.Add(i, a.p.Label(i)*c)
		}
	}
	e.Bias = a.work.Bias
}

// PostHoc returns a method that approximates a reference.
type PostHoc func(*Reference) (Learner, error)

// Pipeline trains a classifier by an SVM optimiser, for a number of steps, and then
// approximates it by a post-hoc method. It has no expansion vectors while it trains.
//
// A step is one of the optimiser, then of the method, costs what that costs and is
// charged the same.
//
// Source: Cotter 2013, section 3.3.5 ("Putting it Together"), full text read.
type Pipeline struct {
	learner  svm.Learner
	steps    int64
	start    PostHoc
	then     Learner // nil while it trains
	progress         // the cost is that of both
}

var _ Learner = (*Pipeline)(nil)

// NewPipeline returns the pipeline of l, an optimiser of p, for a number of steps or until it
// converges, and of the method that start returns for its classifier. It returns an error if
// l is nil, there are no steps, or p has other points than those it is trained on. An error
// of start ends the run.
func NewPipeline(p svm.Problem, l svm.Learner, steps int64, start PostHoc) (*Pipeline, error) {
	if l == nil || steps < 1 {
		return nil, fmt.Errorf("sparse: pipeline: an optimiser must be given, with at least one step; %d were", steps)
	}
	if err := checkProblem("pipeline", p, false); err != nil {
		return nil, err
	}
	return &Pipeline{learner: l, steps: steps, start: start}, nil
}

// Step implements algorithms.Stepper.
func (a *Pipeline) Step() algorithms.Status { return a.once(a.step) }

func (a *Pipeline) step() algorithms.Status {
	if a.then != nil {
		return a.then.Step()
	}
	status := a.learner.Step()
	if status.State != algorithms.Converged && (status.Stop() || a.learner.Cost().Iterations < a.steps) {
		return status
	}
	var s svm.Solution
	a.learner.SolutionTo(&s)
	then, err := a.start(&Reference{Alpha: s.Alpha, Scores: s.Scores, Bias: s.Bias, NormSq: s.NormSq})
	if err != nil {
		return a.stop(algorithms.Failed, err.Error())
	}
	a.then = then
	return algorithms.Status{}
}

// Cost implements algorithms.Stepper.
func (a *Pipeline) Cost() algorithms.Cost {
	c := a.learner.Cost()
	c.KernelEvalsMoved = 0
	if a.then != nil {
		own := a.then.Cost()
		c.Iterations += own.Iterations
		c.KernelEvals += own.KernelEvals
		c.InnerProducts += own.InnerProducts
	}
	return c
}

// Support implements Learner.
func (a *Pipeline) Support() int {
	if a.then == nil {
		return 0
	}
	return a.then.Support()
}

// Settled implements Learner.
func (a *Pipeline) Settled() bool { return a.then != nil && a.then.Settled() }

// ExpansionTo implements Learner.
func (a *Pipeline) ExpansionTo(e *Expansion) {
	e.Reset()
	if a.then != nil {
		a.then.ExpansionTo(e)
	}
}

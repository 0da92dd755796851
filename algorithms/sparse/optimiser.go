package sparse

import (
	"errors"
	"fmt"

	"stochopt/algorithms"
	"stochopt/algorithms/svm"
)

// OptimiserConfig configures Optimiser.
type OptimiserConfig struct {
	// Support is the number of expansion vectors at which the run stops, or 0 for no limit. A step on k
	// points may exceed it by k - 1.
	Support int
}

// Optimiser adapts an SVM optimiser to a method for sparse SVMs. A step adds at most the points of its
// working set, so the classifier is sparse if the run stops early. Every iterate is a classifier.
//
// A step is a step of the optimiser, with the same cost and charge. ExpansionTo calls SolutionTo.
//
// Source: Cotter 2013, section 3.4, for the SBP; section 3.2 for the Perceptron; full text read.
type Optimiser struct {
	learner  svm.SupportCounter
	previous svm.PreviousKeeper // learner if it keeps the previous classifier, else nil
	p        svm.Problem
	target   int
	work     svm.Solution
	progress // only its status is used; learner counts the cost
}

var _ BoundedSupport = (*Optimiser)(nil)

// NewOptimiser returns an Optimiser for l, an optimiser of p. It returns an error if l is nil, if the
// support is negative, or if the rows of p include evaluation points.
func NewOptimiser(cfg OptimiserConfig, p svm.Problem, l svm.SupportCounter) (*Optimiser, error) {
	if l == nil {
		return nil, errors.New("sparse: optimiser: the optimiser is nil")
	}
	if err := checkProblem("optimiser", p, false); err != nil {
		return nil, err
	}
	if cfg.Support < 0 {
		return nil, fmt.Errorf("sparse: optimiser: support = %d; it must be positive, or 0 for no limit", cfg.Support)
	}
	a := &Optimiser{learner: l, p: p, target: cfg.Support}
	if previous, ok := l.(svm.PreviousKeeper); ok && previous.KeepsPrevious() {
		a.previous = previous
	}
	return a, nil
}

// Step implements algorithms.Stepper. It reports Converged once the classifier has the requested number
// of support vectors.
func (a *Optimiser) Step() algorithms.Status { return a.advance(a.step) }

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

// Final implements Learner.
func (a *Optimiser) Final() bool { return true }

// ExpansionTo implements Learner. Training points are in ascending order.
func (a *Optimiser) ExpansionTo(e *Expansion) {
	a.learner.SolutionTo(&a.work)
	a.write(e)
}

// SupportBounds implements BoundedSupport.
func (a *Optimiser) SupportBounds() (least, most int) { return a.learner.SupportBounds() }

// KeepsPrevious implements BoundedSupport.
func (a *Optimiser) KeepsPrevious() bool { return a.previous != nil }

// PreviousTo implements BoundedSupport.
func (a *Optimiser) PreviousTo(e *Expansion) {
	a.previous.PreviousTo(&a.work)
	a.write(e)
}

// write writes the solution in work to e.
func (a *Optimiser) write(e *Expansion) {
	e.Reset()
	for i, c := range a.work.Alpha {
		if c != 0 {
			e.Add(i, a.p.Label(i)*c)
		}
	}
	e.Bias = a.work.Bias
}

// PostHoc constructs a method that approximates the given reference.
type PostHoc func(*Reference) (Learner, error)

// Pipeline trains a classifier by a number of steps of an SVM optimiser, and then approximates it by a
// post-hoc method. It has no expansion vectors during training.
//
// A step is a step of the optimiser or of the method, with the same cost and charge.
//
// Source: Cotter 2013, section 3.3.5 ("Putting it Together"), full text read.
type Pipeline struct {
	learner  svm.Learner
	steps    int64
	start    PostHoc
	postHoc  Learner // nil during training
	progress         // only its status is used; the learners count the cost
}

var _ Learner = (*Pipeline)(nil)

// NewPipeline returns a Pipeline of l, an optimiser of p, and the method constructed by start. It takes
// the given number of steps of l, or fewer if l converges. NewPipeline returns an error if l is nil, if
// steps < 1, or if the rows of p include evaluation points. An error of start ends the run.
func NewPipeline(p svm.Problem, l svm.Learner, steps int64, start PostHoc) (*Pipeline, error) {
	if l == nil || steps < 1 {
		return nil, fmt.Errorf("sparse: pipeline: there must be an optimiser and at least one step; steps = %d", steps)
	}
	if err := checkProblem("pipeline", p, false); err != nil {
		return nil, err
	}
	return &Pipeline{learner: l, steps: steps, start: start}, nil
}

// Step implements algorithms.Stepper.
func (a *Pipeline) Step() algorithms.Status { return a.advance(a.step) }

func (a *Pipeline) step() algorithms.Status {
	if a.postHoc != nil {
		return a.postHoc.Step()
	}
	status := a.learner.Step()
	if status.State != algorithms.Converged && (status.Stop() || a.learner.Cost().Iterations < a.steps) {
		return status
	}
	var s svm.Solution
	a.learner.SolutionTo(&s)
	postHoc, err := a.start(&Reference{Alpha: s.Alpha, Scores: s.Scores, Bias: s.Bias, NormSq: s.NormSq})
	if err != nil {
		return a.stop(algorithms.Failed, err.Error())
	}
	a.postHoc = postHoc
	return algorithms.Status{}
}

// Cost implements algorithms.Stepper.
func (a *Pipeline) Cost() algorithms.Cost {
	c := a.learner.Cost()
	c.KernelEvalsMoved = 0
	if a.postHoc != nil {
		own := a.postHoc.Cost()
		c.Iterations += own.Iterations
		c.KernelEvals += own.KernelEvals
		c.InnerProducts += own.InnerProducts
	}
	return c
}

// Support implements Learner.
func (a *Pipeline) Support() int {
	if a.postHoc == nil {
		return 0
	}
	return a.postHoc.Support()
}

// Final implements Learner.
func (a *Pipeline) Final() bool { return a.postHoc != nil && a.postHoc.Final() }

// ExpansionTo implements Learner.
func (a *Pipeline) ExpansionTo(e *Expansion) {
	e.Reset()
	if a.postHoc != nil {
		a.postHoc.ExpansionTo(e)
	}
}

package external

import (
	"context"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
)

// SVM shows a program as an SVM optimiser.
type SVM struct {
	kernelRun
	classifier classifier
	scores     scores
	solution   svm.Solution
}

var (
	_ svm.Learner             = (*SVM)(nil)
	_ algorithms.BatchStepper = (*SVM)(nil)
	_ algorithms.Refresher    = (*SVM)(nil)
)

// NewSVM begins a run of a program that has said hello. The end of the context ends each of
// its steps.
func NewSVM(ctx context.Context, p *Process, i Init, k Kernel) (*SVM, error) {
	r, err := newKernelRun(ctx, p, i, k)
	if err != nil {
		return nil, err
	}
	return &SVM{kernelRun: r}, nil
}

// Step implements algorithms.Stepper.
func (a *SVM) Step() algorithms.Status { return a.StepTo(a.cost.Iterations + 1) }

// StepTo implements algorithms.BatchStepper.
func (a *SVM) StepTo(t int64) algorithms.Status { return a.stepTo(t) }

// Refresh implements algorithms.Refresher. The responses of all points are evaluated here, which is
// not charged for.
func (a *SVM) Refresh() algorithms.Status {
	s, err := a.process.State(a.ctx)
	if err == nil {
		err = a.classifier.take(&a.kernelRun, s)
	}
	if err != nil {
		return a.broke(err)
	}
	a.scores.of(&a.kernelRun, &a.classifier, &a.solution)
	return algorithms.Status{}
}

// SolutionTo implements svm.Learner: the classifier that was last shown.
func (a *SVM) SolutionTo(s *svm.Solution) {
	s.Scores = append(s.Scores[:0], a.solution.Scores...)
	s.Alpha = append(s.Alpha[:0], a.solution.Alpha...)
	s.Bias, s.NormSq = a.solution.Bias, a.solution.NormSq
}

// Approximates reports whether the classifier shown last is none in the space of the kernel,
// so that the optimum there is no bound on its objective.
func (a *SVM) Approximates() bool {
	_, linear := a.problem.Kern.(kernel.Linear)
	return a.classifier.kind == fourier || a.classifier.kind == weights && !linear
}

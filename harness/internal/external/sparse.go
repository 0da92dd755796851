package external

import (
	"context"

	"stochopt/algorithms"
	"stochopt/algorithms/sparse"
)

// Sparse shows a program as a search for sparse classifiers.
type Sparse struct {
	kernelRun
	classifier classifier
	expansion  sparse.Expansion
	settled    bool
}

var _ sparse.Learner = (*Sparse)(nil)

// NewSparse begins a run of a program that has said hello. Of the classifier to approximate,
// which is nil if there is none, it is told too.
func NewSparse(ctx context.Context, p *Process, i Init, k Kernel, reference *sparse.Reference) (*Sparse, error) {
	if reference != nil {
		i.Reference = &ReferenceInit{Bias: reference.Bias, NormSq: reference.NormSq}
		i.Arrays = make(map[string]any)
		beta := make([]float64, len(reference.Alpha))
		for j, v := range reference.Alpha {
			beta[j] = v * k.Label(j)
		}
		for name, values := range map[string][]float64{"reference": beta, "reference_scores": reference.Scores} {
			var err error
			if i.Arrays[name], err = writeArray(&p.files, name, []int{len(values)}, values); err != nil {
				return nil, err
			}
		}
	}
	r, err := newKernelRun(ctx, p, i, k)
	if err != nil {
		return nil, err
	}
	return &Sparse{kernelRun: r}, nil
}

// Step implements algorithms.Stepper. Each classifier is asked for, as its size says whether
// it is recorded.
func (a *Sparse) Step() algorithms.Status {
	status, done := a.stepTo(a.cost.Iterations + 1)
	if done == nil || status.State == algorithms.Diverged {
		return status
	}
	a.settled = done.Settled == nil || *done.Settled
	s, err := a.process.State(a.ctx)
	if err == nil {
		err = a.classifier.take(&a.kernelRun, s)
	}
	if err == nil && (a.classifier.kind == weights || a.classifier.kind == fourier) {
		err = a.process.fail("its state is no expansion in kernels: alpha, or vectors and coefficients")
	}
	if err != nil {
		return a.broke(err)
	}
	a.expansion.Reset()
	a.classifier.expansion(&a.expansion)
	return status
}

// Support implements sparse.Learner.
func (a *Sparse) Support() int { return len(a.expansion.Coef) }

// Settled implements sparse.Learner.
func (a *Sparse) Settled() bool { return a.settled }

// ExpansionTo implements sparse.Learner.
func (a *Sparse) ExpansionTo(e *sparse.Expansion) {
	e.Index = append(e.Index, a.expansion.Index...)
	e.Vectors = append(e.Vectors, a.expansion.Vectors...)
	e.Coef = append(e.Coef, a.expansion.Coef...)
	e.Bias = a.expansion.Bias
}

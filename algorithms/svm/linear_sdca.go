package svm

import (
	"fmt"

	"stochopt/algorithms"
	"stochopt/internal/finite"
)

// LinearSDCAConfig configures LinearSDCA.
type LinearSDCAConfig struct {
	// Lambda is the regularisation parameter, positive.
	Lambda float64
	// Tolerance is the relative duality gap, (P - D)/P, at which the method has converged. With 0 it
	// never converges. The gap is computed every n steps.
	Tolerance float64
}

// LinearSDCA is stochastic dual coordinate ascent for a linear SVM:
//
//	maximise  1'alpha - |w|^2/2,  w = sum_i alpha_i y_i x_i,
//	subject to  0 <= alpha_i <= 1/(lambda n),
//
// the dual of lambda/2 |w|^2 + mean hinge loss. A step takes one i and maximises over alpha_i,
//
//	alpha_i <- clip(alpha_i + (1 - y_i <w, x_i>)/|x_i|^2, 0, 1/(lambda n)).
//
// A step costs O(d): it computes <w, x_i>, and updates w if alpha_i changes. It is charged one inner
// product.
//
// Source: Hsieh, Chang, Lin, Keerthi & Sundararajan 2008, "A dual coordinate descent method for
// large-scale linear SVM", algorithm 1 with hinge loss (C = 1/(lambda n)), without its shrinking; Cotter
// 2013, section 1.4.
type LinearSDCA struct {
	p         LinearProblem
	order     Order
	n         int
	lambda    float64
	upper     float64
	tolerance float64
	normSq    []float64
	alpha     []float64
	w         []float64
	cost      algorithms.Cost
}

var _ Learner = (*LinearSDCA)(nil)

// NewLinearSDCA returns linear SDCA at alpha = 0, which visits the coordinates in the given order. It
// returns an error if p is invalid, if order is nil, or if a parameter is out of range.
func NewLinearSDCA(cfg LinearSDCAConfig, p LinearProblem, order Order) (*LinearSDCA, error) {
	const name = "linear-sdca"
	if err := checkLinearAscent(name, p, order, cfg.Lambda); err != nil {
		return nil, err
	}
	if !(cfg.Tolerance >= 0) {
		return nil, fmt.Errorf("svm: %s: tolerance is %v; it must be a relative duality gap, or 0 to never converge",
			name, cfg.Tolerance)
	}
	a := newLinearSDCA(cfg.Lambda, p)
	a.order, a.tolerance = order, cfg.Tolerance
	return a, nil
}

// newLinearSDCA returns linear SDCA without an order, with tolerance 0.
func newLinearSDCA(lambda float64, p LinearProblem) *LinearSDCA {
	n := p.Features.Train()
	a := &LinearSDCA{
		p:      p,
		n:      n,
		lambda: lambda,
		upper:  1 / (lambda * float64(n)),
		normSq: make([]float64, n),
		alpha:  make([]float64, n),
	}
	a.restart()
	return a
}

// Step implements algorithms.Stepper.
func (a *LinearSDCA) Step() algorithms.Status {
	g := a.ascend(a.order.Next())
	if !finite.Is(g) {
		return linearDiverged("linear-sdca", a.cost.Iterations, g)
	}
	a.cost.Iterations++
	a.cost.InnerProducts++
	if a.tolerance > 0 && a.cost.Iterations%int64(a.n) == 0 {
		if gap := a.relativeGap(); gap <= a.tolerance {
			return algorithms.Status{
				State:  algorithms.Converged,
				Reason: fmt.Sprintf("relative duality gap %.3g is at most %g", gap, a.tolerance),
			}
		}
	}
	return algorithms.Status{}
}

// ascend maximises over alpha_i. It returns y_i <w, x_i> - 1 before the change, the derivative of
// |w|^2/2 - 1'alpha with respect to alpha_i.
func (a *LinearSDCA) ascend(i int) float64 {
	y := a.p.Label(i)
	g := y*a.p.Features.Dot(a.w, i) - 1
	old := a.alpha[i]
	to := a.upper
	if q := a.normSq[i]; q > 0 {
		to = min(max(old-g/q, 0), a.upper)
	}
	if to != old && finite.Is(g) {
		a.alpha[i] = to
		a.p.Features.AddTo(a.w, y*(to-old), i)
	}
	return g
}

// Gap returns the primal objective lambda/2 |w|^2 + mean hinge loss and the dual objective lambda
// (1'alpha - |w|^2/2). The optimum lies between them. It computes n inner products, which are not
// charged.
func (a *LinearSDCA) Gap() (primal, dual float64) {
	hinge, sum := 0.0, 0.0
	for i, v := range a.alpha {
		hinge += max(0, 1-a.p.Label(i)*a.p.Features.Dot(a.w, i))
		sum += v
	}
	r := linearNormSq(a.w) / 2
	return a.lambda*r + hinge/float64(a.n), a.lambda * (sum - r)
}

func (a *LinearSDCA) relativeGap() float64 {
	primal, dual := a.Gap()
	return (primal - dual) / primal
}

// Cost implements algorithms.Stepper. A step counts as one inner product.
func (a *LinearSDCA) Cost() algorithms.Cost { return a.cost }

// SolutionTo implements Learner. It computes N inner products.
func (a *LinearSDCA) SolutionTo(s *Solution) {
	linearSolutionTo(s, a.p.Features, a.w, 1)
	s.Alpha = append(s.Alpha, a.alpha...)
}

// restart recomputes w and the norms from the current coefficients, after the features have changed.
func (a *LinearSDCA) restart() {
	a.w = make([]float64, a.p.Features.Dim())
	for i, v := range a.alpha {
		a.normSq[i] = a.p.Features.NormSq(i)
		if v != 0 {
			a.p.Features.AddTo(a.w, a.p.Label(i)*v, i)
		}
	}
}

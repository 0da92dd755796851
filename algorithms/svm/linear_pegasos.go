package svm

import (
	"stochopt/algorithms"
	"stochopt/internal/finite"
)

// LinearPegasosConfig configures LinearPegasos.
type LinearPegasosConfig struct {
	// Lambda is the regularisation parameter, positive.
	Lambda float64
	// Last selects the last iterate instead of the average of all iterates.
	Last bool
}

// LinearPegasos is stochastic subgradient descent for a linear SVM:
//
//	minimise  lambda/2 |w|^2 + mean hinge loss,
//	w_{t+1} = (1 - 1/t) w_t + [y_i <w_t, x_i> < 1] y_i x_i/(lambda t),
//
// from w_1 = 0. Therefore w_{t+1} = v_t/(lambda t), where v_t is the sum of the added y_i x_i, and
// shrinking costs nothing. The average of w_2, …, w_{t+1} is represented by v_t and one other vector,
// which only changes together with v_t. There is no projection onto the ball of radius 1/sqrt(lambda).
//
// A step costs O(d) and is charged one inner product, <w_t, x_i>.
//
// Source: Shalev-Shwartz, Singer & Srebro 2007, "Pegasos: primal estimated sub-gradient solver for SVM",
// without its projection; Cotter 2013, section 1.4.
type LinearPegasos struct {
	p      LinearProblem
	order  Order
	lambda float64

	// v is the sum of the added y_i x_i. The sum of the iterates is (harmonic v - lag)/lambda with
	// harmonic = 1 + 1/2 + … + 1/t. lag is nil without an average.
	v        []float64
	lag      []float64
	harmonic float64
	cost     algorithms.Cost
}

var _ Learner = (*LinearPegasos)(nil)

// NewLinearPegasos returns linear Pegasos at w = 0, which visits the points in the given order. It
// returns an error if p is invalid, if order is nil, or unless lambda is positive and finite.
func NewLinearPegasos(cfg LinearPegasosConfig, p LinearProblem, order Order) (*LinearPegasos, error) {
	const name = "linear-pegasos"
	if err := checkLinearAscent(name, p, order, cfg.Lambda); err != nil {
		return nil, err
	}
	a := &LinearPegasos{p: p, order: order, lambda: cfg.Lambda, v: make([]float64, p.Features.Dim())}
	if !cfg.Last {
		a.lag = make([]float64, len(a.v))
	}
	return a, nil
}

// Step implements algorithms.Stepper.
func (a *LinearPegasos) Step() algorithms.Status {
	i := a.order.Next()
	y := a.p.Label(i)
	u := a.p.Features.Dot(a.v, i) / (a.lambda * float64(max(a.cost.Iterations, 1)))
	if !finite.Is(u) {
		return linearDiverged("linear-pegasos", a.cost.Iterations, u)
	}
	if y*u < 1 {
		a.p.Features.AddTo(a.v, y, i)
		if a.lag != nil {
			a.p.Features.AddTo(a.lag, y*a.harmonic, i)
		}
	}
	a.cost.Iterations++
	a.cost.InnerProducts++
	a.harmonic += 1 / float64(a.cost.Iterations)
	return algorithms.Status{}
}

// Cost implements algorithms.Stepper. A step counts as one inner product.
func (a *LinearPegasos) Cost() algorithms.Cost { return a.cost }

// SolutionTo implements Learner. It computes N inner products. Alpha is empty.
func (a *LinearPegasos) SolutionTo(s *Solution) {
	w, scale := a.v, 0.0
	if t := float64(a.cost.Iterations); t > 0 {
		scale = 1 / (a.lambda * t)
	}
	if a.lag != nil {
		w = make([]float64, len(a.v))
		for k, v := range a.v {
			w[k] = a.harmonic*v - a.lag[k]
		}
	}
	linearSolutionTo(s, a.p.Features, w, scale)
}

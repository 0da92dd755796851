package svm

import (
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/internal/finite"
)

// SGDConfig configures SGD.
type SGDConfig struct {
	// R is the bound on |w|, R > 0.
	R float64
	// Last selects the last iterate instead of the average of all iterates.
	Last bool
}

// SGD is stochastic gradient descent on the norm-constrained objective
//
//	minimise  (1/n) sum_i max(0, 1 - y_i <w, Phi(x_i)>)  subject to  |w| <= R,
//	w_t = P(w_{t-1} + eta_t y_i Phi(x_i))  if  y_i <w_{t-1}, Phi(x_i)> < 1,
//	w_t = w_{t-1}                          otherwise,
//	eta_t = R sqrt(2/t),
//
// where i is drawn in each step and P projects onto the ball of radius R. If K(x, x) <= 1, the average
// of w_0, …, w_{T-1} is suboptimal by at most R sqrt(8/T) in expectation.
//
// A step that changes w costs a kernel row and one pass over all N points. Other steps cost O(1). Each
// step is charged n kernel evaluations.
//
// Source: Cotter 2013, section 1.4.1, with the sign of the gradient corrected and a larger constant in
// the bound: see TestErratumSGDSign and TestErratumSGDRegret.
type SGD struct {
	kernelIterate
	r, rSq float64
	last   bool
	order  Order
}

var _ SupportCounter = (*SGD)(nil)

// NewSGD returns SGD at w = 0. It returns an error if order is nil, if p is invalid, or unless R is
// positive and finite.
func NewSGD(cfg SGDConfig, p Problem, order Order) (*SGD, error) {
	if order == nil {
		return nil, fmt.Errorf("svm: sgd: the order of the training points is nil")
	}
	if !(cfg.R > 0) || math.IsInf(cfg.R, 1) {
		return nil, fmt.Errorf("svm: sgd: R = %g; the bound on |w| must be positive and finite", cfg.R)
	}
	it, err := newKernelIterate("sgd", p, !cfg.Last)
	if err != nil {
		return nil, err
	}
	return &SGD{kernelIterate: it, r: cfg.R, last: cfg.Last, order: order}, nil
}

// Step implements algorithms.Stepper.
func (a *SGD) Step() algorithms.Status {
	i := a.order.Next()
	c := a.response(i)
	moved := c < 1
	if moved {
		eta := a.r * math.Sqrt(2/float64(a.cost.Iterations+1))
		rSq := a.rSq + 2*eta*c + eta*eta*a.diag[i]
		if !finite.Is(rSq) {
			return algorithms.Status{
				State:  algorithms.Diverged,
				Reason: fmt.Sprintf("svm: sgd: |w|^2 became %g at iteration %d; lower R", rSq, a.cost.Iterations+1),
			}
		}
		row, err := a.rows.Checked(i)
		if err != nil {
			return a.badRow(err)
		}
		a.add(i, eta, row)
		a.rSq = max(0, rSq)
		if r := math.Sqrt(rSq); r > a.r {
			a.shrink(a.r / r)
			a.rSq = a.r * a.r
		}
	}
	a.addToAverage()
	a.charge(1, moved)
	return algorithms.Status{}
}

// SolutionTo implements Learner.
func (a *SGD) SolutionTo(s *Solution) {
	if a.last {
		a.lastTo(s)
	} else {
		a.averageTo(s)
	}
}

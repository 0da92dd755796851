package svm

import (
	"fmt"
	"math"

	"stochopt/algorithms"
)

// PegasosConfig configures Pegasos.
type PegasosConfig struct {
	// Lambda is the weight of the regulariser, lambda > 0.
	Lambda float64
	// Last selects the last iterate instead of the average of all iterates.
	Last bool
}

// Pegasos is stochastic gradient descent on the regularised objective
//
//	minimise  lambda/2 |w|^2 + (1/n) sum_i max(0, 1 - y_i <w, Phi(x_i)>),
//	w_t = (1 - eta_t lambda) w_{t-1} + eta_t [y_i <w_{t-1}, Phi(x_i)> < 1] y_i Phi(x_i),
//	eta_t = 1/(lambda t),
//
// where i is drawn in each step. Therefore
//
//	w_t = v_t / (lambda t),  v_t = sum_i m_i y_i Phi(x_i),
//
// where m_i is the number of times that point i was drawn with a margin below 1. The counts m_i are
// exact. There is no projection onto the ball of radius 1/sqrt(lambda), which is optional in the paper
// and not part of the thesis's method.
//
// A step that changes v costs a kernel row and one pass over all N points. Other steps cost O(1). Each
// step is charged n kernel evaluations.
//
// Source: Cotter 2013, section 1.4.1, with the sign of the gradient corrected and the margin taken
// before the scaling: see TestErratumPegasosOrder; Shalev-Shwartz, Singer & Srebro 2007, "Pegasos:
// primal estimated sub-gradient solver for SVM".
type Pegasos struct {
	kernelIterate
	lambda float64
	last   bool
	order  Order
}

var _ SupportCounter = (*Pegasos)(nil)

// NewPegasos returns Pegasos at w = 0. It returns an error if order is nil, if p is invalid, unless
// Lambda is positive and finite, or if |w|^2 might overflow.
func NewPegasos(cfg PegasosConfig, p Problem, order Order) (*Pegasos, error) {
	if order == nil {
		return nil, fmt.Errorf("svm: pegasos: the order of the training points is nil")
	}
	if !(cfg.Lambda > 0) || math.IsInf(cfg.Lambda, 1) {
		return nil, fmt.Errorf("svm: pegasos: lambda = %g; the weight of the regulariser must be positive and finite", cfg.Lambda)
	}
	it, err := newKernelIterate("pegasos", p, !cfg.Last)
	if err != nil {
		return nil, err
	}
	// |w| <= max |Phi(x)| / lambda.
	if math.IsInf(it.maxDiag/(cfg.Lambda*cfg.Lambda), 1) || cfg.Lambda*cfg.Lambda == 0 {
		return nil, fmt.Errorf("svm: pegasos: lambda = %g is too small; |w|^2 may reach %g/lambda^2, which overflows",
			cfg.Lambda, it.maxDiag)
	}
	return &Pegasos{kernelIterate: it, lambda: cfg.Lambda, last: cfg.Last, order: order}, nil
}

// Step implements algorithms.Stepper. The scale of the embedded kernelIterate is 1 while v changes and
// 1/t for the average. It therefore holds lambda w, and the weight of the average is 1 + 1/2 + … + 1/t.
func (a *Pegasos) Step() algorithms.Status {
	i := a.order.Next()
	t := float64(a.cost.Iterations + 1)
	moved := t == 1 || a.c[i] < a.lambda*(t-1)
	if moved {
		row, err := a.rows.Checked(i)
		if err != nil {
			return a.badRow(err)
		}
		a.scale = 1
		a.add(i, 1, row)
	}
	a.scale = 1 / t
	a.addToAverage()
	a.charge(1, moved)
	return algorithms.Status{}
}

// SolutionTo implements Learner.
func (a *Pegasos) SolutionTo(s *Solution) {
	if a.last {
		a.lastTo(s)
	} else {
		a.averageTo(s)
	}
	s.multiply(1 / a.lambda)
}

package svm

import (
	"errors"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// SDCAConfig configures SDCA.
type SDCAConfig struct {
	// Lambda is the regularisation parameter. The dual variables are at most 1/(lambda n).
	Lambda float64
}

// SDCA is stochastic dual coordinate ascent of the dual objective,
//
//	maximise 1'alpha - |w|^2/2  subject to 0 <= alpha_i <= 1/(lambda n).
//
// A step maximises over one coordinate i, in a given order,
//
//	alpha_i <- alpha_i + (1 - y_i u_i)/K_ii, clipped to the bounds.
//
// The objective never decreases. SDCA never converges.
//
// A step is charged n kernel evaluations. It costs O(N) and a kernel row if alpha_i changes, otherwise
// O(1).
//
// Source: Cotter 2013, section "Dual Decomposition"; Hsieh, Chang, Lin, Keerthi and Sundararajan 2008,
// "A dual coordinate descent method for large-scale linear SVM",
// https://doi.org/10.1145/1390156.1390208.
type SDCA struct {
	dual
	order Order
}

var _ PreviousKeeper = (*SDCA)(nil)

// NewSDCA returns SDCA at alpha = 0, which visits the coordinates in the given order. It returns an
// error if lambda is out of range, if order is nil, or if p is invalid.
func NewSDCA(cfg SDCAConfig, p Problem, order Order) (*SDCA, error) {
	if order == nil {
		return nil, errors.New("svm: sdca: the order of the training points is nil")
	}
	d, err := newDual("sdca", cfg.Lambda, 0, false, p)
	if err != nil {
		return nil, err
	}
	return &SDCA{dual: d, order: order}, nil
}

// Step implements algorithms.Stepper. After a status other than Running, further calls return the same
// status.
func (s *SDCA) Step() algorithms.Status {
	if s.status.Stop() {
		return s.status
	}
	s.qp.Changed = s.qp.Changed[:0]
	i := s.order.Next()
	if delta, _ := s.qp.Best(i); delta != 0 {
		k, status := s.qp.Row(i)
		if status.Stop() {
			return s.stop(status)
		}
		vec.AddScaled(s.qp.V, s.qp.Move(i, delta), k)
	}
	s.charge(1)
	return s.status
}

// SupportBounds implements SupportCounter.
func (s *SDCA) SupportBounds() (least, most int) { return s.supportAfter(1) }

// KeepsPrevious implements PreviousKeeper.
func (s *SDCA) KeepsPrevious() bool { return true }

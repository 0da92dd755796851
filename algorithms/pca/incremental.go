package pca

import "stochopt/algorithms"

// IncrementalConfig configures Incremental.
type IncrementalConfig struct {
	// K is the dimension k of the subspace sought, 0 < k < d.
	K int
}

// Incremental is the incremental algorithm: approximate empirical risk
// minimisation that keeps a second-moment matrix of rank at most k,
//
//	t C_t = P_k((t-1) C_{t-1} + x_t x_t^T),  C_0 = 0,
//
// where P_k keeps the k largest eigenvalues and sets the others to 0. The
// iterate is M = U U^T for the eigenvectors U of C_t, fewer than k as long as
// the samples have spanned fewer dimensions.
//
// If the k-th and (k+1)-th eigenvalues are exactly equal, the direction that was
// there before the step is kept, and the new one dropped.
//
// It has no step size and no guarantee: on samples that are orthogonal to each
// other, all that does not displace a direction at once is forgotten, and the
// algorithm can stay at a wrong subspace for ever.
//
// A step costs O(k d + k^3) operations and, once in several steps, O(k^2 d).
// SumKT grows by the rank of C_t, and SumKT2 by its square.
//
// Source: Cotter 2013, section 4.5; Arora, Cotter, Livescu & Srebro 2012,
// "Stochastic optimization for PCA and PLS".
type Incremental struct {
	relaxation
}

var _ Learner = (*Incremental)(nil)

// NewIncremental returns an incremental algorithm over the samples of src. It
// returns an error if src is nil or K is not in 0 < K < d.
func NewIncremental(cfg IncrementalConfig, src Source) (*Incremental, error) {
	s, err := newStream("incremental", cfg.K, src, noStep)
	if err != nil {
		return nil, err
	}
	return &Incremental{newRelaxation(s, newEigenFactor(newBasis(s.d, 0), 0, 0))}, nil
}

// Step implements algorithms.Stepper.
func (a *Incremental) Step() algorithms.Status {
	return a.iterate(func() { a.factor.keep(min(a.k, len(a.factor.values))) })
}

// StateTo implements Learner. Sigma is 1 for each of the at most k directions.
func (a *Incremental) StateTo(dst *State) {
	a.factor.stateTo(dst, func(v float64) float64 {
		if v > 0 {
			return 1
		}
		return 0
	})
}

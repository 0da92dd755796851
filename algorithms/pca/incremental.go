package pca

import (
	"cmp"
	"fmt"

	"stochopt/algorithms"
)

// IncrementalConfig configures Incremental.
type IncrementalConfig struct {
	// K is the dimension k of the subspace, 0 < k < d.
	K int
	// Cap is the largest rank of C_t, k <= Cap <= d. The iterate consists of the k leading directions. 0
	// means k.
	Cap int
	// KeepNewest resolves a tie for the last direction in favour of the new sample. Otherwise the older
	// direction is kept.
	KeepNewest bool
}

// Incremental is the incremental algorithm, an approximate empirical risk minimisation with a
// second-moment matrix of rank at most k,
//
//	t C_t = P_k((t-1) C_{t-1} + x_t x_t^T),  C_0 = 0,
//
// where P_k keeps the k largest eigenvalues and sets the others to 0. The iterate is M = U U^T for the
// eigenvectors U of C_t. U has fewer than k columns while the samples span fewer dimensions.
//
// With a Cap K above k, C_t has rank at most K. The thesis mentions this variant in section 6.3.2 as an
// alternative to capped MSG.
//
// If two eigenvalues tie for the last place, the older direction is kept and the new one is dropped,
// unless KeepNewest is set.
//
// The algorithm has no step size and no guarantee. On orthogonal samples, a new direction that does not
// immediately replace another is lost, and the algorithm may stay at a suboptimal subspace for ever.
//
// A step costs O(k d + k^3) operations and, once in several steps, O(k^2 d). SumKT grows by the rank of
// C_t, and SumKT2 by its square.
//
// Source: Cotter 2013, section 4.5; Arora, Cotter, Livescu & Srebro 2012, "Stochastic optimization for
// PCA and PLS".
type Incremental struct {
	relaxation
	bound  int
	newest bool
}

var _ Learner = (*Incremental)(nil)

// NewIncremental returns the incremental algorithm over the samples of src. It returns an error if src
// is nil, unless 0 < K < d, or unless Cap is 0 or K <= Cap <= d.
func NewIncremental(cfg IncrementalConfig, src Source) (*Incremental, error) {
	s, err := newStream("incremental", cfg.K, src, noStep)
	if err != nil {
		return nil, err
	}
	bound := cmp.Or(cfg.Cap, s.k)
	if bound < s.k || bound > s.d {
		return nil, fmt.Errorf("pca: incremental: cap = %d; it must be between k = %d and d = %d", bound, s.k, s.d)
	}
	return &Incremental{newRelaxation(s, newEigenFactor(newBasis(s.d, 0), 0, 0)), bound, cfg.KeepNewest}, nil
}

// Step implements algorithms.Stepper.
func (a *Incremental) Step() algorithms.Status {
	return a.iterate(func() {
		f, m := a.factor, a.bound
		if m < len(f.values) && a.newest && f.values[m-1] == f.values[m] {
			f.swap(m-1, m)
		}
		f.keep(min(m, len(f.values)))
	})
}

// StateTo implements Learner. It writes the projection onto the at most k leading directions.
func (a *Incremental) StateTo(dst *State) {
	top := *a.factor
	top.values = top.values[:min(a.k, len(top.values))]
	top.stateTo(dst, func(v float64) float64 {
		if v > 0 {
			return 1
		}
		return 0
	})
}

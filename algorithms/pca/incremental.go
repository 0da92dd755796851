package pca

import (
	"cmp"
	"fmt"

	"stochopt/algorithms"
)

// IncrementalConfig configures Incremental.
type IncrementalConfig struct {
	// K is the dimension k of the subspace sought, 0 < k < d.
	K int
	// Cap is the number of directions that are kept, of which the k largest are the
	// iterate, k <= Cap <= d; 0 stands for k.
	Cap int
	// KeepNewest keeps the direction of the sample where it ties with an older one for the
	// last place, in place of the older one.
	KeepNewest bool
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
// With a Cap K above k, C_t has rank at most K. It is an alternative to capped MSG that the
// thesis mentions in section 6.3.2.
//
// If the last eigenvalue that is kept equals the next, the direction that was there
// before the step is kept, and the new one dropped, unless KeepNewest says otherwise.
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
	bound  int
	newest bool
}

var _ Learner = (*Incremental)(nil)

// NewIncremental returns an incremental algorithm over the samples of src. It
// returns an error if src is nil, K is not in 0 < K < d or Cap not in K <= Cap <= d.
func NewIncremental(cfg IncrementalConfig, src Source) (*Incremental, error) {
	s, err := newStream("incremental", cfg.K, src, noStep)
	if err != nil {
		return nil, err
	}
	bound := cmp.Or(cfg.Cap, s.k)
	if bound < s.k || bound > s.d {
		return nil, fmt.Errorf("pca: incremental: %d directions for k = %d and d = %d: keep at least k, and at most d", bound, s.k, s.d)
	}
	return &Incremental{newRelaxation(s, newEigenFactor(newBasis(s.d, 0), 0, 0)), bound, cfg.KeepNewest}, nil
}

// Step implements algorithms.Stepper.
func (a *Incremental) Step() algorithms.Status {
	return a.iterate(func() {
		f, m := a.factor, a.bound
		if m < len(f.values) && a.newest && f.values[m-1] == f.values[m] {
			f.exchange(m-1, m)
		}
		f.keep(min(m, len(f.values)))
	})
}

// StateTo implements Learner. Sigma is 1 for each of the at most k largest directions.
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

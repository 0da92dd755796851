package pca

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"stochopt/algorithms"

	"gonum.org/v1/gonum/floats"
)

// CappedMSGConfig configures CappedMSG.
type CappedMSGConfig struct {
	// K is the dimension k of the subspace, 0 < k < d.
	K int
	// Cap is the bound on the rank of the iterates, K in the thesis, k <= Cap <= d. The thesis uses k+1.
	Cap int
	// Step gives the step sizes eta_t.
	Step algorithms.Schedule
	// Start is the first iterate. Its rank must not exceed Cap. The default is StartRandomLowRank, of
	// rank k+1, if Cap > k, otherwise StartRandomSubspace.
	Start Start
	// RaiseWhenStuck is the number of iterations after which the cap of a stuck iterate is raised by
	// one, up to d. 0 means that the cap is constant. An iterate is stuck while its rank is the cap and
	// the sum of its k largest eigenvalues does not exceed its previous maximum. The maximum is reset
	// when the rank falls below the cap or the cap is raised. Iterations with x = 0 or eta = 0 do not
	// count.
	RaiseWhenStuck int64
}

// CappedMSG is MSG with a bound K on the rank of its iterates,
//
//	maximise    E[x^T M x]
//	subject to  0 <= M <= I, tr M = k, rank M <= K,
//	M_{t+1} = P(M_t + eta_t x_t x_t^T),
//
// where P projects in the Frobenius norm. M' = M_t + eta_t x_t x_t^T has rank at most K+1. P projects
// each set of K eigenvectors of M' as in MSG, and selects the result closest to M' (Cotter 2013,
// section 6.3). The problem is not convex for K < d.
//
// Deviation: only the set of the K largest eigenvalues is projected, because it always gives a closest
// result. Suppose that another set maps an eigenvalue b to sigma and drops an eigenvalue a >= b. Mapping
// a to sigma instead decreases the squared distance by 2 sigma (a - b) >= 0. Among equal eigenvalues the
// newest direction is dropped.
//
// A step costs O(K d + K^3) operations and, once in several steps, O(K^2 d). SumKT grows by the rank of
// the iterate, and SumKT2 by its square.
//
// Source: Cotter 2013, section 6.3; Arora, Cotter & Srebro 2013, "Stochastic optimization of PCA with
// capped MSG".
type CappedMSG struct {
	relaxation
	onto   projection
	bound  int
	window int64

	stuck int64   // number of consecutive stuck iterations
	best  float64 // maximum of the sum of the k largest eigenvalues since the last reset
}

var _ Learner = (*CappedMSG)(nil)

// NewCappedMSG returns capped MSG over the samples of src; rng draws the start, and may be nil for
// StartUniform. It returns an error if src or the schedule is nil, or if a parameter is out of range. It
// also returns an error if the start is unknown or has a rank above Cap.
func NewCappedMSG(cfg CappedMSGConfig, src Source, rng *rand.Rand) (*CappedMSG, error) {
	const name = "capped-msg"
	s, err := newStream(name, cfg.K, src, cfg.Step)
	if err != nil {
		return nil, err
	}
	if cfg.Cap < s.k || cfg.Cap > s.d {
		return nil, fmt.Errorf("pca: %s: cap = %d; it must be between k = %d and d = %d; "+
			"the usual choice is k+1 = %d", name, cfg.Cap, s.k, s.d, s.k+1)
	}
	if cfg.RaiseWhenStuck < 0 {
		return nil, fmt.Errorf("pca: %s: raise when stuck = %d; it must be a positive number of iterations, "+
			"or 0 for a constant cap", name, cfg.RaiseWhenStuck)
	}
	def := StartRandomLowRank
	if cfg.Cap == s.k {
		def = StartRandomSubspace
	}
	r, err := newRelaxationAt(name, s, cmp.Or(cfg.Start, def), rng, identity)
	if err != nil {
		return nil, err
	}
	if r.rank > cfg.Cap {
		return nil, fmt.Errorf("pca: %s: the start %q has rank %d, above the cap of %d; "+
			"raise the cap or start at %q", name, cfg.Start, r.rank, cfg.Cap, def)
	}
	return &CappedMSG{relaxation: r, onto: msgProjection(cfg.Start), bound: cfg.Cap, window: cfg.RaiseWhenStuck}, nil
}

// Step implements algorithms.Stepper.
func (a *CappedMSG) Step() algorithms.Status { return a.iterate(a.projectCapped) }

// Cap returns the current bound on the rank.
func (a *CappedMSG) Cap() int { return a.bound }

// projectCapped replaces M' by a closest feasible M. The K largest eigenvalues of M' sum to at least the
// trace of M, so the projection never shifts them upwards.
func (a *CappedMSG) projectCapped() {
	f := a.factor
	if f.rank() > a.bound {
		f.keep(a.bound)
		a.onto(f.values, f.values, 1, a.k)
		f.keep(a.bound)
	} else {
		a.project(a.onto, a.k, a.k)
	}
	if a.window > 0 {
		a.raiseIfStuck()
	}
}

// raiseIfStuck raises the cap if the iterate has been stuck for window iterations.
func (a *CappedMSG) raiseIfStuck() {
	f := a.factor
	if f.rank() < a.bound || a.bound == a.d {
		a.stuck, a.best = 0, 0
		return
	}
	mass := floats.SumCompensated(f.values[:a.k])
	if mass > a.best {
		a.stuck, a.best = 0, mass
		return
	}
	a.stuck++
	if a.stuck >= a.window {
		a.bound++
		a.stuck, a.best = 0, 0
	}
}

// StateTo implements Learner.
func (a *CappedMSG) StateTo(dst *State) { a.factor.stateTo(dst, identity) }

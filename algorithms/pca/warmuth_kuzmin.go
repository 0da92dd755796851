package pca

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"stochopt/algorithms"
)

// WarmuthKuzminConfig configures WarmuthKuzmin and WarmuthKuzminNaive.
type WarmuthKuzminConfig struct {
	// K is the dimension k of the subspace, 0 < k < d.
	K int
	// Step gives the step sizes eta_t.
	Step algorithms.Schedule
	// Start is the first iterate, StartUniform (the default) or StartRandomLowRank. At other starts W
	// has no logarithm or a trace other than 1.
	Start Start
}

// WarmuthKuzmin is Warmuth & Kuzmin's online PCA, mirror descent with the von Neumann entropy on the
// convex relaxation for the minimal subspace,
//
//	minimise  E[x^T W x]  subject to  0 <= W <= I/(d-k), tr W = 1,
//	W_{t+1} = P(exp(ln W_t - eta_t x_t x_t^T)),
//
// where P projects with respect to the quantum relative entropy: it scales all eigenvalues by the same
// factor and caps them at 1/(d-k) (see projectEntropy). In the scale of State, M = I - (d-k) W.
//
// The algorithm stores G = -ln((d-k) W) >= 0. For G, a step is the rank-1 update G + eta x x^T, followed
// by a shift of all eigenvalues and clipping at 0. The capped directions of W are the null space of G,
// so only the k'_t uncapped eigenpairs are stored. G is accurate even for eigenvalues of W that
// underflow or round to the cap.
//
// A step costs O(k'_t d + k'_t^3) operations and, once in several steps, O(k'_t^2 d). It adds k'_t to
// SumKT and k'_t^2 to SumKT2. From StartUniform, k'_t is d until the first eigenvalues are capped. The
// directions without samples cost nothing, because they share an eigenvalue.
//
// Source: Cotter 2013, chapter 5; Warmuth & Kuzmin 2008, "Randomized online PCA algorithms with regret
// bounds that are logarithmic in the dimension", JMLR 9.
type WarmuthKuzmin struct {
	relaxation
}

var _ Learner = (*WarmuthKuzmin)(nil)

// NewWarmuthKuzmin returns Warmuth & Kuzmin's algorithm over the samples of src; rng draws the start,
// and may be nil for StartUniform. It returns an error if src or the schedule is nil, if the start is
// not allowed, or unless 0 < K < d.
func NewWarmuthKuzmin(cfg WarmuthKuzminConfig, src Source, rng *rand.Rand) (*WarmuthKuzmin, error) {
	r, err := newWarmuthKuzminStart("warmuth-kuzmin", cfg, src, rng)
	if err != nil {
		return nil, err
	}
	return &WarmuthKuzmin{r}, nil
}

// newWarmuthKuzminStart checks the configuration and returns the first G.
func newWarmuthKuzminStart(name string, cfg WarmuthKuzminConfig, src Source, rng *rand.Rand) (relaxation, error) {
	if cfg.Start == StartRandomSubspace || cfg.Start == StartZero {
		return relaxation{}, fmt.Errorf("pca: %s: at the start %q W has no logarithm or a trace other than 1; "+
			"use %q or %q", name, cfg.Start, StartRandomLowRank, StartUniform)
	}
	s, err := newStream(name, cfg.K, src, cfg.Step)
	if err != nil {
		return relaxation{}, err
	}
	// G = -ln(1 - M).
	value := func(sigma float64) float64 { return -math.Log1p(-sigma) }
	return newRelaxationAt(name, s, cmp.Or(cfg.Start, StartUniform), rng, value)
}

// Step implements algorithms.Stepper. If the d-m directions outside the span of U are at the cap, the m
// explicit eigenvalues share m-k of the mass d-k.
func (a *WarmuthKuzmin) Step() algorithms.Status {
	return a.iterate(func() { a.project(projectEntropy, a.d-a.k, len(a.factor.values)-a.k) })
}

// StateTo implements Learner.
func (a *WarmuthKuzmin) StateTo(dst *State) { a.factor.stateTo(dst, oneMinusExp) }

// oneMinusExp returns the eigenvalue 1 - e^-g of M for the eigenvalue g of G.
func oneMinusExp(g float64) float64 { return -math.Expm1(-g) }

// WarmuthKuzminTheoryStep returns the constant step size (2/sqrt(T)) sqrt(k/(d-k)) for which T
// iterations of Warmuth & Kuzmin's algorithm, with |x| <= 1, are at most sqrt(k(d-k)/T) suboptimal in
// expectation (Cotter 2013, Lemma lem:pca-warmuth:convergence-vN). It returns an error unless 0 < k < d
// and T > 0.
func WarmuthKuzminTheoryStep(d, k int, T int64) (algorithms.Constant, error) {
	if k <= 0 || k >= d || T <= 0 {
		return algorithms.Constant{}, fmt.Errorf(
			"pca: theory step of warmuth-kuzmin: d = %d, k = %d and T = %d; they must satisfy 0 < k < d and T > 0", d, k, T)
	}
	return algorithms.Constant{C: 2 / math.Sqrt(float64(T)) * math.Sqrt(float64(k)/float64(d-k))}, nil
}

package pca

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"stochopt/algorithms"
)

// MSGConfig configures MSG.
type MSGConfig struct {
	// K is the dimension k of the subspace, 0 < k < d.
	K int
	// Step gives the step sizes eta_t.
	Step algorithms.Schedule
	// Start is the first iterate, StartRandomLowRank by default. With StartZero the constraint is
	// tr M <= k.
	Start Start
}

// MSG is matrix stochastic gradient: stochastic gradient ascent on the convex relaxation
//
//	maximise  E[x^T M x]  subject to  0 <= M <= I, tr M = k,
//	M_{t+1} = P(M_t + eta_t x_t x_t^T),
//
// where P projects in the Frobenius norm: it shifts all eigenvalues by the same amount and clips them to
// [0, 1] (see projectFrobenius).
//
// The rank k'_t of the iterates is not bounded, but in practice it is much lower than d. A step costs
// O(k'_t d + k'_t^3) operations and, once in several steps, O(k'_t^2 d). It adds k'_t to SumKT and
// k'_t^2 to SumKT2.
//
// Source: Cotter 2013, section 6.2; Arora, Cotter & Srebro 2013, "Stochastic optimization of PCA with
// capped MSG".
type MSG struct {
	relaxation
	onto projection
}

var _ Learner = (*MSG)(nil)

// NewMSG returns matrix stochastic gradient over the samples of src; rng draws the start, and may be nil
// for StartUniform. It returns an error if src or the schedule is nil, if the start is unknown, or
// unless 0 < K < d.
func NewMSG(cfg MSGConfig, src Source, rng *rand.Rand) (*MSG, error) {
	s, err := newStream("msg", cfg.K, src, cfg.Step)
	if err != nil {
		return nil, err
	}
	r, err := newRelaxationAt("msg", s, cmp.Or(cfg.Start, StartRandomLowRank), rng, identity)
	if err != nil {
		return nil, err
	}
	return &MSG{r, msgProjection(cfg.Start)}, nil
}

// msgProjection returns the projection of MSG for a start.
func msgProjection(start Start) projection {
	if start == StartZero {
		return projectTraceAtMost
	}
	return projectFrobenius
}

// Step implements algorithms.Stepper.
func (a *MSG) Step() algorithms.Status {
	return a.iterate(func() { a.project(a.onto, a.k, a.k) })
}

// StateTo implements Learner.
func (a *MSG) StateTo(dst *State) { a.factor.stateTo(dst, identity) }

func identity(v float64) float64 { return v }

// MSGTheoryStep returns the constant step size 2 sqrt(k/T) for which T iterations of MSG, with
// E[|x|^4] <= 1, are at most 2 sqrt(k/T) suboptimal in expectation (Cotter 2013,
// Lemma lem:pca-capped-msg:rate). It returns an error unless k and T are positive.
func MSGTheoryStep(k int, T int64) (algorithms.Constant, error) {
	if k <= 0 || T <= 0 {
		return algorithms.Constant{}, fmt.Errorf("pca: theory step of msg: k = %d and T = %d; both must be positive", k, T)
	}
	return algorithms.Constant{C: 2 * math.Sqrt(float64(k)/float64(T))}, nil
}

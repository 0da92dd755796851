package pca

import (
	"math/rand/v2"

	"stochopt/algorithms"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
)

// PowerConfig configures Power.
type PowerConfig struct {
	// K is the dimension k of the subspace sought, 0 < k < d.
	K int
	// Step gives the step sizes eta_t.
	Step algorithms.Schedule
}

// Power is the stochastic power method, stochastic gradient ascent on
//
//	maximise  E[x^T U U^T x]  subject to  U^T U = I
//
// with the update
//
//	U <- P_orth(U + eta_t x_t x_t^T U),
//
// from a uniformly random subspace. Because U R spans the same subspace as U for
// every nonsingular R, P_orth is only a matter of numerics.
//
// It is put off as long as the condition number of U allows: each update is a
// product with I + eta x x^T >= I, so that from an orthonormal U the smallest
// singular value cannot fall below 1, and the Frobenius norm of U, which is
// cheap to keep up to date, bounds the condition number.
//
// The cost of a step is O(kd), of an orthonormalisation O(k^2 d). SumKT2 is
// charged k^2 and SumKT k for a step.
//
// Source: Cotter 2013, section 4.4; Oja & Karhunen 1985, who orthonormalise in
// each step.
type Power struct {
	stream

	u     *basis    // spans the iterate
	norm2 float64   // |U|_F^2, k where U is orthonormal
	y     []float64 // U^T x
}

var _ Learner = (*Power)(nil)

// conditionLimit times sqrt(k) is the Frobenius norm of U above which Power
// orthonormalises it. The smallest singular value being at least 1, the condition
// number of a U that is not orthonormalised does not exceed conditionLimit sqrt(k).
const conditionLimit = 128

// NewPower returns a stochastic power method over the samples of src; rng draws
// the start. It returns an error if src, rng or the schedule is nil or K is not
// in 0 < K < d.
func NewPower(cfg PowerConfig, src Source, rng *rand.Rand) (*Power, error) {
	st, err := newRandomStream("power", cfg.K, src, cfg.Step, rng)
	if err != nil {
		return nil, err
	}
	return &Power{
		stream: st,
		u:      newRandomBasis(st.d, st.k, rng),
		norm2:  float64(st.k),
		y:      make([]float64, st.k),
	}, nil
}

// Step implements algorithms.Stepper.
func (p *Power) Step() algorithms.Status {
	x, eta, ok := p.next()
	if !ok {
		return p.status
	}
	p.u.transMulTo(p.y, x)
	// |U + eta x y^T|^2 with y = U^T x.
	y2, x2 := floats.Dot(p.y, p.y), floats.Dot(x, x)
	norm2 := p.norm2 + eta*y2*(2+eta*x2)
	if !finite.Is(norm2) {
		return p.diverged(eta)
	}
	if norm2 <= conditionLimit*conditionLimit*float64(p.k) {
		p.u.rankOne(eta, x, p.y)
		p.norm2 = norm2
		return p.done(p.k)
	}
	next := p.u.clone()
	next.rankOne(eta, x, p.y)
	if next.orthonormalise() < p.k {
		return p.stop(algorithms.Diverged,
			"iteration %d leaves U without numerical rank k: the step size %g is too large for the sample",
			p.cost.Iterations+1, eta)
	}
	p.u, p.norm2 = next, float64(p.k)
	return p.done(p.k)
}

// Rank implements Learner. It is k.
func (p *Power) Rank() int { return p.k }

// StateTo implements Learner: an orthonormal basis of the span of U, in O(k^2 d)
// operations.
func (p *Power) StateTo(dst *State) {
	u := p.u
	if p.norm2 > float64(p.k) {
		u = p.u.clone()
		u.orthonormalise()
	}
	u.stateTo(dst, p.k)
}

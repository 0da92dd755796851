package pca

import (
	"math/rand/v2"

	"stochopt/algorithms"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
)

// PowerConfig configures Power.
type PowerConfig struct {
	// K is the dimension k of the subspace, 0 < k < d.
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
// from a uniformly random subspace. U R spans the same subspace as U for every nonsingular R, so P_orth
// only matters for numerical stability.
//
// P_orth is deferred while U is well conditioned. Each update is a product with I + eta x x^T >= I, so
// the smallest singular value stays at least 1 after an orthonormalisation. The condition number is then
// at most the Frobenius norm of U, which is cheap to update.
//
// A step costs O(kd), and an orthonormalisation O(k^2 d). A step adds k to SumKT and k^2 to SumKT2.
//
// Source: Cotter 2013, section 4.4; Oja & Karhunen 1985, who orthonormalise in each step.
type Power struct {
	stream

	u     *basis    // spans the iterate
	norm2 float64   // |U|_F^2; k if U is orthonormal
	y     []float64 // U^T x
}

var _ Learner = (*Power)(nil)

// conditionLimit times sqrt(k) bounds the Frobenius norm of U, and so its condition number. Power
// orthonormalises U beyond it.
const conditionLimit = 128

// NewPower returns the stochastic power method over the samples of src; rng draws the start. It returns
// an error if src, rng or the schedule is nil, or unless 0 < K < d.
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

// StateTo implements Learner. It writes an orthonormal basis of the span of U, in O(k^2 d).
func (p *Power) StateTo(dst *State) {
	u := p.u
	if p.norm2 > float64(p.k) {
		u = p.u.clone()
		u.orthonormalise()
	}
	u.stateTo(dst, p.k)
}

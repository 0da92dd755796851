package pca

import (
	"fmt"
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
	// Renormalize is the number of steps from one orthonormalisation of U to
	// the next: 1 is Oja's method, 0 orthonormalises only when the conditioning
	// of U demands it, as every choice does where it comes first. The span
	// of U, and so the solution, is the same whatever the choice.
	Renormalize int
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
// Source: Cotter 2013, section 4.4; with Renormalize = 1, Oja & Karhunen 1985.
type Power struct {
	stream
	step        algorithms.Schedule
	renormalize int64

	u        *basis // spans the iterate
	spare    *basis
	norm2    float64 // |U|_F^2, of U since it last was orthonormal
	age      int64   // steps since then
	y        []float64
	limitSqr float64
}

var _ Learner = (*Power)(nil)

// conditionLimit times sqrt(k) is the Frobenius norm of U above which Power
// orthonormalises it. The smallest singular value being at least 1, the condition
// number of a U that is kept as it is does not exceed conditionLimit sqrt(k).
const conditionLimit = 128

// NewPower returns a stochastic power method over the samples of src; rng draws
// the start. It returns an error if src, rng or the schedule is nil, K is not in
// 0 < K < d, or Renormalize is negative.
func NewPower(cfg PowerConfig, src Source, rng *rand.Rand) (*Power, error) {
	st, err := newRandomStream("power", cfg.K, src, cfg.Step, rng)
	if err != nil {
		return nil, err
	}
	if cfg.Renormalize < 0 {
		return nil, fmt.Errorf("pca: power: renormalize every %d steps: want 1 or more, or 0 for when it is needed", cfg.Renormalize)
	}
	return &Power{
		stream:      st,
		step:        cfg.Step,
		renormalize: int64(cfg.Renormalize),
		u:           newRandomBasis(st.d, st.k, rng),
		spare:       newBasis(st.d, st.k),
		norm2:       float64(st.k),
		y:           make([]float64, st.k),
		limitSqr:    conditionLimit * conditionLimit * float64(st.k),
	}, nil
}

// Step implements algorithms.Stepper.
func (p *Power) Step() algorithms.Status {
	x, eta, ok := p.nextStep(p.step)
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
	if p.age+1 != p.renormalize && norm2 <= p.limitSqr {
		p.u.rankOne(eta, x, p.y)
		p.norm2 = norm2
		p.age++
		return p.done(p.k)
	}
	copy(p.spare.data, p.u.data)
	p.spare.rankOne(eta, x, p.y)
	if p.spare.orthonormalise() < p.k {
		return p.stop(algorithms.Diverged, "iteration %d leaves U without numerical rank k: the step size %g is too large for the sample", p.cost.Iterations+1, eta)
	}
	p.u, p.spare = p.spare, p.u
	p.norm2 = float64(p.k)
	p.age = 0
	return p.done(p.k)
}

// Rank implements Learner. It is k.
func (p *Power) Rank() int { return p.k }

// StateTo implements Learner: an orthonormal basis of the span of U, in O(k^2 d)
// operations.
func (p *Power) StateTo(dst *State) {
	u := p.u
	if p.age > 0 {
		copy(p.spare.data, p.u.data)
		p.spare.orthonormalise()
		u = p.spare
	}
	u.stateTo(dst, p.k)
}

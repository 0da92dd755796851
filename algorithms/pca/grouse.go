package pca

import (
	"math"
	"math/rand/v2"

	"stochopt/algorithms"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
)

// GROUSEConfig configures GROUSE.
type GROUSEConfig struct {
	// K is the dimension k of the subspace, 0 < k < d.
	K int
	// Step gives the step sizes eta_t.
	Step algorithms.Schedule
}

// GROUSE is Grassmannian stochastic gradient descent, the variant of GROUSE for complete samples. It
// minimises the squared residual
//
//	E |x - U U^T x|^2  subject to  U^T U = I
//
// by steps along geodesics of the Grassmannian, from a uniformly random subspace. Let w = U^T x,
// p = U w, r = x - p and theta = eta_t |r| |p|. The update rotates the direction of p towards the
// direction of r and keeps the rest of the subspace,
//
//	U <- U + ((cos theta - 1) p/|p| + sin theta r/|r|) w^T/|w|.
//
// If p or r is zero up to rounding, U does not change. U stays orthonormal up to rounding; the drift is
// measured at intervals and corrected if necessary.
//
// A step costs O(kd). It adds k to SumKT and k^2 to SumKT2.
//
// Source: Cotter 2013, section 6.4; Balzano, Nowak & Recht 2010, "Online identification and tracking of
// subspaces from highly incomplete information", https://arxiv.org/abs/1006.4046.
type GROUSE struct {
	stream

	u    *basis
	w, a []float64 // coefficients, k
	p, r []float64 // d
}

var _ Learner = (*GROUSE)(nil)

const (
	// driftInterval is the number of steps between two measurements of the drift of U from
	// orthonormality.
	driftInterval = 256
	// driftLimit is the drift above which U is orthonormalised.
	driftLimit = 1e-12
	// negligible is the share of |x| below which p or r is rounding noise.
	negligible = 1e-14
)

// NewGROUSE returns Grassmannian stochastic gradient descent over the samples of src; rng draws the
// start. It returns an error if src, rng or the schedule is nil, or unless 0 < K < d.
func NewGROUSE(cfg GROUSEConfig, src Source, rng *rand.Rand) (*GROUSE, error) {
	st, err := newRandomStream("grouse", cfg.K, src, cfg.Step, rng)
	if err != nil {
		return nil, err
	}
	return &GROUSE{
		stream: st,
		u:      newRandomBasis(st.d, st.k, rng),
		w:      make([]float64, st.k),
		a:      make([]float64, st.k),
		p:      make([]float64, st.d),
		r:      make([]float64, st.d),
	}, nil
}

// Step implements algorithms.Stepper.
func (g *GROUSE) Step() algorithms.Status {
	x, eta, ok := g.next()
	if !ok {
		return g.status
	}
	normX, normR := norm(x), g.split(x)
	normP := norm(g.w)
	theta := eta * normR * normP
	if !finite.Is(normX) || !finite.Is(theta) {
		return g.diverged(eta)
	}
	if normP > negligible*normX && normR > negligible*normX {
		g.rotate(theta, normP, normR)
	}
	if (g.cost.Iterations+1)%driftInterval == 0 && g.u.drift() > driftLimit {
		g.u.orthonormalise()
	}
	return g.done(g.k)
}

// split sets w, p and r, and returns |r|. It projects the residual a second time, because rounding
// leaves part of a short residual in the span of U.
func (g *GROUSE) split(x []float64) (normR float64) {
	g.u.transMulTo(g.w, x)
	clear(g.p)
	g.u.addMul(g.p, 1, g.w)
	floats.SubTo(g.r, x, g.p)
	g.u.transMulTo(g.a, g.r)
	g.u.addMul(g.r, -1, g.a)
	return norm(g.r)
}

// rotate moves U along the geodesic by the angle theta.
func (g *GROUSE) rotate(theta, normP, normR float64) {
	half := math.Sin(theta / 2)
	floats.Scale(-2*half*half/normP, g.p) // cos theta - 1, without cancellation
	floats.AddScaled(g.p, math.Sin(theta)/normR, g.r)
	g.u.rankOne(1/normP, g.p, g.w)
}

// Rank implements Learner. It is k.
func (g *GROUSE) Rank() int { return g.k }

// StateTo implements Learner.
func (g *GROUSE) StateTo(dst *State) { g.u.stateTo(dst, g.k) }

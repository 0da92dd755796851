package pca

import (
	"math/rand/v2"

	"stochopt/algorithms"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
)

// GHAConfig configures GHA.
type GHAConfig struct {
	// K is the dimension k of the subspace, 0 < k < d.
	K int
	// Step gives the step sizes eta_t.
	Step algorithms.Schedule
}

// GHA is the generalised Hebbian algorithm, the stochastic power method with a partial renormalisation
// in place of P_orth,
//
//	U <- U + eta_t (x_t y^T - U UT[y y^T]),  y = U^T x_t,
//
// where UT keeps the upper triangle and the diagonal of a matrix and sets the rest to 0. It starts from
// a uniformly random orthonormal U. If it converges, the columns converge to the k leading eigenvectors,
// in order, and not only to their span.
//
// U is not bounded. If steps are too large for the samples, it diverges, and Step reports Diverged. The
// columns are orthonormal only in the limit.
//
// A step costs O(kd). The k^2 d operations of the triangular product are avoided by accumulating the sum
// of y_i u_i over i <= j for successive columns j. A step adds k to SumKT and k^2 to SumKT2, even if the
// columns of U are dependent and Rank is below k.
//
// Source: Cotter 2013, section 4.4, which describes it in words; Sanger 1989, "Optimal unsupervised
// learning in a single-layer linear feedforward neural network",
// https://doi.org/10.1016/0893-6080(89)90044-0.
type GHA struct {
	stream

	u, spare *basis
	y, r     []float64
}

var _ Learner = (*GHA)(nil)

// NewGHA returns the generalised Hebbian algorithm over the samples of src; rng draws the start. It
// returns an error if src, rng or the schedule is nil, or unless 0 < K < d.
func NewGHA(cfg GHAConfig, src Source, rng *rand.Rand) (*GHA, error) {
	st, err := newRandomStream("gha", cfg.K, src, cfg.Step, rng)
	if err != nil {
		return nil, err
	}
	return &GHA{
		stream: st,
		u:      newRandomBasis(st.d, st.k, rng),
		spare:  newBasis(st.d, st.k),
		y:      make([]float64, st.k),
		r:      make([]float64, st.d),
	}, nil
}

// Step implements algorithms.Stepper.
func (g *GHA) Step() algorithms.Status {
	x, eta, ok := g.next()
	if !ok {
		return g.status
	}
	g.u.transMulTo(g.y, x)
	copy(g.spare.data, g.u.data)
	copy(g.r, x)
	for j, yj := range g.y {
		// r = x - sum_{i<=j} y_i u_i, over the columns before the update.
		floats.AddScaled(g.r, -yj, g.u.col(j))
		v := g.spare.col(j)
		floats.AddScaled(v, eta*yj, g.r)
		if !finite.Is(floats.Dot(v, v)) {
			return g.diverged(eta)
		}
	}
	g.u, g.spare = g.spare, g.u
	return g.done(g.k)
}

// Rank implements Learner. It is k, unless the columns of U have become numerically dependent. It costs
// O(k^2 d).
func (g *GHA) Rank() int { return g.u.clone().orthonormalise() }

// StateTo implements Learner. It writes an orthonormal basis of the span of U.
func (g *GHA) StateTo(dst *State) {
	u := g.u.clone()
	u.stateTo(dst, u.orthonormalise())
}

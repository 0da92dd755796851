package sparse

import (
	"slices"

	"stochopt/algorithms/internal/vec"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// plane is a cutting plane, a linear lower bound on the mean hinge loss,
//
//	(1/n) sum_i c_i (1 - y_i g(x_i)) = delta - <w, Psi>,  Psi = (1/n) sum_i c_i y_i Phi(x_i),
//
// with c_i in {0, 1}.
type plane struct {
	delta  float64
	signed []float64 // c_i y_i/n
	inner  []float64 // inner products of Psi with the constant feature and the vectors
	alpha  float64
	idle   int // iterations since alpha was positive
}

// mostViolated returns the most violated constraint and the mean hinge loss.
func (a *CPSP) mostViolated() (next plane, loss float64) {
	n := len(a.pre.a)
	scores := make([]float64, n)
	for b, row := range a.rows[:len(a.beta)] {
		vec.AddScaled(scores, a.beta[b], row)
	}
	next.signed = make([]float64, n)
	for i, s := range scores {
		y := a.p.Label(i)
		if margin := float64(y * s); margin < 1 {
			next.signed[i] = y / float64(n)
			next.delta += 1 / float64(n)
			loss += (1 - margin) / float64(n)
		}
	}
	for _, row := range a.rows {
		next.inner = append(next.inner, vec.Dot32(next.signed, row))
	}
	return next, loss
}

// solve computes the weights alpha of the planes, starting from the current ones, and w. It drops planes
// that have been idle for idleLimit iterations. Let K = U'U be the Cholesky factorisation of the kernel
// matrix of the vectors, and G the inner products of planes and vectors. Then P = U^-T G' holds the
// planes in an orthonormal basis of the span, where w = P alpha, and beta = U^-1 w.
func (a *CPSP) solve() {
	m, c := len(a.planes), a.cfg.C*float64(len(a.pre.a))
	g, delta, alpha := mat.NewDense(m, len(a.rows), nil), make([]float64, m), make([]float64, m)
	for t, plane := range a.planes {
		g.SetRow(t, plane.inner)
		delta[t], alpha[t] = plane.delta, plane.alpha
	}
	var p mat.Dense
	var h mat.SymDense
	u := a.factor.RawU()
	_ = p.Solve(u.T(), g.T()) // no error: the pivots of U are at least sqrt(minPivot)
	h.SymOuterK(1, p.T())
	a.solved = maximise(&h, delta, alpha, c, dualTolerance*a.cfg.Tolerance)
	var w, beta, inner mat.VecDense
	w.MulVec(&p, mat.NewVecDense(m, alpha))
	inner.MulVec(p.T(), &w)
	_ = beta.SolveVec(u, &w)
	a.beta = beta.RawVector().Data
	a.support = nonzeros(a.beta[1:])
	a.dual, a.xi = floats.Dot(delta, alpha)-mat.Dot(&w, &w)/2, 0
	for t := range a.planes {
		plane := &a.planes[t]
		plane.alpha = alpha[t]
		plane.idle++
		if t == 0 || plane.alpha > 0 {
			plane.idle = 0
		}
		a.xi = max(a.xi, plane.delta-inner.AtVec(t))
	}
	a.planes = slices.DeleteFunc(a.planes, func(p plane) bool { return p.idle >= idleLimit })
}

// maximise solves the quadratic program
//
//	maximise alpha'delta - alpha'H alpha/2  subject to alpha >= 0, sum_t alpha_t = c,
//
// by an active-set method that starts from the given alpha. An iteration moves towards the maximum over
// the set F of planes with positive weight. A plane whose weight becomes 0 on the way leaves F. At the
// maximum the gradients of F equal the multiplier mu. Then the plane of the greatest gradient enters F,
// if the gradient exceeds mu by more than the tolerance; otherwise alpha is optimal.
//
// maximise reports whether alpha is optimal. It adds a ridge to H to make H_FF regular, which changes no
// gradient by more than half the tolerance.
func maximise(h *mat.SymDense, delta, alpha []float64, c, tolerance float64) bool {
	var free []int // F
	for t, w := range alpha {
		h.SetSym(t, t, h.At(t, t)+tolerance/2/c)
		if w > 0 {
			free = append(free, t)
		}
	}
	for range 100 + 4*len(alpha) {
		if len(free) == 0 { // because of rounding
			return false
		}
		goal, mu, ok := maximum(h, delta, free, c)
		if !ok {
			return false
		}
		step, leaves := 1.0, -1
		for f, t := range free {
			if goal[f] <= 0 {
				if s := alpha[t] / max(alpha[t]-goal[f], 0x1p-1022); leaves < 0 || s < step {
					step, leaves = s, f
				}
			}
		}
		for f, t := range free {
			alpha[t] = max(alpha[t]+float64(step*(goal[f]-alpha[t])), 0)
		}
		if leaves >= 0 {
			alpha[free[leaves]] = 0
			free = slices.Delete(free, leaves, leaves+1)
			continue
		}
		var slope mat.VecDense
		slope.MulVec(h, mat.NewVecDense(len(alpha), alpha))
		enters, most := -1, mu+tolerance
		for t, w := range alpha {
			if g := delta[t] - slope.AtVec(t); w == 0 && g > most {
				enters, most = t, g
			}
		}
		if enters < 0 {
			return true
		}
		free = append(free, enters)
	}
	return false
}

// maximum maximises over the weights of the planes in F, without the constraints on their signs. It
// returns the weights and the multiplier of their sum. ok is false if H_FF cannot be factored.
func maximum(h *mat.SymDense, delta []float64, free []int, c float64) (goal []float64, mu float64, ok bool) {
	var sub mat.SymDense
	sub.SubsetSym(h, free)
	u, ok := lapack64.Potrf(sub.RawSymmetric())
	goal, unit := make([]float64, len(free)), slices.Repeat([]float64{1}, len(free))
	for f, t := range free {
		goal[f] = delta[t]
	}
	for _, x := range [][]float64{goal, unit} {
		v := blas64.Vector{N: len(x), Data: x, Inc: 1}
		blas64.Trsv(blas.Trans, u, v)
		blas64.Trsv(blas.NoTrans, u, v)
	}
	mu = (floats.Sum(goal) - c) / floats.Sum(unit)
	floats.AddScaled(goal, -mu, unit)
	return goal, mu, ok
}

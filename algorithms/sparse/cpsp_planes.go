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

// plane is a cutting plane, the linear lower bound
//
//	(1/n) sum_i c_i (1 - y_i g(x_i)) = delta - <w, Psi>,  Psi = (1/n) sum_i c_i y_i Phi(x_i),
//
// of the mean hinge loss, with c_i in {0, 1}.
type plane struct {
	delta  float64
	signed []float64 // c_i y_i/n
	p      []float64 // Psi in the orthonormal basis of the constant feature and the vectors
	alpha  float64
	idle   int // iterations since it had weight
}

// mostViolated returns the constraint that is violated most.
func (a *CPSP) mostViolated() plane {
	next := plane{signed: make([]float64, a.n)}
	for i, s := range a.scores {
		if y := a.p.Label(i); float64(y*s) < 1 {
			next.signed[i] = y / float64(a.n)
			next.delta += 1 / float64(a.n)
		}
	}
	a.addCoordinate(&next, a.cfg.Constant*floats.Sum(next.signed))
	for _, row := range a.rows {
		a.addCoordinate(&next, next.along(row))
	}
	return next
}

// along returns <Psi, Phi(z)> for the kernel row of z.
func (p *plane) along(row []float32) float64 { return vec.Dot32(p.signed, row) }

// addCoordinate adds the next coordinate to a plane, given <Psi, Phi(z)> for the next vector.
func (a *CPSP) addCoordinate(p *plane, h float64) {
	u, k := a.factor.RawU(), len(p.p)
	for j, x := range p.p {
		h -= float64(u.At(j, k) * x)
	}
	p.p = append(p.p, h/u.At(k, k))
}

// combination returns the coordinates of sum_t weights_t Psi_t.
func (a *CPSP) combination(weights []float64) []float64 {
	v := make([]float64, len(a.rows)+1)
	for t, w := range weights {
		floats.AddScaled(v, w, a.planes[t].p)
	}
	return v
}

// coefficients returns the coefficients of the constant feature and of the vectors for
// coordinates in the orthonormal basis.
func (a *CPSP) coefficients(v []float64) []float64 {
	x := mat.NewVecDense(len(v), nil)
	_ = x.SolveVec(a.factor.RawU(), mat.NewVecDense(len(v), v)) // no pivot is below the root of leastPivot
	return x.RawVector().Data
}

// solve finds the weights of the planes, from those there are, and w, and drops the planes
// that have been idle for too long.
func (a *CPSP) solve() {
	m := len(a.planes)
	p, delta, alpha := mat.NewDense(m, len(a.rows)+1, nil), make([]float64, m), make([]float64, m)
	for t, plane := range a.planes {
		p.SetRow(t, plane.p)
		delta[t], alpha[t] = plane.delta, plane.alpha
	}
	var h mat.SymDense
	h.SymOuterK(1, p)
	a.exact = maximise(&h, delta, alpha, a.cfg.C*float64(a.n), innerPrecision*a.cfg.Tolerance)
	a.v = a.combination(alpha)
	a.dual, a.xi = floats.Dot(delta, alpha)-floats.Dot(a.v, a.v)/2, 0
	for t := range a.planes {
		plane := &a.planes[t]
		a.xi = max(a.xi, plane.delta-floats.Dot(a.v, plane.p))
		plane.alpha = alpha[t]
		plane.idle++
		if t == 0 || plane.alpha > 0 {
			plane.idle = 0
		}
	}
	a.planes = slices.DeleteFunc(a.planes, func(p plane) bool { return p.idle >= idleLimit })
}

// classify finds the classifier, its scores and their loss for w.
func (a *CPSP) classify() {
	beta := a.coefficients(a.v)
	a.bias, a.beta = a.cfg.Constant*beta[0], beta[1:]
	a.support = nonzeros(a.beta)
	for i := range a.scores {
		a.scores[i] = a.bias
	}
	for b, row := range a.rows {
		vec.AddScaled(a.scores, a.beta[b], row)
	}
	a.loss = 0
	for i, s := range a.scores {
		a.loss += max(0, 1-float64(a.p.Label(i)*s)) / float64(a.n)
	}
}

// maximise solves the quadratic program
//
//	maximise alpha'delta - alpha'H alpha/2  subject to alpha >= 0, sum_t alpha_t = c,
//
// from the alpha given, by an active-set method: it goes towards the maximum over the set F
// of planes with weight; a plane whose weight becomes 0 on the way leaves F; at the maximum,
// where the gradients of F equal the multiplier mu, the plane of the greatest gradient
// enters F if that exceeds mu by more than the tolerance. So that H_FF is regular, a ridge is
// added to H, which changes no gradient by more than half of the tolerance, and that of a
// plane of length 0, which needs no more, by next to nothing. It reports whether it has got
// there.
func maximise(h *mat.SymDense, delta, alpha []float64, c, tolerance float64) bool {
	var free []int // F
	for t, w := range alpha {
		ridge := tolerance / 2 / c
		if h.At(t, t) == 0 {
			ridge *= 1e-6
		}
		h.SetSym(t, t, h.At(t, t)+ridge)
		if w > 0 {
			free = append(free, t)
		}
	}
	for range 100 + 4*len(alpha) {
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

// maximum returns the weights of the planes in F at the maximum over these, whatever their
// signs, and the multiplier of their sum. It reports false if H_FF cannot be factored.
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

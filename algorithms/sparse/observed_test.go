package sparse

import "gonum.org/v1/gonum/floats"

// This file exports objectives and bounds of the methods for tests.

// Bounds returns the objective |w|^2/2 + C n loss of the current classifier and the dual
// objective. The latter is a lower bound in the span of the current vectors and of the
// constant feature, if there is one.
func (a *CPSP) Bounds() (primal, dual float64) {
	_, loss := a.mostViolated()
	primal = a.cfg.C * float64(len(a.pre.a)) * loss
	for _, p := range a.planes {
		primal += p.alpha / 2 * floats.Dot(a.beta, p.inner[:len(a.beta)])
	}
	return primal, a.dual
}

// primal returns the primal objective |w|^2/2 + sum_i l_i(t_i - <w, Phi(x_i)> - b), in O(n).
// Its minimum over w, and over b if there is a bias, equals the maximum of the dual.
func (q boxQP) primal(b float64) float64 {
	sum := 0.5 * q.NormSq()
	for i, x := range q.V {
		r := -(x + b)
		sum += max(0, float64(q.Hi[i]*(r-q.Epsilon)), float64(q.Lo[i]*(r+q.Epsilon)))
	}
	return sum
}

// Rounds returns the number of solved convex problems.
func (r *Ramp) Rounds() int { return r.rounds }

// ResidualSq returns |w - sum_j beta_j Phi(z_j)|^2, up to rounding.
func (r *ReducedSet) ResidualSq() float64 {
	residual := r.ref.NormSq
	for j, m := range r.members {
		residual -= r.beta.AtVec(j) * m.h
	}
	return residual
}

// Objective returns the objective of the current classifier of SpSVM or RSVM.
func (q *primal) Objective() float64 {
	if len(q.rows) == 0 {
		return q.c / 2 * float64(len(q.margin))
	}
	f, _ := q.value()
	return f
}

// NormSq returns |w~|^2.
func (s *SparsifySmooth) NormSq() float64 { return s.normSq }

// Excluded returns the number of excluded training points.
func (z *ZhanShen) Excluded() int {
	var count int
	for i := range z.qp.N {
		if z.excluded(i) {
			count++
		}
	}
	return count
}

func (z *ZhanShen) excluded(i int) bool { return z.qp.Lo[i] == z.qp.Hi[i] }

// Mistakes returns the number of mistakes so far.
func (b *budgeted) Mistakes() int64 { return b.mistakes }

package sparse

import "gonum.org/v1/gonum/floats"

// What only tests ask of the methods: their objectives, and what bounds them.

// Bounds returns the objective |w|^2/2 + C n loss of the current classifier and a
// lower bound of it in the span of the current vectors, with the constant feature
// if there is one: the dual objective.
func (a *CPSP) Bounds() (primal, dual float64) {
	_, loss := a.mostViolated()
	primal = a.cfg.C * float64(len(a.pre.a)) * loss
	for _, p := range a.planes {
		primal += p.alpha / 2 * floats.Dot(a.beta, p.inner[:len(a.beta)])
	}
	return primal, a.dual
}

// primal returns |w|^2/2 + sum_i l_i(t_i - <w, Phi(x_i)> - b) in O(n). It is never
// less than the maximum of D, and at its minimum, over b as well where there is a
// bias, they are equal.
func (q boxQP) primal(b float64) float64 {
	sum := 0.5 * q.NormSq()
	for i, x := range q.V {
		r := -(x + b)
		sum += max(0, float64(q.Hi[i]*(r-q.Epsilon)), float64(q.Lo[i]*(r+q.Epsilon)))
	}
	return sum
}

// Rounds returns the number of convex problems that were solved.
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

// NormSq returns |w~|^2, which is at most |w|^2. It costs O(1).
func (s *SparsifySmooth) NormSq() float64 { return s.normSq }

// Excluded returns the number of training points that were excluded.
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

// Mistakes returns the number of examples that were classified wrongly when they
// were looked at, which is what the mistake bounds are about.
func (b *budgeted) Mistakes() int64 { return b.mistakes }

package sparse

import (
	"context"
	"slices"
)

// planeProgram is the dual quadratic program over the working set of cutting
// planes,
//
//	maximise sum_t alpha_t delta_t - |sum_t alpha_t p_t|^2/2
//	subject to alpha >= 0, sum_t alpha_t <= c,
//
// for the projected planes p_t. It is solved by an active-set method: the maximum
// over the planes in a set F, those with weight, follows from the Cholesky factor of
// H_FF with the multiplier mu of the sum; on the way there a plane whose weight
// becomes 0 leaves F; at the maximum the plane of the greatest gradient above mu
// enters it. The objective never decreases. The state is kept from one solution to
// the next. So that H_FF is regular, a ridge is added to it, which changes no
// gradient by more than half of the tolerance.
type planeProgram struct {
	c, tolerance, ridge float64

	delta []float64
	h     [][]float64 // h[s][t] = <p_s, p_t>, full rows
	alpha []float64
	grad  []float64 // delta_t - sum_s h[t][s] alpha_s
	mu    float64

	free   []int // F, in the order of the factor
	factor gramFactor

	ones, u, v, column []float64
}

// newPlaneProgram returns the program without planes. Solutions have a duality gap
// of at most c tolerance.
func newPlaneProgram(c, tolerance float64) *planeProgram {
	q := &planeProgram{c: c, tolerance: tolerance, ridge: 0.5 * tolerance / c}
	q.factor.least = q.ridge / 4
	return q
}

// add appends a plane with alpha = 0. row holds <p, p_t> for the planes there are
// and |p|^2 last.
func (q *planeProgram) add(delta float64, row []float64) {
	m := len(q.delta)
	g := delta
	for t, x := range row[:m] {
		q.h[t] = append(q.h[t], x)
		g -= float64(x * q.alpha[t])
	}
	q.h = append(q.h, slices.Clone(row))
	q.delta, q.alpha, q.grad = append(q.delta, delta), append(q.alpha, 0), append(q.grad, g)
}

// extend adds a coordinate, x[t] of p_t.
func (q *planeProgram) extend(x []float64) {
	for t, v := range x {
		row := q.h[t]
		for s, u := range x {
			row[s] += float64(v * u)
		}
	}
	own := make([]float64, 0, len(q.free))
	for _, t := range q.free {
		own = append(own, x[t])
	}
	q.factor.addOuter(own)
	own = own[:0]
	for _, t := range q.free {
		own = append(own, q.delta[t])
	}
	q.factor.y = q.factor.forwardTo(q.factor.y, own)
	q.gradient()
}

// keep leaves only the planes for which keep is true, all others having alpha = 0.
func (q *planeProgram) keep(keep []bool) {
	m := 0
	number := make([]int, len(keep))
	for t, stays := range keep {
		if !stays {
			continue
		}
		row, k := q.h[t], 0
		for s, also := range keep {
			if also {
				row[k] = row[s]
				k++
			}
		}
		number[t] = m
		q.h[m], q.delta[m], q.alpha[m], q.grad[m] = row[:k], q.delta[t], q.alpha[t], q.grad[t]
		m++
	}
	clear(q.h[m:])
	q.h, q.delta, q.alpha, q.grad = q.h[:m], q.delta[:m], q.alpha[:m], q.grad[:m]
	for f, t := range q.free {
		q.free[f] = number[t]
	}
}

// solve finds the maximum up to the tolerance, in at most the given number of
// turns, and reports whether that was enough. A turn costs O(f^2 + m f) for f
// planes with weight of m. It ends with ctx.
func (q *planeProgram) solve(ctx context.Context, turns int) bool {
	rebuilt := false
	for range turns {
		if ctx.Err() != nil {
			return false
		}
		for !q.advance() {
		}
		q.gradient()
		if !q.stationary() {
			// Rounding has worn the factor.
			if rebuilt || !q.rebuild() {
				return false
			}
			rebuilt = true
			continue
		}
		enter, most := -1, q.mu+q.tolerance
		for t, g := range q.grad {
			if g > most && q.alpha[t] == 0 && !slices.Contains(q.free, t) {
				enter, most = t, g
			}
		}
		if enter < 0 {
			return true
		}
		if !q.enter(enter) {
			return false
		}
	}
	return false
}

// stationary reports whether the gradients of the planes in F are mu, up to the
// tolerance.
func (q *planeProgram) stationary() bool {
	for _, t := range q.free {
		if d := q.grad[t] - q.mu; !(d <= q.tolerance && d >= -q.tolerance) {
			return false
		}
	}
	return true
}

// rebuild factors H_FF anew and reports whether that is possible; if not, F is
// only a part of what it was, and the planes that have left it have no weight.
func (q *planeProgram) rebuild() bool {
	free := slices.Clone(q.free)
	q.free, q.factor.l, q.factor.y = q.free[:0], q.factor.l[:0], q.factor.y[:0]
	all := true
	for _, t := range free {
		if !q.enter(t) {
			q.alpha[t], all = 0, false
		}
	}
	return all
}

// enter adds plane t to F and reports whether the factor allows it.
func (q *planeProgram) enter(t int) bool {
	q.column = q.column[:0]
	for _, s := range q.free {
		q.column = append(q.column, q.h[t][s])
	}
	if !q.factor.add(q.column, q.h[t][t]+q.ridge, q.delta[t]) {
		return false
	}
	q.free = append(q.free, t)
	return true
}

// advance goes to the maximum over F, or as far as the weights allow, and reports
// whether that is the maximum.
func (q *planeProgram) advance() bool {
	q.mu = 0
	if len(q.free) == 0 {
		return true
	}
	for len(q.ones) < len(q.free) {
		q.ones = append(q.ones, 1)
	}
	q.u = q.factor.solveTo(q.u)
	var sum float64
	for _, x := range q.u {
		sum += x
	}
	if sum > q.c {
		q.v = q.factor.forwardTo(q.v, q.ones[:len(q.free)])
		q.column = q.factor.backTo(q.column, q.v)
		var unit float64
		for _, x := range q.column {
			unit += x
		}
		q.mu = (sum - q.c) / unit
		for f, x := range q.column {
			q.u[f] -= float64(q.mu * x)
		}
	}
	step, leaves := 1.0, -1
	for f, t := range q.free {
		if goal, a := q.u[f], q.alpha[t]; goal <= 0 {
			if s := a / (a - goal); leaves < 0 || s < step {
				step, leaves = min(s, 1), f
			}
		}
	}
	if leaves < 0 {
		for f, t := range q.free {
			q.alpha[t] = q.u[f]
		}
		return true
	}
	if !(step >= 0) {
		step = 0
	}
	for f, t := range q.free {
		q.alpha[t] = max(q.alpha[t]+float64(step*(q.u[f]-q.alpha[t])), 0)
	}
	q.alpha[q.free[leaves]] = 0
	q.factor.remove(leaves)
	q.free = slices.Delete(q.free, leaves, leaves+1)
	return false
}

// gradient recomputes the gradient.
func (q *planeProgram) gradient() {
	for t, row := range q.h {
		g := q.delta[t]
		for _, s := range q.free {
			g -= float64(row[s] * q.alpha[s])
		}
		q.grad[t] = g
	}
}

// dual returns the objective.
func (q *planeProgram) dual() float64 {
	// The gradient is delta - H alpha.
	return 0.5 * (dotOf(q.delta, q.alpha) + dotOf(q.grad, q.alpha))
}

package sparse

import (
	"cmp"
	"context"
	"errors"

	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"
)

// primal is the unconstrained problem of SpSVM and RSVM,
//
//	f(theta) = 1/2 theta' A theta + C/2 sum_i max(0, 1 - y_i o_i)^2,
//	o_i = sum_k theta_k R_ki,
//
// with m rows R_k of n entries, those of the kernel and for a bias a row of
// ones, and a positive semidefinite A. Newton's method takes
//
//	g = A theta - C sum_{i in I} slack_i y_i R_.i,  slack_i = 1 - y_i o_i,
//	H = A + C sum_{i in I} R_.i R_.i',  I = {i: slack_i > 0},
//
// and searches along -H^-1 g exactly. f is a quadratic function where I does not
// change, so that a full step within such a region ends at its minimum; f falls
// in every step, and there are finitely many regions ("finite Newton").
//
// H is either kept up to date, with its Cholesky factor, or only multiplied by
// (rsvm_cg.go). Points that come into I or leave it change H and its factor by
// rank one, in O(m^2) each. A step costs O(n m) besides.
type primal struct {
	ctx      context.Context
	c        float64
	positive int
	r        design      // R
	a        [][]float64 // lower triangle of A; nil for the identity
	theta    []float64   // m
	slack    []float64   // n
	active   []bool      // n, the set I that H is made of

	direct bool
	h      [][]float64 // lower triangle of H
	factor factor

	g, delta []float64 // m
	aTheta   []float64 // A theta, of the last objective
	aDelta   []float64 // A delta
	wide     []float64 // m rounded up, scratch, zeros when it is not in use
	sum      []float64 // m rounded up, scratch of conjugate gradients
	s, v     []float64 // n, scratch
	panel    []float32
	changed  []int32
	weights  []float64
	first    float64 // squared length of the first gradient, scaled, for conjugate gradients
}

// panelWidth is the number of points that enter H together: their entries of
// all rows fit a cache.
const panelWidth = 256

// refactorShare: a factor is computed afresh if more than m/refactorShare points
// have changed sides, which then costs less than a change of rank one for each.
const refactorShare = 5

// errSingular is the error of a matrix H that cannot be factored.
var errSingular = errors.New("the Newton equations cannot be factored; take a smaller C, or scale the kernel down if its values are large")

// newPrimal returns the problem of n points without rows, of which there will be
// so many at most: o = 0.
func newPrimal(ctx context.Context, c float64, p svm.Problem, most int) primal {
	n := p.Rows.Train()
	q := primal{
		ctx: ctx, c: c, positive: p.Positive, r: newDesign(n, most), slack: make([]float64, n), active: make([]bool, n),
		s: make([]float64, n), v: make([]float64, n), direct: true, factor: factor{most: most},
	}
	for i := range q.slack {
		q.slack[i], q.active[i] = 1, true
	}
	return q
}

// addRows adds rows, with theta = 0 for them. H is left alone, and so is A.
func (q *primal) addRows(rows ...[]float32) {
	q.r.add(rows...)
	q.wide = make([]float64, q.r.width())
	for _, x := range []*[]float64{&q.theta, &q.g, &q.delta, &q.aTheta, &q.aDelta} {
		*x = append(*x, make([]float64, len(rows))...)
	}
	for q.direct && len(q.h) < q.r.m {
		q.h = append(q.h, make([]float64, len(q.h)+1))
	}
}

// border computes what the last row, given once more, adds to H, and borders the
// factor, in O(|I| m + m^2).
func (q *primal) border(row []float32) error {
	for i, v := range row {
		q.v[i] = 0
		if q.active[i] {
			q.v[i] = float64(q.c * float64(v))
		}
	}
	q.r.sumTo(q.wide, q.v)
	last := q.r.m - 1
	h := q.h[last]
	for k := range h {
		h[k] = q.a[last][k] + q.wide[k]
	}
	clear(q.wide)
	if q.factor.border(h) {
		return nil
	}
	return q.refactor()
}

// signed sets dst[i] = y_i x_i.
func (q *primal) signed(dst, x []float64) {
	copy(dst[:q.positive], x)
	for i, v := range x[q.positive:] {
		dst[q.positive+i] = -v
	}
}

// responses sets dst_i = sum_k x_k R_ki.
func (q *primal) responses(dst, x []float64) {
	copy(q.wide, x)
	q.r.timesTo(dst, q.wide)
	clear(q.wide)
}

// refresh computes the slacks from theta.
func (q *primal) refresh() {
	q.responses(q.v, q.theta)
	q.signed(q.s, q.v)
	for i, s := range q.s {
		q.slack[i] = 1 - s
	}
}

// regularised sets dst = A x.
func (q *primal) regularised(dst, x []float64) {
	if q.a == nil {
		copy(dst, x)
		return
	}
	clear(dst)
	for j, row := range q.a {
		var sum float64
		for k, v := range row[:j] {
			sum += float64(v * x[k])
			dst[k] += float64(v * x[j])
		}
		dst[j] += sum + float64(row[j]*x[j])
	}
}

// objective returns f. It sets aTheta.
func (q *primal) objective() float64 {
	var loss float64
	for _, r := range q.slack {
		r = max(r, 0)
		loss += float64(r * r)
	}
	q.regularised(q.aTheta, q.theta)
	return (inner(q.aTheta, q.theta) + float64(q.c*loss)) / 2
}

// gradient sets g, given aTheta.
func (q *primal) gradient() {
	for i, r := range q.slack {
		q.v[i] = float64(q.c * max(r, 0))
	}
	q.signed(q.v, q.v)
	q.r.sumTo(q.wide, q.v)
	for k := range q.g {
		q.g[k] = q.aTheta[k] - q.wide[k]
	}
	clear(q.wide)
}

// step makes one step of Newton's method. It reports true, and changes nothing,
// if the step promises to lower f by no more than tolerance times f.
func (q *primal) step(tolerance float64) (done bool, err error) {
	if err := context.Cause(q.ctx); err != nil {
		return false, err
	}
	f := q.objective()
	q.gradient()
	slope, curvature, err := q.direction()
	if err != nil {
		return false, err
	}
	if !(-slope/2 > float64(tolerance*f)) {
		return true, nil
	}
	q.responses(q.v, q.delta)
	q.signed(q.s, q.v)
	line := hingeLine{c: q.c, curvature: curvature, slope: inner(q.aTheta, q.delta), slack: q.slack, s: q.s}
	t, decrease := line.minimise(1)
	if t == 0 || !(decrease > 0x1p-52*f) {
		return true, nil // nothing is left but rounding
	}
	for k, d := range q.delta {
		q.theta[k] += float64(t * d)
	}
	for i, s := range q.s {
		q.slack[i] -= float64(t * s)
	}
	return false, q.follow()
}

// direction sets delta = -H^-1 g. It returns the slope g'delta and the curvature
// delta' A delta.
func (q *primal) direction() (slope, curvature float64, err error) {
	if q.direct {
		for k, v := range q.g {
			q.delta[k] = -v
		}
		q.factor.solve(q.delta)
	} else if err := q.conjugateGradients(); err != nil {
		return 0, 0, err
	}
	q.regularised(q.aDelta, q.delta)
	return inner(q.g, q.delta), inner(q.aDelta, q.delta), nil
}

// follow brings I, H and its factor up to date with the slacks.
func (q *primal) follow() error {
	q.changed, q.weights = q.changed[:0], q.weights[:0]
	for i, r := range q.slack {
		if on := r > 0; on != q.active[i] {
			q.active[i] = on
			w := q.c
			if !on {
				w = -w
			}
			q.changed, q.weights = append(q.changed, int32(i)), append(q.weights, w)
		}
	}
	if len(q.changed) == 0 || !q.direct {
		return nil
	}
	return q.addOuter(q.changed, q.weights, len(q.changed)*refactorShare <= q.r.m)
}

// addOuter adds w_b R_.i R_.i' to H for the points i = index[b], and to its
// factor: by changes of rank one or by factoring H again.
func (q *primal) addOuter(index []int32, w []float64, rankOne bool) error {
	m := q.r.m
	if need := m * panelWidth; cap(q.panel) < need {
		q.panel = make([]float32, need)
	}
	var wide [panelWidth]float64
	for from := 0; from < len(index); from += panelWidth {
		if q.ctx.Err() != nil {
			return context.Cause(q.ctx)
		}
		to := min(from+panelWidth, len(index))
		points, width := index[from:to], to-from
		for b, i := range points {
			for k, v := range q.r.point(int(i))[:m] {
				q.panel[k*width+b] = v
			}
		}
		for j, row := range q.h {
			for b, v := range q.panel[j*width : (j+1)*width] {
				wide[b] = float64(w[from+b] * float64(v))
			}
			for k := range row {
				row[k] += vec.Dot32(wide[:width], q.panel[k*width:(k+1)*width])
			}
		}
		if rankOne {
			x := make([]float64, m)
			for b := range points {
				for k := range x {
					x[k] = float64(q.panel[k*width+b])
				}
				if !q.factor.addOuter(w[from+b], x) {
					rankOne = false
					break
				}
			}
		}
	}
	if rankOne {
		return nil
	}
	return q.refactor()
}

// refactor factors H. Where rounding has made it indefinite, a ridge is added
// to its diagonal that does.
func (q *primal) refactor() error {
	if q.factor.compute(q.h) {
		return nil
	}
	var most float64
	for j, row := range q.h {
		most = max(most, row[j])
	}
	most = cmp.Or(most, 1)
	for ridge := 1e-14; ridge < 1e-3; ridge *= 10 {
		for j, row := range q.h {
			row[j] += float64(ridge * most)
		}
		if q.factor.compute(q.h) {
			return nil
		}
	}
	return errSingular
}

// rebuild computes I, H and its factor from the slacks and the rows, O(n m^2).
func (q *primal) rebuild() error {
	q.changed, q.weights = q.changed[:0], q.weights[:0]
	for i, r := range q.slack {
		if q.active[i] = r > 0; q.active[i] {
			q.changed, q.weights = append(q.changed, int32(i)), append(q.weights, q.c)
		}
	}
	if !q.direct {
		return nil
	}
	for j, row := range q.h {
		if q.a == nil {
			clear(row)
			row[j] = 1
		} else {
			copy(row, q.a[j])
		}
	}
	return q.addOuter(q.changed, q.weights, false)
}

// inner returns x'y.
func inner(x, y []float64) float64 {
	var sum float64
	for k, v := range x {
		sum += float64(v * y[k])
	}
	return sum
}

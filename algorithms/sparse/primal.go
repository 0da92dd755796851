package sparse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"
	"stochopt/internal/finite"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// primal is the unconstrained problem of SpSVM and RSVM,
//
//	f(theta) = 1/2 theta' A theta + C/2 sum_i max(0, 1 - y_i o_i)^2,  o_i = sum_k theta_k R_ki,
//
// where the m rows R_k are kernel rows, preceded by a row of ones if there is a bias. A Newton step
// minimises f along -H^-1 g, with
//
//	g = A theta - C sum_{i in I} (1 - y_i o_i) y_i R_.i,  I = {i: y_i o_i <= 1},
//	H = A + C sum_{i in I} R_.i R_.i'.
//
// Every step decreases f, which is quadratic while I does not change ("finite Newton"). A step costs
// O(n m). If H changes, it also costs O(m^3), and O(m^2) for each point that has entered or left I.
type primal struct {
	ctx    context.Context
	c      float64
	p      svm.Problem
	basis  []int         // the points whose rows are in R
	bias   int           // 1 if there is a bias, otherwise 0
	rows   [][]float32   // R
	theta  []float64     // m
	margin []float64     // n, y_i o_i
	active []bool        // n, the set I used in H
	a      *mat.SymDense // nil for the identity
	h      *mat.SymDense // nil if the equations are solved by conjugateGradients
	factor mat.Cholesky  // of H, or empty
	lag    int           // number of outdated points in I that is tolerated while f decreases

	tolerance float64 // the least predicted decrease of f in a step, relative to f
	support   int
}

// newtonTolerance is the tolerance of SpSVM and RSVM.
const newtonTolerance = 1e-6

// newPrimal returns the problem of the named method, without rows.
func newPrimal(ctx context.Context, name string, c float64, p svm.Problem, rng *rand.Rand) (primal, error) {
	const maxC = 1e8 // beyond it, updates of H lose too much to rounding
	switch {
	case ctx == nil || rng == nil:
		return primal{}, errors.New("sparse: " + name + ": the context or the random generator is nil")
	case !(c > 0 && c <= maxC):
		return primal{}, fmt.Errorf("sparse: %s: C = %v; it must be positive and at most %g", name, c, maxC)
	}
	if err := checkProblem(name, p, false); err != nil {
		return primal{}, err
	}
	n := p.Rows.Train()
	margin, active := make([]float64, n), make([]bool, n)
	return primal{ctx: ctx, c: c, p: p, margin: margin, active: active, tolerance: newtonTolerance}, nil
}

// add adds a function with coefficient theta. row holds its values at the n points, and column its
// column of A with the diagonal element last. add overwrites column.
func (q *primal) add(row []float32, column []float64, theta float64) {
	q.rows, q.theta = append(q.rows, row), append(q.theta, theta)
	q.a = grown(q.a, column)
	w := make([]float64, len(row))
	for i, on := range q.active {
		if on {
			w[i] = q.c * float64(row[i])
		}
	}
	for k, other := range q.rows {
		column[k] += vec.Dot32(w, other)
	}
	q.h = grown(q.h, column)
	if !q.factor.IsEmpty() && !q.factor.ExtendVecSym(&q.factor, mat.NewVecDense(len(column), column)) {
		q.factor.Reset()
	}
	floats.Add(q.margin, q.margins([]float64{theta}, row))
}

// grown returns s with an additional column, whose last element is on the diagonal.
func grown(s *mat.SymDense, column []float64) *mat.SymDense {
	s = s.GrowSym(1).(*mat.SymDense)
	for k, v := range column {
		s.SetSym(k, len(column)-1, v)
	}
	return s
}

// newton takes one Newton step. If the predicted decrease of f is within the tolerance, or the actual
// decrease within rounding, it leaves theta unchanged and reports done.
func (q *primal) newton() (done bool, err error) {
	if err := context.Cause(q.ctx); err != nil {
		return false, err
	}
	f, g := q.value()
	for lag := q.lag; ; lag = 0 {
		outdated := q.updateHessian(lag)
		delta, err := q.direction(g)
		if err != nil {
			return false, err
		}
		if -floats.Dot(g, delta)/2 > float64(q.tolerance*f) {
			s, aDelta := q.margins(delta, q.rows...), q.regularised(delta)
			t, decrease := q.lineSearch(s, floats.Dot(aDelta, q.theta), floats.Dot(aDelta, delta))
			if decrease > 0x1p-52*f {
				floats.AddScaled(q.theta, t, delta)
				floats.AddScaled(q.margin, t, s)
				q.support = nonzeros(q.theta[q.bias:])
				return false, nil
			}
		}
		if !outdated {
			return true, nil
		}
	}
}

// updateHessian updates I and H if more than lag points have entered or left I. It reports whether I
// remains outdated. It costs O(m^2) for each such point, whereas recomputing H would cost as much for
// each point of I.
func (q *primal) updateHessian(lag int) (outdated bool) {
	const block = 256
	var changed []int
	for i, s := range q.margin {
		if s <= 1 != q.active[i] {
			changed = append(changed, i)
		}
	}
	if len(changed) <= lag {
		return len(changed) > 0
	}
	for _, i := range changed {
		q.active[i] = !q.active[i]
	}
	if q.h == nil {
		return false
	}
	q.factor.Reset()
	panel := make([][]float32, len(q.rows))
	for points := range slices.Chunk(changed, block) {
		for k, row := range q.rows {
			panel[k] = panel[k][:0]
			for _, i := range points {
				panel[k] = append(panel[k], row[i])
			}
		}
		w := make([]float64, len(points))
		for j, column := range panel {
			for b, i := range points {
				w[b] = math.Copysign(q.c, 1-q.margin[i]) * float64(column[b])
			}
			for k := range j + 1 {
				q.h.SetSym(j, k, q.h.At(j, k)+vec.Dot32(w, panel[k]))
			}
		}
	}
	return false
}

// value returns f and its gradient g.
func (q *primal) value() (f float64, g []float64) {
	w := make([]float64, len(q.margin))
	for i, s := range q.margin {
		r := max(1-s, 0)
		f += float64(r * r)
		w[i] = q.p.Label(i) * q.c * r
	}
	g = q.regularised(q.theta)
	f = (floats.Dot(q.theta, g) + float64(q.c*f)) / 2
	for k, row := range q.rows {
		g[k] -= vec.Dot32(w, row)
	}
	return f, g
}

var errSingular = errors.New("the Newton equations cannot be factored; use a smaller C, or scale the kernel down " +
	"if its values are large")

// direction returns -H^-1 g. If rounding has made H indefinite, it adds a ridge to the diagonal of H.
func (q *primal) direction(g []float64) ([]float64, error) {
	if q.h == nil {
		return q.conjugateGradients(g)
	}
	scale := mat.Norm(q.h, 1)
	for ridge := 1e-14; q.factor.IsEmpty() && !q.factor.Factorize(q.h); ridge *= 10 {
		if !(ridge < 1e-3) || !finite.Is(scale) {
			return nil, errSingular
		}
		for k := range g {
			q.h.SetSym(k, k, q.h.At(k, k)+float64(ridge*scale))
		}
	}
	delta := mat.NewVecDense(len(g), nil)
	_ = q.factor.SolveVecTo(delta, mat.NewVecDense(len(g), g)) // its error only warns that H is ill-conditioned
	delta.ScaleVec(-1, delta)
	return delta.RawVector().Data, nil
}

// regularised returns A x.
func (q *primal) regularised(x []float64) []float64 {
	if q.a == nil {
		return slices.Clone(x)
	}
	y := mat.NewVecDense(len(x), nil)
	y.MulVec(q.a, mat.NewVecDense(len(x), x))
	return y.RawVector().Data
}

// margins returns y_i sum_k x_k r_ki for all i.
func (q *primal) margins(x []float64, rows ...[]float32) []float64 {
	s := make([]float64, len(q.margin))
	for k, row := range rows {
		vec.AddScaled(s, x[k], row)
	}
	floats.Scale(-1, s[q.p.Positive:])
	return s
}

// lineSearch minimises f along a direction of theta in which the margins change by s,
//
//	phi(t) = slope t + curvature/2 t^2 + C/2 sum_i max(0, 1 - y_i o_i - t s_i)^2,
//
// where slope and curvature are those of theta' A theta/2. It uses Newton's method with a bracket of the
// minimum. It returns the minimum and the decrease of phi, or 0 and 0 if phi does not decrease.
func (q *primal) lineSearch(s []float64, slope, curvature float64) (t, decrease float64) {
	const maxEvals = 60    // evaluations of phi; about 5 are typical
	const tolerance = 1e-9 // slope at which the search stops, relative to the slope at 0
	lo, hi, start, enough := math.Inf(-1), math.Inf(1), 0.0, 0.0
	for step := range maxEvals {
		var loss, lossSlope, lossCurvature float64
		for i, m := range q.margin {
			if r := 1 - m - float64(t*s[i]); r > 0 {
				loss += float64(r * r)
				lossSlope -= float64(r * s[i])
				lossCurvature += float64(s[i] * s[i])
			}
		}
		phi := float64(t*(slope+float64(curvature*t)/2)) + float64(q.c*loss)/2
		first, second := slope+float64(curvature*t)+float64(q.c*lossSlope), curvature+float64(q.c*lossCurvature)
		if step == 0 {
			start, enough = phi, tolerance*math.Abs(first)
		}
		decrease = start - phi
		if math.Abs(first) <= enough || !(second > 0) || t == lo || t == hi {
			break
		}
		if first < 0 {
			lo = t
		} else {
			hi = t
		}
		t -= first / second
		if !(t > lo && t < hi) {
			t = lo + (hi-lo)/2
		}
	}
	if !(decrease > 0) {
		return 0, 0
	}
	return t, decrease
}

// Support implements Learner.
func (q *primal) Support() int { return q.support }

// ExpansionTo implements Learner.
func (q *primal) ExpansionTo(e *Expansion) {
	e.Reset()
	e.Bias = floats.Sum(q.theta[:q.bias])
	for k, beta := range q.theta[q.bias:] {
		if beta != 0 {
			e.Add(q.basis[k], beta)
		}
	}
}

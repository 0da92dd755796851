package external

import (
	"math"
	"slices"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/internal/finite"
)

// form says how a classifier is known.
type form int

const (
	// training: by coefficients of the training points.
	training form = iota
	// vectors: by vectors of its own and their coefficients.
	vectors
	// weights: by a weight for each feature.
	weights
	// fourier: by frequencies, and weights of their cosines and sines.
	fourier
)

// forms has the arrays of each form, the one that it is recognised by first.
var forms = [...][]string{
	training: {"alpha"}, vectors: {"vectors", "coefficients"}, weights: {"weights"},
	fourier: {"frequencies", "cosines", "sines"},
}

// classifier is one as a program hands it in, with its response to x:
//
//	training  sum_i coef[i] K(x_i, x) + b over the training points
//	vectors   sum_k coef[k] K(z_k, x) + b
//	weights   <coef, x> + b
//	fourier   sum_k coef[k] cos<z_k, x> + sines[k] sin<z_k, x> + b
type classifier struct {
	kind        form
	coef, sines []float64
	// z holds m rows of d features.
	z    []float64
	m, d int
	bias float64
}

// take checks a state and keeps it.
func (c *classifier) take(r *kernelRun, s *State) (err error) {
	kind := slices.IndexFunc(forms[:], func(names []string) bool { _, ok := s.Arrays[names[0]]; return ok })
	if kind < 0 {
		return r.process.fail("its state is no classifier: it has none of alpha, vectors, weights and frequencies")
	}
	c.kind, c.bias = form(kind), s.Bias
	if !finite.Is(c.bias) {
		return r.process.fail("the bias is %v", c.bias)
	}
	_, c.d = r.problem.Points.Dims()
	read := func(name string, dst []float64, shape ...int) []float64 {
		a, ok := s.Arrays[name]
		switch {
		case err != nil:
		case !ok:
			err = r.process.fail("its state has %s and no %s", forms[kind][0], name)
		default:
			dst, err = r.process.Array(name, a, dst, shape...)
			c.m = 0
			if len(a.Shape) > 0 {
				c.m = a.Shape[0]
			}
		}
		return dst
	}
	switch c.kind {
	case training:
		c.coef = read("alpha", c.coef, r.n)
	case vectors:
		c.z = read("vectors", c.z, -1, c.d)
		c.coef = read("coefficients", c.coef, c.m)
	case weights:
		c.coef = read("weights", c.coef, c.d)
	case fourier:
		c.z = read("frequencies", c.z, -1, c.d)
		c.coef = read("cosines", c.coef, c.m)
		c.sines = read("sines", c.sines, c.m)
	}
	return err
}

// scores evaluates classifiers on all points.
type scores struct {
	// products are those of the coefficients before, beta, with the rows of the kernel.
	products, beta []float64
	buf            []float64
}

// of writes a classifier with its responses.
func (t *scores) of(r *kernelRun, c *classifier, s *svm.Solution) {
	s.Bias, s.Alpha = c.bias, s.Alpha[:0]
	s.Scores = slices.Grow(s.Scores[:0], r.problem.Rows.Len())[:r.problem.Rows.Len()]
	switch c.kind {
	case training:
		t.dual(r, c, s)
	case weights:
		t.each(r, c, func(j int, _ float64, x point) { s.Scores[j] = x.dot(c.coef) })
		s.NormSq = sumSq(c.coef)
	case fourier:
		t.each(r, c, func(j int, _ float64, x point) {
			s.Scores[j] = 0
			for k := range c.m {
				sin, cos := math.Sincos(x.dot(c.row(k)))
				s.Scores[j] += float64(c.coef[k]*cos) + float64(c.sines[k]*sin)
			}
		})
		s.NormSq = sumSq(c.coef) + sumSq(c.sines)
	case vectors:
		t.expansion(r, c, s)
	}
	for j := range s.Scores {
		s.Scores[j] += c.bias
	}
}

// dual evaluates coefficients of the training points, anew or by those that have changed
// since, whichever reads fewer kernel rows.
func (t *scores) dual(r *kernelRun, c *classifier, s *svm.Solution) {
	if t.beta == nil {
		t.beta, t.products = make([]float64, r.n), make([]float64, len(s.Scores))
	}
	changed, support := 0, 0
	for i, v := range c.coef {
		if v != t.beta[i] {
			changed++
		}
		if v != 0 {
			support++
		}
	}
	if changed > support {
		clear(t.beta)
		clear(t.products)
	}
	var index []int
	var coef []float64
	for i, v := range c.coef {
		if by := v - t.beta[i]; by != 0 {
			index, coef = append(index, i), append(coef, by)
		}
		t.beta[i] = v
	}
	sparse.AddRows(t.products, index, coef, r.problem.Rows.Row)
	copy(s.Scores, t.products)
	s.NormSq = 0
	for i, v := range c.coef {
		s.Alpha = append(s.Alpha, v*r.problem.Label(i))
		s.NormSq += float64(v * t.products[i])
	}
}

// expansion evaluates vectors of the program's own.
func (t *scores) expansion(r *kernelRun, c *classifier, s *svm.Solution) {
	norms := make([]float64, c.m)
	for k := range norms {
		norms[k] = sumSq(c.row(k))
	}
	kern := r.problem.Kern
	t.each(r, c, func(j int, normSq float64, x point) {
		s.Scores[j] = 0
		for k := range c.m {
			s.Scores[j] += float64(c.coef[k] * kern.Eval(x.dot(c.row(k)), norms[k], normSq))
		}
	})
	s.NormSq = 0
	for k := range c.m {
		for l := range c.m {
			dot := point{values: c.row(k)}.dot(c.row(l))
			s.NormSq += float64(c.coef[k] * float64(c.coef[l]*kern.Eval(dot, norms[k], norms[l])))
		}
	}
}

func (c *classifier) row(k int) []float64 { return c.z[k*c.d : (k+1)*c.d] }

// point is one by its features; indices are nil where all are there.
type point struct {
	indices []int32
	values  []float64
}

func (x point) dot(z []float64) (sum float64) {
	if x.indices == nil {
		for j, v := range x.values {
			sum += float64(v * z[j])
		}
		return sum
	}
	for k, j := range x.indices {
		sum += float64(x.values[k] * z[j])
	}
	return sum
}

// each visits all points, with |x|^2.
func (t *scores) each(r *kernelRun, c *classifier, visit func(j int, normSq float64, x point)) {
	points := r.problem.Points
	t.buf = slices.Grow(t.buf[:0], c.d)[:c.d]
	n, _ := points.Dims()
	for j := range n {
		x := point{}
		if points.Sparse() {
			if x.indices, x.values = points.RowNonZero(j); x.indices == nil {
				x.indices = []int32{}
			}
		} else {
			x.values = points.Row(j, t.buf)
		}
		visit(j, sumSq(x.values), x)
	}
}

func sumSq(values []float64) (sum float64) {
	for _, v := range values {
		sum += float64(v * v)
	}
	return sum
}

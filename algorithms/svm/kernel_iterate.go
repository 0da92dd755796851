package svm

import (
	"fmt"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/vec"
)

// foldBelow is the scale at which the scale is folded into the coefficients. The running average is a
// difference of numbers that are larger by about the inverse of the scale, so foldBelow also bounds the
// loss of precision.
const foldBelow = 1.0 / 64

// kernelIterate is the vector w of a kernel method that changes one coefficient per step. It holds the
// responses of the training points and the scores of the others:
//
//	w = s v,  v = sum_i alpha_i y_i Phi(x_i),
//	c_j = y_j <v, Phi(x_j)>, j < n,  c_j = <v, Phi(x_j)>, n <= j < N.
//
// Scaling w only changes s. The sum of the first T iterates is represented as
//
//	w_1 + … + w_T = A v - b,  A = s_1 + … + s_T.
//
// To preserve this, adding delta Phi to v also adds A_{t-1} delta Phi to b. So a step with scaling and
// averaging takes one pass over c, b and a kernel row, and a step that changes no coefficient costs
// O(1).
type kernelIterate struct {
	name    string
	p       Problem
	n       int
	diag    []float64
	maxDiag float64 // max_i K(x_i, x_i) over the training points
	rows    rows.Finite
	cost    algorithms.Cost

	scale   float64   // s
	alpha   []float64 // coefficients of v
	c       []float64
	support int // number of nonzero coefficients of v

	weight float64   // A
	beta   []float64 // coefficients of b
	b      []float64 // responses and scores of b; nil without an average
}

// newKernelIterate returns w = 0 for the named method. It returns an error if p is invalid. average
// enables averageTo.
func newKernelIterate(name string, p Problem, average bool) (kernelIterate, error) {
	if err := p.Check(false); err != nil {
		return kernelIterate{}, fmt.Errorf("svm: %s: %w", name, err)
	}
	n, all, diag := p.Rows.Train(), p.Rows.Len(), p.Rows.Diag()
	it := kernelIterate{
		name: name, p: p, n: n, diag: diag, maxDiag: slices.Max(diag[:n]), rows: rows.New(p.Rows),
		scale: 1, alpha: make([]float64, n), c: make([]float64, all),
	}
	if average {
		it.beta, it.b = make([]float64, n), make([]float64, all)
	}
	return it, nil
}

// Cost implements algorithms.Stepper.
func (it *kernelIterate) Cost() algorithms.Cost { return it.cost }

// Support implements SupportCounter.
func (it *kernelIterate) Support() int { return it.support }

// SupportBounds implements SupportCounter for methods that increase one coefficient in each step.
func (it *kernelIterate) SupportBounds() (least, most int) { return it.support, it.support + 1 }

// charge counts a step with a working set of k points. moved tells whether coefficients changed.
func (it *kernelIterate) charge(k int, moved bool) {
	evals := int64(k) * int64(it.n)
	it.cost.Iterations++
	it.cost.KernelEvals += evals
	it.cost.InnerProducts += evals
	if moved {
		it.cost.KernelEvalsMoved += evals
	}
}

// response returns y_i <w, Phi(x_i)>.
func (it *kernelIterate) response(i int) float64 { return it.scale * it.c[i] }

// add adds delta y_i Phi(x_i) to w. row is row i of the kernel. It must be finite, because add cannot be
// undone.
func (it *kernelIterate) add(i int, delta float64, row []float32) {
	d := delta / it.scale
	if it.alpha[i] == 0 {
		it.support++
	}
	it.alpha[i] += d
	if it.b != nil {
		it.beta[i] += it.weight * d
	}
	d *= it.p.Label(i)
	np := it.p.Positive
	it.addRow(0, np, d, row)
	it.addRow(np, it.n, -d, row)
	it.addRow(it.n, len(row), d, row)
}

// addRow adds d row[from:to] to c and, with an average, A d row[from:to] to b.
func (it *kernelIterate) addRow(from, to int, d float64, row []float32) {
	if it.b == nil {
		vec.AddScaled(it.c[from:to], d, row[from:to])
		return
	}
	vec.AddScaled2(it.c[from:to], d, it.b[from:to], it.weight*d, row[from:to])
}

// addToAverage adds w to the sum of the iterates. It must be called once in each step.
func (it *kernelIterate) addToAverage() { it.weight += it.scale }

// shrink multiplies w by a factor 0 < f <= 1.
func (it *kernelIterate) shrink(f float64) {
	it.scale *= f
	if it.scale < foldBelow {
		fold(it.alpha, it.scale, it.beta, it.weight)
		fold(it.c, it.scale, it.b, it.weight)
		it.scale, it.weight = 1, 0
	}
}

// fold subtracts a v from b, unless b is empty, and multiplies v by s.
func fold(v []float64, s float64, b []float64, a float64) {
	for j := range b {
		b[j] -= float64(a * v[j])
	}
	for j := range v {
		v[j] *= s
	}
}

// lastTo writes the last iterate w.
func (it *kernelIterate) lastTo(dst *Solution) { it.combineTo(dst, it.scale, 0) }

// averageTo writes the average of the iterates, or 0 before the first step.
func (it *kernelIterate) averageTo(dst *Solution) {
	t := float64(max(1, it.cost.Iterations))
	it.combineTo(dst, it.weight/t, 1/t)
}

// combineTo writes the classifier with the weight vector p v - q b.
func (it *kernelIterate) combineTo(dst *Solution, p, q float64) {
	np := it.p.Positive
	dst.Scores = resize(dst.Scores, len(it.c))
	dst.Alpha = resize(dst.Alpha, it.n)
	combine(dst.Scores, p, it.c, q, it.b)
	combine(dst.Alpha, p, it.alpha, q, it.beta)
	dst.Bias = 0
	dst.NormSq = max(0, product(dst.Alpha[:np], dst.Scores)+product(dst.Alpha[np:], dst.Scores[np:]))
	for j := range dst.Scores[np:it.n] {
		dst.Scores[np+j] *= -1
	}
}

// combine sets dst to p v - q b. b may be empty.
func combine(dst []float64, p float64, v []float64, q float64, b []float64) {
	for j := range dst {
		dst[j] = p * v[j]
	}
	for j := range b {
		dst[j] -= float64(q * b[j])
	}
}

// product returns sum_i alpha_i c_i.
func product(alpha, c []float64) float64 {
	var s float64
	for i, a := range alpha {
		s += float64(a * c[i])
	}
	return s
}

// multiply multiplies w by f, but not the bias.
func (s *Solution) multiply(f float64) {
	for i := range s.Alpha {
		s.Alpha[i] *= f
	}
	for j := range s.Scores {
		s.Scores[j] *= f
	}
	s.NormSq *= f * f
}

func resize(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// badRow returns the status of a step whose kernel row is invalid.
func (it *kernelIterate) badRow(err error) algorithms.Status {
	return algorithms.Status{
		State:  rows.State(err),
		Reason: fmt.Sprintf("svm: %s: iteration %d: %v", it.name, it.cost.Iterations+1, err),
	}
}

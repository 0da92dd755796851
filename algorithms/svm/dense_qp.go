package svm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// denseQP is a dense quadratic program in q variables,
//
//	minimise f(z) = z'Kz/2 + b'z  subject to lo_i <= z_i <= hi_i, lo_i <= 0 <= hi_i,
//	and if balanced also to sum_i z_i = 0,
//
// with K symmetric and positive semidefinite up to rounding. It is solved from z = 0 by an active-set
// method, which alternates two phases:
//
//  1. Newton steps minimise over the free variables. A variable that stops a step at its
//     bound is no longer free.
//  2. The variables at a bound that most violate the optimality conditions, in either
//     direction, become free.
//
// A Newton step adds a ridge to the diagonal of K: the least of 1e-12, 1e-10, … times the greatest
// element for which K is positive definite. The ridge does not change the solution, because steps are
// repeated while f decreases.
//
// Source: Nocedal and Wright 1999, "Numerical Optimization", section 16.4.
type denseQP struct {
	balanced  bool
	k         blas64.General // q x q
	b, lo, hi []float64      // q
	z         []float64      // q

	grad   []float64
	free   []int
	scale  float64   // greatest element of the diagonal of K
	factor []float64 // workspace for the factor of K over the free variables
	steps  []float64 // workspace for two right-hand sides, a row for each free variable
}

func newDenseQP(q int, balanced bool) *denseQP {
	space := make([]float64, 2*q*q+7*q)
	v := func(n int) (part []float64) {
		part, space = space[:n:n], space[n:]
		return part
	}
	return &denseQP{
		balanced: balanced, k: blas64.General{Rows: q, Cols: q, Stride: q, Data: v(q * q)},
		b: v(q), lo: v(q), hi: v(q), z: v(q), grad: v(q),
		factor: v(q * q), steps: v(2 * q), free: make([]int, 0, q),
	}
}

// solve sets z to the minimiser and returns -f(z) >= 0.
func (p *denseQP) solve() float64 {
	const accuracy = 1e-12
	clear(p.z)
	p.free, p.scale = p.free[:0], 0
	for i := range p.z {
		p.scale = max(p.scale, p.k.Data[i*p.k.Stride+i])
		if p.lo[i] < 0 && 0 < p.hi[i] {
			p.free = append(p.free, i)
		}
	}
	p.gradient()
	tolerance := accuracy * p.release()
	last := 0.0
	for range 50 + 10*len(p.z) {
		p.minimiseFace()
		f := p.value()
		if !(f < last) || p.release() <= tolerance {
			break
		}
		last = f
	}
	return max(0, -p.value())
}

// gradient sets grad = Kz + b.
func (p *denseQP) gradient() {
	copy(p.grad, p.b)
	z := blas64.Vector{N: len(p.z), Inc: 1, Data: p.z}
	blas64.Gemv(blas.NoTrans, 1, p.k, z, 1, blas64.Vector{N: len(p.z), Inc: 1, Data: p.grad})
}

// value returns f(z), given the gradient.
func (p *denseQP) value() (f float64) {
	for i, z := range p.z {
		f += 0.5 * float64(z*(p.b[i]+p.grad[i]))
	}
	return f
}

// release frees the variables that most violate the optimality conditions, and returns the violation.
func (p *denseQP) release() (violation float64) {
	up, down, least, greatest := -1, -1, 0.0, 0.0
	if p.balanced {
		least, greatest = math.Inf(1), math.Inf(-1)
	}
	for i, g := range p.grad {
		if p.z[i] < p.hi[i] && g < least {
			up, least = i, g
		}
		if p.z[i] > p.lo[i] && g > greatest {
			down, greatest = i, g
		}
	}
	for _, i := range [2]int{up, down} {
		if i >= 0 && !slices.Contains(p.free, i) {
			p.free = append(p.free, i)
		}
	}
	return max(0, greatest-least)
}

// minimiseFace minimises over the free variables.
func (p *denseQP) minimiseFace() {
	for stopped := 0; stopped >= 0 && len(p.free) > 0; {
		steps := p.newton()
		length := 1.0
		stopped = -1
		for r, i := range p.free {
			bound := p.hi[i]
			if steps[2*r] < 0 {
				bound = p.lo[i]
			}
			if room := bound - p.z[i]; math.Abs(room) < length*math.Abs(steps[2*r]) {
				length, stopped = room/steps[2*r], r
			}
		}
		for r, i := range p.free {
			p.z[i] = min(max(p.z[i]+float64(length*steps[2*r]), p.lo[i]), p.hi[i])
		}
		if stopped >= 0 {
			i := p.free[stopped]
			p.z[i] = p.hi[i]
			if steps[2*stopped] < 0 {
				p.z[i] = p.lo[i]
			}
			p.free = slices.Delete(p.free, stopped, stopped+1)
		}
		p.gradient()
	}
}

// newton returns the step to the minimum over the free variables, in the first of two columns.
func (p *denseQP) newton() []float64 {
	m := len(p.free)
	var factor blas64.Triangular
	for ridge, ok := 1e-12*p.scale+1e-100, false; !ok; ridge *= 100 {
		a := blas64.Symmetric{N: m, Stride: m, Uplo: blas.Upper, Data: p.factor[:m*m]}
		for r, i := range p.free {
			for c, j := range p.free {
				a.Data[r*m+c] = p.k.Data[i*p.k.Stride+j]
			}
			a.Data[r*m+r] += ridge
		}
		factor, ok = lapack64.Potrf(a)
	}
	// The negative gradient, and the direction of the multiplier of the balance.
	steps := p.steps[:2*m]
	var mean float64
	if p.balanced {
		for _, i := range p.free {
			mean += p.grad[i] / float64(m)
		}
	}
	for r, i := range p.free {
		steps[2*r], steps[2*r+1] = mean-p.grad[i], 1
	}
	lapack64.Potrs(factor, blas64.General{Rows: m, Cols: 2, Stride: 2, Data: steps})
	// Twice, because the rounding error of the sum may be as large as the step.
	for pass := 0; p.balanced && pass < 2; pass++ {
		var sum, ones float64
		for r := range m {
			sum += steps[2*r]
			ones += steps[2*r+1]
		}
		for r := range m {
			steps[2*r] -= float64(sum / ones * steps[2*r+1])
		}
	}
	return steps
}

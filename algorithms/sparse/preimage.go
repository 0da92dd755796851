package sparse

import (
	"math"

	"stochopt/algorithms/internal/vec"

	"gonum.org/v1/gonum/floats"
)

// preimage finds approximate pre-images under the Gaussian kernel. For
//
//	Psi = sum_i a_i Phi(x_i) + sum_j b_j Phi(z_j)
//
// it finds a local maximum z of f(z) = <Psi, Phi(z)>^2. There a multiple of Phi(z) is locally closest to
// Psi: as K(z, z) = 1, |Psi - beta Phi(z)|^2 = |Psi|^2 - f(z) for the best beta, <Psi, Phi(z)>. A
// stationary z is a fixed point of
//
//	z <- (sum_i a_i K(x_i, z) x_i + sum_j b_j K(z_j, z) z_j) / <Psi, Phi(z)>.
//
// The coefficients have both signs, so the denominator may vanish. However, the step of the iteration is
// the gradient of f divided by 4 gamma f(z), an ascent direction. Its length is halved until f
// increases, and doubled for the next step. So f never decreases, and the denominator never becomes
// smaller in magnitude than at the start.
//
// An evaluation of f costs a pass over the points and vectors, and is charged one kernel evaluation for
// each.
//
// Source: Schölkopf, Mika, Burges, Knirsch, Müller, Rätsch and Smola 1999, "Input space versus feature
// space in kernel-based methods", abstract read; the iteration (section IV) is from memory, and agrees
// with SVMperf; the line search is ours.
type preimage struct {
	in        Inputs
	rowTo     func(dst []float32, z []float64) // sets dst[i] to K(z, x_i)
	combineTo func(z, w []float64)             // adds sum_i w[i] x_i to z
	tolerance float64                          // relative increase of f at which the search stops
	maxEvals  int                              // evaluations of f after which no further step begins

	a, b    []float64
	vectors [][]float64 // z_j

	evals int64 // kernel evaluations so far

	best, trial   state
	weights, step []float64
}

// state is a candidate z with its kernel values.
type state struct {
	z    []float64
	g    float64   // <Psi, Phi(z)>
	row  []float32 // K(z, x_i)
	gram []float64 // K(z, z_j)
}

// newPreimage returns a search with no vectors z_j. The points x_i have the coefficients a and are
// accessed through rowTo and combineTo.
func newPreimage(in Inputs, a []float64, rowTo func([]float32, []float64), combineTo func(z, w []float64)) *preimage {
	newState := func() state { return state{z: make([]float64, in.Dim()), row: make([]float32, len(a))} }
	return &preimage{
		in: in, a: a, rowTo: rowTo, combineTo: combineTo, tolerance: 1e-4, maxEvals: 100,
		best: newState(), trial: newState(),
		weights: make([]float64, len(a)), step: make([]float64, in.Dim()),
	}
}

// search searches from z, which it does not change, and stores the result in p.best. It returns false if
// <Psi, Phi(z)> is 0 or not finite.
func (p *preimage) search(z []float64) bool {
	const halvings, longest = 8, 8
	copy(p.best.z, z)
	p.evaluate(&p.best)
	length := 1.0
	for used := 1; used < p.maxEvals; {
		f := p.best.g * p.best.g
		if !(f > 0 && f <= math.MaxFloat64) {
			return false
		}
		p.direction()
		gain := 0.0
		for range halvings {
			floats.AddScaledTo(p.trial.z, p.best.z, length, p.step)
			p.evaluate(&p.trial)
			used++
			if gain = (float64(p.trial.g*p.trial.g) - f) / f; gain > 0 {
				break
			}
			length /= 2
		}
		if !(gain > 0) {
			return true
		}
		p.best, p.trial = p.trial, p.best
		if gain <= p.tolerance {
			return true
		}
		length = min(2*length, longest)
	}
	return true
}

// evaluate computes the kernel values of s.z and <Psi, Phi(z)>.
func (p *preimage) evaluate(s *state) {
	p.rowTo(s.row, s.z)
	s.g = vec.Dot32(p.a, s.row)
	s.gram = s.gram[:0]
	for j, z := range p.vectors {
		k := p.in.Eval(s.z, z)
		s.gram = append(s.gram, k)
		s.g += float64(p.b[j] * k)
	}
	p.evals += int64(len(p.a) + len(p.vectors))
}

// direction sets p.step to the step of the fixed-point iteration at p.best.
func (p *preimage) direction() {
	s := &p.best
	for i, a := range p.a {
		p.weights[i] = float64(a*float64(s.row[i])) / s.g
	}
	clear(p.step)
	p.combineTo(p.step, p.weights)
	for j, z := range p.vectors {
		floats.AddScaled(p.step, float64(p.b[j]*s.gram[j])/s.g, z)
	}
	floats.Sub(p.step, s.z)
}

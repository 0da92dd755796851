package sparse

import (
	"math"

	"stochopt/algorithms/internal/vec"

	"gonum.org/v1/gonum/floats"
)

// preimage finds approximate pre-images under the Gaussian kernel: for
//
//	Psi = sum_i a_i Phi(x_i) + sum_j b_j Phi(z_j)
//
// a z at which f(z) = <Psi, Phi(z)>^2 has a local maximum, so that the best
// multiple of Phi(z) is closest to Psi: |Psi - beta Phi(z)|^2 = |Psi|^2 - f(z) at
// beta = <Psi, Phi(z)>, as K(z, z) = 1. A stationary z is a fixed point of
//
//	z <- (sum_i a_i K(x_i, z) x_i + sum_j b_j K(z_j, z) z_j) / <Psi, Phi(z)>.
//
// The coefficients have both signs, so the denominator may vanish. But the step of
// the iteration is the gradient of f divided by 4 gamma f(z), a direction of ascent:
// its length is halved until f increases, and doubled at the next step. So f never
// decreases, and the denominator is never less in magnitude than at the start.
//
// An evaluation of f costs a pass over the points and vectors, and is charged
// their number in kernel evaluations.
//
// Source: Schölkopf, Mika, Burges, Knirsch, Müller, Rätsch and Smola 1999, "Input
// space versus feature space in kernel-based methods", abstract read, the iteration
// (section IV) from memory, and the same as in SVMperf; the line search is ours.
type preimage struct {
	in        Inputs
	rowTo     func(dst []float32, z []float64) // sets dst[i] to K(z, x_i)
	combineTo func(z, w []float64)             // adds sum_i w[i] x_i to z
	tolerance float64                          // relative gain in f at which it stops
	most      int                              // evaluations of f, beyond which no further step begins

	a, b    []float64
	vectors [][]float64 // z_j

	evals int64 // kernel evaluations so far

	best, other   state
	weights, step []float64
}

// state is a z with its kernel values.
type state struct {
	z   []float64
	g   float64   // <Psi, Phi(z)>
	row []float32 // K(z, x_i)
	at  []float64 // K(z, z_j)
}

// newPreimage returns a search for which there are no vectors, and whose points, with the
// coefficients a, are known by rowTo and combineTo.
func newPreimage(in Inputs, a []float64, rowTo func([]float32, []float64), combineTo func(z, w []float64)) *preimage {
	newState := func() state { return state{z: make([]float64, in.Dim()), row: make([]float32, len(a))} }
	return &preimage{
		in: in, a: a, rowTo: rowTo, combineTo: combineTo, tolerance: 1e-4, most: 100,
		best: newState(), other: newState(),
		weights: make([]float64, len(a)), step: make([]float64, in.Dim()),
	}
}

// climb starts at z and leaves what it finds in p.best; z is not changed. It
// reports false if <Psi, Phi(z)> is 0 or not finite.
func (p *preimage) climb(z []float64) bool {
	const halvings, longest = 8, 8
	copy(p.best.z, z)
	p.evaluate(&p.best)
	length := 1.0
	for used := 1; used < p.most; {
		f := p.best.g * p.best.g
		if !(f > 0 && f <= math.MaxFloat64) {
			return false
		}
		p.direction()
		gain := 0.0
		for range halvings {
			floats.AddScaledTo(p.other.z, p.best.z, length, p.step)
			p.evaluate(&p.other)
			used++
			if gain = (float64(p.other.g*p.other.g) - f) / f; gain > 0 {
				break
			}
			length /= 2
		}
		if !(gain > 0) {
			return true
		}
		p.best, p.other = p.other, p.best
		if gain <= p.tolerance {
			return true
		}
		length = min(2*length, longest)
	}
	return true
}

// evaluate finds the kernel values of s.z and <Psi, Phi(z)>.
func (p *preimage) evaluate(s *state) {
	p.rowTo(s.row, s.z)
	s.g = vec.Dot32(p.a, s.row)
	s.at = s.at[:0]
	for j, z := range p.vectors {
		k := p.in.Eval(s.z, z)
		s.at = append(s.at, k)
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
		floats.AddScaled(p.step, float64(p.b[j]*s.at[j])/s.g, z)
	}
	floats.Sub(p.step, s.z)
}

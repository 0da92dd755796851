package sparse

import (
	"math"

	"stochopt/algorithms/internal/vec"
)

// pointSet is a set of training points x_1, …, x_m as sums over them need it.
type pointSet struct {
	size int
	// rowTo sets dst[i] to K(z, x_i), rounded as rows are.
	rowTo func(dst []float32, z []float64)
	// combineTo adds sum_i w[i] x_i to z.
	combineTo func(z, w []float64)
}

// allPoints is the set of all training points.
func allPoints(in Inputs) pointSet { return pointSet{in.Train(), in.RowTo, in.CombineTo} }

// somePoints is the set of the given training points.
func somePoints(in Inputs, points []int) pointSet {
	rowTo, combineTo := in.Pack(points)
	return pointSet{len(points), rowTo, combineTo}
}

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
// The coefficients have both signs, so the denominator may vanish and the
// iteration may jump away. But the step that it takes is the gradient of f
// divided by 4 gamma f(z): a direction of ascent. It is therefore halved for as
// long as f does not rise. f never decreases, and the denominator is never less
// in magnitude than at the start. If f rises, a step twice as long is tried at
// the next turn.
//
// An evaluation of f costs a pass over the points and vectors, and is charged
// their number in kernel evaluations.
//
// Source: Schölkopf, Mika, Burges, Knirsch, Müller, Rätsch and Smola 1999, "Input
// space versus feature space in kernel-based methods", abstract read, the iteration
// (section IV) from memory, and the same as in SVMperf; the line search is ours.
type preimage struct {
	in        Inputs
	points    pointSet
	tolerance float64 // relative gain in f at which it stops
	most      int     // evaluations of f of a climb

	a       []float64   // of the points
	b       []float64   // of the vectors
	vectors [][]float64 // z_j

	evals int64 // kernel evaluations so far

	best, other   state
	weights, move []float64
}

// state is a z with its kernel values.
type state struct {
	z   []float64
	g   float64   // <Psi, Phi(z)>
	row []float32 // K(z, x_i)
	at  []float64 // K(z, z_j)
}

const (
	preimageTolerance = 1e-4
	preimageMost      = 100
	preimageHalvings  = 8
	preimageLongest   = 8
)

func newPreimage(in Inputs, points pointSet) *preimage {
	p := &preimage{in: in, points: points, tolerance: preimageTolerance, most: preimageMost}
	for _, s := range []*state{&p.best, &p.other} {
		s.z, s.row = make([]float64, in.Dim()), make([]float32, points.size)
	}
	p.weights, p.move = make([]float64, points.size), make([]float64, in.Dim())
	return p
}

// evaluate finds the kernel values of s.z and <Psi, Phi(z)>.
func (p *preimage) evaluate(s *state) {
	p.points.rowTo(s.row, s.z)
	s.g = vec.Dot32(p.a, s.row)
	s.at = s.at[:0]
	for j, z := range p.vectors {
		k := p.in.Eval(s.z, z)
		s.at = append(s.at, k)
		s.g += float64(p.b[j] * k)
	}
	p.evals += int64(p.points.size + len(p.vectors))
}

// climb starts at z and leaves what it finds in p.best; z is not changed. It
// reports whether everything is finite and <Psi, Phi(z)> is not 0.
func (p *preimage) climb(z []float64) bool {
	copy(p.best.z, z)
	p.evaluate(&p.best)
	length := 1.0
	for used := 1; used < p.most; {
		if f := p.best.g * p.best.g; !(f > 0) || math.IsInf(f, 1) {
			return false
		}
		if !p.direction() {
			return false
		}
		t, rose := length, false
		var gain float64
		for range preimageHalvings {
			for d, x := range p.best.z {
				p.other.z[d] = x + float64(t*p.move[d])
			}
			p.evaluate(&p.other)
			used++
			old := p.best.g * p.best.g
			if gain = p.other.g*p.other.g - old; gain > 0 {
				rose = true
				gain /= old
				break
			}
			t /= 2
		}
		if !rose {
			return true
		}
		p.best, p.other = p.other, p.best
		length = min(2*t, preimageLongest)
		if gain <= p.tolerance {
			return true
		}
	}
	return true
}

// direction sets p.move to the step of the fixed-point iteration and reports
// whether it is finite.
func (p *preimage) direction() bool {
	s := &p.best
	clear(p.move)
	for i, a := range p.a {
		p.weights[i] = float64(a*float64(s.row[i])) / s.g
	}
	p.points.combineTo(p.move, p.weights)
	for j, z := range p.vectors {
		w := float64(p.b[j]*s.at[j]) / s.g
		if w == 0 {
			continue
		}
		for d, x := range z {
			p.move[d] += float64(w * x)
		}
	}
	var sum float64
	for d, x := range s.z {
		p.move[d] -= x
		sum += math.Abs(p.move[d])
	}
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
)

func newLinearOrder(seed uint64, n int) suite.Uniform {
	return suite.Uniform{Rng: rand.New(rand.NewPCG(seed, 17)), N: n}
}

// denseFeatures returns the rows of data as points with d features, of which the first train are
// training points.
func denseFeatures(data []float64, d, train int) suite.Features {
	p := suite.Points{Eval: len(data)/d - train}
	for row := range slices.Chunk(data, d) {
		p.X = append(p.X, row)
	}
	return p.Features()
}

// linearProblem draws two overlapping Gaussian clouds in d dimensions with |x| around 1: n training
// points and n/2 others.
func linearProblem(t testing.TB, seed uint64, n, d int) (LinearProblem, []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	all := n + n/2
	positive := n/2 - n/10
	data := make([]float64, all*d)
	for j := range all {
		y := -1.0
		if j < positive || j >= n && j%2 == 0 {
			y = 1
		}
		for k := range d {
			data[j*d+k] = rng.NormFloat64() / math.Sqrt(float64(d))
		}
		data[j*d] += 0.7 * y
	}
	f := denseFeatures(data, d, n)
	return LinearProblem{Features: f, Positive: positive}, data
}

// linearPrimal computes lambda/2 |w|^2 + mean hinge loss from a solution.
func linearPrimal(p LinearProblem, lambda float64, s *Solution) float64 {
	n := p.Features.Train()
	hinge := 0.0
	for i := range n {
		hinge += math.Max(0, 1-p.Label(i)*s.Scores[i])
	}
	return lambda/2*s.NormSq + hinge/float64(n)
}

// runLinear takes at most limit steps, until the method stops.
func runLinear(t testing.TB, a Learner, limit int) algorithms.Status {
	t.Helper()
	for range limit {
		if st := a.Step(); st.Stop() {
			if st.State != algorithms.Converged {
				t.Fatalf("%v: %s", st.State, st.Reason)
			}
			return st
		}
	}
	return algorithms.Status{}
}

package svm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// highGaussian returns a problem whose kernel values are all at least 0.9: the
// images are close to each other and far from the origin.
func highGaussian(seed uint64, n, np int) (Problem, *fakeGram) {
	p, g := newGaussianProblem(seed, n, np, n)
	for i, row := range g.K {
		for j, v := range row {
			row[j] = float32(0.9 + 0.1*float64(v))
		}
		g.D[i] = float64(row[i])
	}
	return p, g
}

// TestSBPPairBalance: the coefficients of the two classes stay equal, so that w
// has no part along the mean of Phi that the bias would have to make up for; a
// single draw does not keep them, and is the worse for it.
func TestSBPPairBalance(t *testing.T) {
	t.Parallel()
	const lambda = 0.002
	p, g := highGaussian(3, 40, 13)
	primal, normSq, hinge := optimum(t, p, lambda, true)
	excess := map[bool]float64{}
	imbalance := map[bool]float64{}
	for _, pair := range []bool{false, true} {
		const runs = 10
		for seed := range uint64(runs) {
			a, err := NewSBP(SBPConfig{Nu: hinge / math.Sqrt(normSq), Bias: true, Pair: pair}, p, rand.New(rand.NewPCG(seed, 1)))
			if err != nil {
				t.Fatal(err)
			}
			var s Solution
			for a.Cost().KernelEvals < int64(4000*g.n) {
				steps(t, a, 1)
				if a.Cost().Iterations%100 != 0 {
					continue
				}
				a.SolutionTo(&s)
				var sum, balance float64
				for i, v := range s.Alpha {
					sum += v
					balance += p.Label(i) * v
				}
				imbalance[pair] = max(imbalance[pair], math.Abs(balance)/sum)
			}
			excess[pair] += (lambda/2*s.NormSq + meanHinge(p, s.Scores) - primal) / runs
		}
	}
	t.Logf("suboptimality %v of %g, imbalance %v", excess, primal, imbalance)
	if imbalance[true] > 1e-12 || imbalance[false] < 1e-3 {
		t.Errorf("|sum y alpha| / sum alpha came to %v, want 0 for pairs alone", imbalance)
	}
	if !(excess[true] < excess[false]/3) {
		t.Errorf("after equal numbers of kernel evaluations suboptimal by %v; pairs should be well ahead", excess)
	}
}

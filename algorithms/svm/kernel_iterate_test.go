package svm

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"
)

// normSq computes |w|^2 from the coefficients.
func normSq(it *kernelIterate) float64 {
	return it.scale * it.scale * product(it.alpha, it.c)
}

// TestUpdatedNorm checks the incrementally updated norm of w.
func TestUpdatedNorm(t *testing.T) {
	p, _ := newGaussianProblem(11, 24, 9, 30)
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }
	one, err := NewSBP(SBPConfig{Nu: 0.1}, p, rng())
	pair, err2 := NewSBP(SBPConfig{Nu: 0.1, Bias: true, Pair: true}, p, rng())
	sgd, err3 := NewSGD(SGDConfig{R: 2}, p, newUniformOrder(1, 24))
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		learner Learner
		iterate *kernelIterate
		kept    *float64
		most    float64
	}{
		"sbp": {one, &one.kernelIterate, &one.rSq, 1}, "sbp, pairs": {pair, &pair.kernelIterate, &pair.rSq, 1},
		"sgd": {sgd, &sgd.kernelIterate, &sgd.rSq, 4},
	} {
		for step := range 3000 {
			steps(t, c.learner, 1)
			if got := normSq(c.iterate); !closeTo(got, *c.kept, 1e-11) || got > c.most+1e-11 {
				t.Fatalf("%s, step %d: |w|^2 = %v, updated to %v", name, step, got, *c.kept)
			}
		}
	}
}

// TestResponsesDoNotDrift checks the scores against the coefficients after 100,000 steps.
func TestResponsesDoNotDrift(t *testing.T) {
	t.Parallel()
	const n, lambda = 19, 1e-5
	p, g := newGaussianProblem(11, n, 9, 22)
	rng, order := rand.New(rand.NewPCG(1, 1)), newUniformOrder(1, n)
	for name, create := range map[string]func() (Learner, error){
		"sbp":        func() (Learner, error) { return NewSBP(SBPConfig{Nu: 0.1}, p, rng) },
		"sbp, pairs": func() (Learner, error) { return NewSBP(SBPConfig{Nu: 0.1, Bias: true, Pair: true}, p, rng) },
		"sgd":        func() (Learner, error) { return NewSGD(SGDConfig{R: 1.5}, p, order) },
		"sgd, last":  func() (Learner, error) { return NewSGD(SGDConfig{R: 1.5, Last: true}, p, order) },
		"pegasos":    func() (Learner, error) { return NewPegasos(PegasosConfig{Lambda: 0.1}, p, order) },
		"perceptron": func() (Learner, error) { return NewPerceptron(PerceptronConfig{Average: true}, p, order) },
		"sdca":       func() (Learner, error) { return NewSDCA(SDCAConfig{Lambda: lambda}, p, order) },
		"smo, bias":  func() (Learner, error) { return NewSMO(SMOConfig{Lambda: lambda, Bias: true}, p) },
	} {
		l, err := create()
		if err != nil {
			t.Fatal(err)
		}
		suite.Advance(l, 100_000)
		var s Solution
		l.SolutionTo(&s)
		var worst, size float64
		for j, u := range g.responses(p, s.Alpha) {
			worst, size = max(worst, math.Abs(u+s.Bias-s.Scores[j])), max(size, math.Abs(u))
		}
		if !(worst <= 1e-9*size) {
			t.Errorf("%s: the scores are off by %g of %g", name, worst, size)
		}
	}

	linear, x := linearProblem(t, 9, n, 8)
	a, err := NewLinearSDCA(LinearSDCAConfig{Lambda: lambda}, linear, order)
	if err != nil {
		t.Fatal(err)
	}
	suite.Advance(a, 100_000)
	for k, w := range a.w {
		for i, v := range a.alpha {
			w -= v * linear.Label(i) * x[i*8+k]
		}
		if math.Abs(w) > 1e-9 {
			t.Errorf("linear-sdca: w[%d] is off by %g", k, w)
		}
	}
}

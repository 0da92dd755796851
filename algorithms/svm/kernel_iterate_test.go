package svm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestResponsesDoNotDrift: after a million steps the responses kept up to date,
// and those of the average, are what the coefficients say; a hundred thousand of the
// other forms of the SBP, whose iterates are kept by the same code.
func TestResponsesDoNotDrift(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a million steps of each method")
	}
	const n, all = 19, 22
	for _, test := range []struct {
		name   string
		create func(p Problem) (Learner, *kernelIterate)
	}{
		{"sbp", func(p Problem) (Learner, *kernelIterate) {
			a, err := NewSBP(SBPConfig{Nu: 0.1}, p, rand.New(rand.NewPCG(1, 1)))
			if err != nil {
				t.Fatal(err)
			}
			return a, &a.kernelIterate
		}},
		{"sbp with bias, one", func(p Problem) (Learner, *kernelIterate) {
			a, err := NewSBP(SBPConfig{Nu: 0.1, Bias: true}, p, rand.New(rand.NewPCG(1, 1)))
			if err != nil {
				t.Fatal(err)
			}
			return a, &a.kernelIterate
		}},
		{"sbp with bias", func(p Problem) (Learner, *kernelIterate) {
			a, err := NewSBP(SBPConfig{Nu: 0.1, Bias: true, Pair: true}, p, rand.New(rand.NewPCG(1, 1)))
			if err != nil {
				t.Fatal(err)
			}
			return a, &a.kernelIterate
		}},
		{"sgd", func(p Problem) (Learner, *kernelIterate) {
			a, err := NewSGD(SGDConfig{R: 1.5}, p, newUniformOrder(1, n))
			if err != nil {
				t.Fatal(err)
			}
			return a, &a.kernelIterate
		}},
		{"pegasos", func(p Problem) (Learner, *kernelIterate) {
			a, err := NewPegasos(PegasosConfig{Lambda: 0.1}, p, newUniformOrder(1, n))
			if err != nil {
				t.Fatal(err)
			}
			return a, &a.kernelIterate
		}},
		{"perceptron", func(p Problem) (Learner, *kernelIterate) {
			a, err := NewPerceptron(PerceptronConfig{Average: true}, p, newUniformOrder(1, n))
			if err != nil {
				t.Fatal(err)
			}
			return a, &a.kernelIterate
		}},
	} {
		p, g := newGaussianProblem(11, n, 9, all)
		l, it := test.create(p)
		count := 1_000_000
		if a, ok := l.(*SBP); ok && !a.pair {
			count = 100_000
		}
		steps(t, l, count)
		for _, write := range []func(*Solution){it.lastTo, it.averageTo} {
			var s Solution
			write(&s)
			var worst, size float64
			for j, u := range g.responses(p, s.Alpha) {
				worst = max(worst, math.Abs(u-s.Scores[j]))
				size = max(size, math.Abs(u))
			}
			t.Logf("%s: %.2g of %.2g", test.name, worst, size)
			if !(worst <= 1e-9*size) {
				t.Errorf("%s: the responses are off by %g of %g", test.name, worst, size)
			}
		}
	}
}

// normSq returns |w|^2 from the coefficients.
func normSq(it *kernelIterate) float64 {
	return it.scale * it.scale * product(it.alpha, it.c)
}

// TestNormKeepsTrack: the norm that is updated step by step is that of w.
func TestNormKeepsTrack(t *testing.T) {
	p, _ := newGaussianProblem(11, 24, 9, 30)
	b, err := NewSBP(SBPConfig{Nu: 0.1}, p, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewSBP(SBPConfig{Nu: 0.1, Bias: true, Pair: true}, p, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewSGD(SGDConfig{R: 2}, p, newUniformOrder(1, 24))
	if err != nil {
		t.Fatal(err)
	}
	for step := range 10000 {
		steps(t, b, 1)
		steps(t, c, 1)
		steps(t, d, 1)
		if got := normSq(&b.kernelIterate); !closeTo(got, b.rSq, 1e-12) || got > 1+1e-12 {
			t.Fatalf("sbp, step %d: |w|^2 = %v, kept %v", step, got, b.rSq)
		}
		if got := normSq(&c.kernelIterate); !closeTo(got, c.rSq, 1e-12) || got > 1+1e-12 {
			t.Fatalf("sbp, pairs, step %d: |w|^2 = %v, kept %v", step, got, c.rSq)
		}
		if got := normSq(&d.kernelIterate); !closeTo(got, d.rSq, 1e-11) || got > 4+1e-11 {
			t.Fatalf("sgd, step %d: |w|^2 = %v, kept %v", step, got, d.rSq)
		}
	}
}

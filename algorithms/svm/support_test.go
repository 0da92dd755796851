package svm

import (
	"math/rand/v2"
	"testing"
)

// sparseMethods are the methods that say how many support vectors they have, by name.
func sparseMethods(n int, lambda float64) map[string]func(p Problem) (Sparse, error) {
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(8, 2)) }
	return map[string]func(p Problem) (Sparse, error){
		"sbp":       func(p Problem) (Sparse, error) { return NewSBP(SBPConfig{Nu: 0.2}, p, rng()) },
		"sbp, pair": func(p Problem) (Sparse, error) { return NewSBP(SBPConfig{Nu: 0.2, Bias: true, Pair: true}, p, rng()) },
		"sgd":       func(p Problem) (Sparse, error) { return NewSGD(SGDConfig{R: 3}, p, newUniformOrder(1, n)) },
		"sgd, last": func(p Problem) (Sparse, error) {
			return NewSGD(SGDConfig{R: 3, Last: true}, p, newUniformOrder(1, n))
		},
		"pegasos": func(p Problem) (Sparse, error) {
			return NewPegasos(PegasosConfig{Lambda: lambda}, p, newUniformOrder(1, n))
		},
		"perceptron": func(p Problem) (Sparse, error) {
			return NewPerceptron(PerceptronConfig{}, p, newUniformOrder(1, n))
		},
		"sdca":        func(p Problem) (Sparse, error) { return NewSDCA(SDCAConfig{Lambda: lambda}, p, newUniformOrder(1, n)) },
		"smo":         func(p Problem) (Sparse, error) { return NewSMO(SMOConfig{Lambda: lambda}, p) },
		"smo, biased": func(p Problem) (Sparse, error) { return NewSMO(SMOConfig{Lambda: lambda, Bias: true}, p) },
		"decomposition": func(p Problem) (Sparse, error) {
			return NewDecomposition(DecompositionConfig{Lambda: lambda, Size: 4}, p)
		},
		"perceptron, average": func(p Problem) (Sparse, error) {
			return NewPerceptron(PerceptronConfig{Average: true}, p, newUniformOrder(1, n))
		},
		"smo, pairs": func(p Problem) (Sparse, error) { return NewSMO(SMOConfig{Lambda: lambda, Pairs: true}, p) },
	}
}

// eachSparse hands over each of the methods, on a problem of its own.
func eachSparse(t *testing.T, test func(name string, a Sparse)) {
	t.Helper()
	const n, lambda = 40, 0.01
	for name, open := range sparseMethods(n, lambda) {
		p, _ := newGaussianProblem(3, n, 18, n)
		a, err := open(p)
		if err != nil {
			t.Fatal(err)
		}
		test(name, a)
	}
}

// TestSupport: the support is the number of coefficients that are not 0, at every
// step, also where multipliers return to 0.
func TestSupport(t *testing.T) {
	eachSparse(t, func(name string, a Sparse) {
		most, last := 0, 0
		var s Solution
		for step := range 400 {
			a.SolutionTo(&s)
			last = 0
			for _, x := range s.Alpha {
				if x != 0 {
					last++
				}
			}
			if got := a.Support(); got != last {
				t.Fatalf("%s, step %d: support %d, want %d", name, step, got, last)
			}
			most = max(most, last)
			if a.Step().Stop() {
				break
			}
		}
		if most < 5 {
			t.Errorf("%s: support at most %d; that is not much of a test", name, most)
		}
		if name == "sdca" && most == last {
			t.Errorf("%s: no multiplier returned to 0", name)
		}
	})
}

// TestSupportOfAverage: a point that was added in the last step is in no iterate
// averaged.
func TestSupportOfAverage(t *testing.T) {
	p, _ := newGaussianProblem(3, 40, 18, 40)
	a, err := NewPerceptron(PerceptronConfig{Average: true}, p, newUniformOrder(1, 40))
	if err != nil {
		t.Fatal(err)
	}
	added := 0
	for range 300 {
		before := a.support
		steps(t, a, 1)
		if got := a.Support(); got != before {
			t.Fatalf("support %d, want %d", got, before)
		}
		if a.support != before {
			added++
		}
	}
	if added < 5 {
		t.Errorf("%d points added", added)
	}
}

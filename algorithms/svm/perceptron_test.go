package svm

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms"
)

func TestPerceptronAgainstPlain(t *testing.T) {
	for _, average := range []bool{false, true} {
		p, g := newGaussianProblem(5, 25, 12, 31)
		again := newUniformOrder(3, 25)
		a, err := NewPerceptron(PerceptronConfig{Average: average}, p, newUniformOrder(3, 25))
		if err != nil {
			t.Fatal(err)
		}
		plain := newDenseIterate(p, g)
		var want algorithms.Cost
		plain.check(t, a, average)
		for plain.t = 1; plain.t <= 1000; plain.t++ {
			steps(t, a, 1)
			i := again.Next()
			var support int64
			for _, x := range plain.alpha {
				if x != 0 {
					support++
				}
			}
			want.Iterations++
			want.KernelEvals += support
			want.InnerProducts += support
			plain.average()
			if plain.response(i) <= 0 {
				plain.add(i, 1)
				want.KernelEvalsMoved += support
			}
			plain.check(t, a, average)
		}
		if a.Cost() != want || g.calls != int64(plain.moved) {
			t.Errorf("cost %+v after %d rows, want %+v", a.Cost(), g.calls, want)
		}
		if plain.moved < 20 || plain.moved > 900 {
			t.Errorf("%d mistakes are not much of a test", plain.moved)
		}
	}
}

// TestPerceptronMistakes: against every u the number of mistakes M satisfies
// M <= L + |u| sqrt(M), L the sum of u's hinge losses on the sequence.
func TestPerceptronMistakes(t *testing.T) {
	p, g := newGaussianProblem(6, 30, 15, 30)
	a, err := NewPerceptron(PerceptronConfig{}, p, newUniformOrder(1, 30))
	if err != nil {
		t.Fatal(err)
	}
	const n = 3000
	steps(t, a, n)
	mistakes := float64(g.calls)
	rng := rand.New(rand.NewPCG(1, 1))
	closest := math.Inf(1)
	for k := range 200 {
		alpha := make([]float64, 30)
		for i := range alpha {
			alpha[i] = math.Ldexp(rng.Float64(), k%12-4)
		}
		u := g.responses(p, alpha)
		var normSq, loss float64
		for i, c := range alpha {
			normSq += c * p.Label(i) * u[i]
		}
		order := newUniformOrder(1, 30)
		for range n {
			i := order.Next()
			loss += max(0, 1-p.Label(i)*u[i])
		}
		bound := loss + math.Sqrt(normSq*mistakes)
		closest = min(closest, bound/mistakes)
		if mistakes > bound {
			t.Errorf("%g mistakes, at most %g possible", mistakes, bound)
		}
	}
	if closest > 10 {
		t.Errorf("the least bound is %g times the number of mistakes; the test says little", closest)
	}
}

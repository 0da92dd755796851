package svm

import (
	"math"
	"testing"

	"stochopt/algorithms"
)

func TestPegasosAgainstPlain(t *testing.T) {
	for _, lambda := range []float64{1e-4, 0.01, 0.7} {
		for _, last := range []bool{false, true} {
			p, g := newGaussianProblem(4, 25, 14, 31)
			again := newUniformOrder(2, 25)
			a, err := NewPegasos(PegasosConfig{Lambda: lambda, Last: last}, p, newUniformOrder(2, 25))
			if err != nil {
				t.Fatal(err)
			}
			plain := newDenseIterate(p, g)
			plain.check(t, a, !last)
			for plain.t = 1; plain.t <= 2000; plain.t++ {
				steps(t, a, 1)
				i := again.Next()
				violated := plain.response(i) < 1
				eta := 1 / (lambda * float64(plain.t))
				plain.multiply(1 - 1/float64(plain.t))
				if violated {
					plain.add(i, eta)
				}
				plain.average()
				if plain.t < 10 || plain.t%100 == 0 {
					plain.check(t, a, !last)
				}
			}
			want := algorithms.Cost{Iterations: 2000, KernelEvals: 2000 * 25, InnerProducts: 2000 * 25, KernelEvalsMoved: int64(25 * plain.moved)}
			if a.Cost() != want || g.calls != int64(plain.moved) {
				t.Errorf("lambda = %g: cost %+v after %d rows, want %+v", lambda, a.Cost(), g.calls, want)
			}
			// v holds counts.
			var total float64
			for i, m := range a.alpha {
				if m != math.Trunc(m) || m < 0 {
					t.Fatalf("point %d is counted %v times", i, m)
				}
				total += m
			}
			if total != float64(plain.moved) {
				t.Errorf("the counts add up to %v, want %d", total, plain.moved)
			}
		}
	}
}

func TestPegasosConverges(t *testing.T) {
	const lambda = 0.02
	p, g := newGaussianProblem(11, 24, 9, 30)
	primal, _, _, _ := optimum(t, p, g, lambda, false)
	for _, last := range []bool{false, true} {
		for _, n := range []int{1000, 10000, 300000} {
			a, err := NewPegasos(PegasosConfig{Lambda: lambda, Last: last}, p, newUniformOrder(1, 24))
			if err != nil {
				t.Fatal(err)
			}
			steps(t, a, n)
			var s Solution
			a.SolutionTo(&s)
			excess := lambda/2*s.NormSq + meanHinge(p, s.Scores) - primal
			// The subgradients are no longer than 2 where |w| <= 1/lambda.
			if bound := 2 * (1 + math.Log(float64(n))) / (lambda * float64(n)); !(excess <= bound) || excess < -1e-9 {
				t.Errorf("last %v of %d: suboptimal by %g, the bound is %g", last, n, excess, bound)
			}
			if n == 300000 && excess > 0.01*primal {
				t.Errorf("last %v: suboptimal by %g of %g in the end", last, excess, primal)
			}
		}
	}
}

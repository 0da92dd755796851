package svm

import (
	"math"
	"testing"
)

func TestPegasosConverges(t *testing.T) {
	const lambda = 0.02
	p, _ := newGaussianProblem(11, 24, 9, 30)
	primal, _, _ := optimum(t, p, lambda, false)
	for _, last := range []bool{false, true} {
		for _, n := range []int{1000, 10000, 100000} {
			a, err := NewPegasos(PegasosConfig{Lambda: lambda, Last: last}, p, newUniformOrder(1, 24))
			if err != nil {
				t.Fatal(err)
			}
			steps(t, a, n)
			var s Solution
			a.SolutionTo(&s)
			excess := lambda/2*s.NormSq + meanHinge(p, s.Scores) - primal
			// The norms of the subgradients are at most 2 if |w| <= 1/lambda.
			if bound := 2 * (1 + math.Log(float64(n))) / (lambda * float64(n)); !(excess <= bound) || excess < -1e-9 {
				t.Errorf("last %v, %d steps: suboptimal by %g, the bound is %g", last, n, excess, bound)
			}
			if n == 100000 && excess > 0.01*primal {
				t.Errorf("last %v: finally suboptimal by %g of %g", last, excess, primal)
			}
		}
	}
}

package sparse

import (
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

func TestOptimiser(t *testing.T) {
	const n, target = 60, 12
	for name, c := range map[string]struct {
		open func(p svm.Problem) (svm.Sparse, error)
		pair int // points of a step
	}{
		"perceptron": {func(p svm.Problem) (svm.Sparse, error) {
			return svm.NewPerceptron(svm.PerceptronConfig{}, p, newDrawnOrder(1, n))
		}, 1},
		"smo": {func(p svm.Problem) (svm.Sparse, error) {
			return svm.NewSMO(svm.SMOConfig{Lambda: 0.01, Bias: true}, p)
		}, 2},
	} {
		p, _ := newCloudProblem(3, n, 1)
		l := suite.Must(c.open(p))
		twin, err := c.open(p)
		if err != nil {
			t.Fatal(err)
		}
		a := suite.Must(NewOptimiser(OptimiserConfig{Support: target}, p, l))
		var e Expansion
		var s svm.Solution
		var last algorithms.Status
		for range 1000 {
			a.ExpansionTo(&e)
			twin.SolutionTo(&s)
			if len(e.Coef) != a.Support() || len(e.Coef) > target+c.pair-1 || e.Bias != s.Bias {
				t.Fatalf("%s: %d expansion vectors, support %d, bias %g, want %g", name, len(e.Coef), a.Support(), e.Bias, s.Bias)
			}
			for k, i := range e.Index {
				if e.Coef[k] != p.Label(i)*s.Alpha[i] {
					t.Fatalf("%s: coefficient %g of %d, want %g", name, e.Coef[k], i, s.Alpha[i])
				}
			}
			cost := twin.Cost()
			cost.KernelEvalsMoved = 0
			if a.Cost() != cost {
				t.Fatalf("%s: cost %+v, want %+v", name, a.Cost(), cost)
			}
			if last = a.Step(); last.Stop() {
				break
			}
			twin.Step()
		}
		if last.State != algorithms.Converged || a.Support() < target {
			t.Errorf("%s: %+v at a support of %d", name, last, a.Support())
		}
	}
}

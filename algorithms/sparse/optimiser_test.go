package sparse

import (
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// TestOptimiser: it stops as soon as it has the support that was asked for, and until then has the
// classifiers and costs of the optimiser, apart from moved evaluations.
func TestOptimiser(t *testing.T) {
	const n, target = 60, 12
	for _, open := range []func(p svm.Problem) (svm.Sparse, error){
		func(p svm.Problem) (svm.Sparse, error) {
			return svm.NewPerceptron(svm.PerceptronConfig{}, p, newDrawnOrder(1, n))
		},
		func(p svm.Problem) (svm.Sparse, error) {
			return svm.NewSMO(svm.SMOConfig{Lambda: 0.01, Bias: true}, p)
		},
	} {
		p, _ := newCloudProblem(3, n, 1)
		twin := suite.Must(open(p))
		a := suite.Must(NewOptimiser(OptimiserConfig{Support: target}, p, suite.Must(open(p))))
		for last := (algorithms.Status{}); !last.Stop(); {
			var e, want Expansion
			var s svm.Solution
			a.ExpansionTo(&e)
			twin.SolutionTo(&s)
			for i, alpha := range s.Alpha {
				if alpha != 0 {
					want.Add(i, p.Label(i)*alpha)
				}
			}
			if !slices.Equal(e.Index, want.Index) || !slices.Equal(e.Coef, want.Coef) || e.Bias != s.Bias {
				t.Fatalf("%T: classifier %+v, want %+v with bias %g", twin, e, want, s.Bias)
			}
			cost := twin.Cost()
			cost.KernelEvalsMoved = 0
			if a.Cost() != cost {
				t.Fatalf("%T: cost %+v, want %+v", twin, a.Cost(), cost)
			}
			if last = a.Step(); last.Stop() != (twin.Support() >= target) {
				t.Fatalf("%T: %+v at a support of %d", twin, last, a.Support())
			}
			twin.Step()
		}
	}
}

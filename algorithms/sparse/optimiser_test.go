package sparse

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/svm"
)

// TestOptimiser checks that Optimiser has the classifiers and costs of its optimiser, except
// KernelEvalsMoved, and that it stops at the requested support.
func TestOptimiser(t *testing.T) {
	const n, target = 60, 12
	for _, open := range []func(p svm.Problem) (svm.SupportCounter, error){
		func(p svm.Problem) (svm.SupportCounter, error) {
			return svm.NewPerceptron(svm.PerceptronConfig{}, p, newDrawnOrder(1, n))
		},
		func(p svm.Problem) (svm.SupportCounter, error) {
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

// TestPipeline compares Pipeline with an optimiser followed by a post-hoc method.
func TestPipeline(t *testing.T) {
	const n, steps = 60, 90
	p, _ := newCloudProblem(3, n, 1)
	open := func() svm.Learner {
		return suite.Must(svm.NewSBP(svm.SBPConfig{Nu: 0.05}, p, rand.New(rand.NewPCG(1, 1))))
	}
	start := func(ref *Reference) (Learner, error) {
		return NewSparsify(SparsifyConfig{Eta: 0.5, Epsilon: 0.5}, p, ref)
	}
	a, sbp := suite.Must(NewPipeline(p, open(), steps, start)), open()
	for range steps {
		if s := a.Step(); s.Stop() || a.Support() > 0 || sbp.Step().Stop() {
			t.Fatalf("%+v, support %d", s, a.Support())
		}
	}
	var s svm.Solution
	sbp.SolutionTo(&s)
	then := suite.Must(start(&Reference{Alpha: s.Alpha, Scores: s.Scores, NormSq: s.NormSq}))
	var got, want Expansion
	for _, l := range []Learner{a, then} {
		for !l.Step().Stop() {
		}
	}
	a.ExpansionTo(&got)
	then.ExpansionTo(&want)
	cost := then.Cost()
	cost.Iterations += steps
	cost.KernelEvals += steps * n
	cost.InnerProducts += steps * n
	same := slices.Equal(got.Index, want.Index) && slices.Equal(got.Coef, want.Coef)
	if !same || a.Cost() != cost || len(got.Index) == 0 {
		t.Errorf("%+v at %+v, want %+v at %+v", got, a.Cost(), want, cost)
	}
	wrong := suite.Must(NewPipeline(p, open(), 1, func(*Reference) (Learner, error) { return nil, errors.New("no") }))
	if s := wrong.Step(); s.State != algorithms.Failed || s.Reason != "no" {
		t.Errorf("%+v after an error", s)
	}
}

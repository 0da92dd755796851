package sparse_test

import (
	"context"
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
)

// TestConformanceBasis runs the conformance suite on the methods that choose a
// subset of the training points and minimise the loss over all of them.
func TestConformanceBasis(t *testing.T) {
	spsvm := func(name string, cfg sparse.SpSVMConfig) sparsetest.Case {
		return sparsetest.Case{
			Name: name, Config: &cfg, Bias: cfg.Bias, Most: cfg.Support, Steps: 12,
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				c := cfg
				c.C, c.Support = e.C, supportFor(e, c.Support)
				return sparse.NewSpSVM(context.Background(), c, e.Problem, e.Rand)
			},
		}
	}
	rsvm := func(name string, cfg sparse.RSVMConfig) sparsetest.Case {
		return sparsetest.Case{
			Name: name, Config: &cfg, Bias: cfg.Bias, Steps: 100,
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				c := cfg
				c.C = e.C
				return sparse.NewRSVM(context.Background(), c, e.Problem, e.Rand)
			},
		}
	}
	sparsetest.Run(t,
		spsvm("spsvm", sparse.SpSVMConfig{Support: 60, Candidates: 10}),
		spsvm("spsvm-bias", sparse.SpSVMConfig{Bias: true, Support: 60, Candidates: 10}),
		spsvm("spsvm-candidates", sparse.SpSVMConfig{Bias: true, Support: 20, Candidates: 59}),
		rsvm("rsvm", sparse.RSVMConfig{Ratio: 0.3}),
		rsvm("rsvm-bias", sparse.RSVMConfig{Bias: true, Ratio: 1}),
	)
}

package sparse_test

import (
	"context"
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
)

// TestConformanceVirtual runs the conformance suite on the methods that construct
// expansion vectors. Those that look at the support vectors of w only are charged
// for less than the rows that the suite's input space computes; what they are
// charged exactly is tested elsewhere.
func TestConformanceVirtual(t *testing.T) {
	atMost := func(n int, f sparsetest.Fetched) (least, most int64) {
		return 0, int64(n*(f.Rows+f.Constructed) + f.Evals)
	}
	reduced := func(name string, cfg sparse.ReducedSetConfig, bias bool) sparsetest.Case {
		return sparsetest.Case{
			Name: name, Config: &cfg, Bias: bias, Virtual: true, Reference: true, Most: cfg.Support, Charge: atMost, Permuted: 0.3, Steps: 20, Errors: 1,
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				c := cfg
				c.Support = supportFor(e, c.Support)
				return learner(sparse.NewReducedSet(c, e.Problem, e.Inputs, e.Reference))
			},
		}
	}
	condensed := func(name string, cfg sparse.CSVMConfig, bias bool) sparsetest.Case {
		return sparsetest.Case{
			Name: name, Config: &cfg, Bias: bias, Virtual: true, Reference: true, Charge: atMost, Errors: 1,
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				c := cfg
				c.Support = supportFor(e, c.Support)
				return learner(sparse.NewCSVM(context.Background(), c, e.Problem, e.Inputs, e.Reference))
			},
		}
	}
	cpsp := func(name string, cfg sparse.CPSPConfig) sparsetest.Case {
		return sparsetest.Case{
			Name: name, Config: &cfg, Bias: cfg.Bias, Virtual: true, Most: cfg.Basis, Steps: 500,
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				c := cfg
				c.C, c.Basis = e.C, supportFor(e, c.Basis)
				return learner(sparse.NewCPSP(context.Background(), c, e.Problem, e.Inputs, e.Rand))
			},
		}
	}
	sparsetest.Run(t,
		reduced("reduced-set", sparse.ReducedSetConfig{Support: 12}, false),
		reduced("reduced-set-bias", sparse.ReducedSetConfig{Support: 20, Relearn: true}, true),
		condensed("csvm", sparse.CSVMConfig{Support: 4}, false),
		condensed("csvm-bias", sparse.CSVMConfig{Support: 4, Relearn: true}, true),
		cpsp("cpsp", sparse.CPSPConfig{Basis: 8, Tolerance: 1e-3, Starts: 3, Plane: true, Every: 1}),
		cpsp("cpsp-bias", sparse.CPSPConfig{Basis: 8, Tolerance: 1e-3, Starts: 3, Bias: true, Every: 5}),
	)
}

// supportFor fits a support to problems with fewer points.
func supportFor(e sparsetest.Env, support int) int {
	if e.Problem.Rows == nil || e.Problem.Rows.Train() < 1 {
		return support
	}
	return min(support, e.Problem.Rows.Train())
}

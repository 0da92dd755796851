package sparse_test

import (
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
)

// TestConformanceOnline runs the conformance suite on the budgeted learners and on
// the optimisers of chapters 1 and 2.
func TestConformanceOnline(t *testing.T) {
	const most = 15
	upTo := func(rows int) func(n int, _ sparsetest.Fetched) (int64, int64) {
		return func(n int, _ sparsetest.Fetched) (int64, int64) { return 0, int64(rows * n) }
	}
	budgeted := func(n int, f sparsetest.Fetched) (int64, int64) { return 0, most }
	forgetron := sparse.ForgetronConfig{Budget: most}
	rbp := sparse.RBPConfig{Budget: most}
	optimiser := func(name string, bias bool, rows int, open func(e sparsetest.Env) (svm.Sparse, error)) sparsetest.Case {
		return sparsetest.Case{
			Name: name, Bias: bias, Charge: upTo(rows),
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				l, err := open(e)
				if err != nil {
					return nil, err
				}
				return learner(sparse.NewOptimiser(sparse.OptimiserConfig{}, e.Problem, l))
			},
		}
	}
	lambda := func(e sparsetest.Env) float64 {
		if e.Problem.Rows == nil {
			return 1
		}
		return 1 / (e.C * float64(e.Problem.Rows.Train()))
	}
	sparsetest.Run(t,
		sparsetest.Case{
			Name: "forgetron", Config: &forgetron, Most: most, Charge: budgeted, Errors: 2,
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				return learner(sparse.NewForgetron(forgetron, e.Problem, e.Order))
			},
		},
		sparsetest.Case{
			Name: "rbp", Config: &rbp, Most: most, Charge: budgeted, Errors: 2,
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				return learner(sparse.NewRBP(rbp, e.Problem, e.Order, e.Rand))
			},
		},
		optimiser("perceptron", false, 1, func(e sparsetest.Env) (svm.Sparse, error) {
			return supporter(svm.NewPerceptron(svm.PerceptronConfig{}, e.Problem, e.Order))
		}),
		optimiser("sbp", true, 2, func(e sparsetest.Env) (svm.Sparse, error) {
			return supporter(svm.NewSBP(svm.SBPConfig{Nu: 0.05, Bias: true}, e.Problem, e.Rand))
		}),
		optimiser("sgd", false, 1, func(e sparsetest.Env) (svm.Sparse, error) {
			return supporter(svm.NewSGD(svm.SGDConfig{R: 3}, e.Problem, e.Order))
		}),
		optimiser("pegasos", false, 1, func(e sparsetest.Env) (svm.Sparse, error) {
			return supporter(svm.NewPegasos(svm.PegasosConfig{Lambda: lambda(e)}, e.Problem, e.Order))
		}),
		optimiser("sdca", false, 1, func(e sparsetest.Env) (svm.Sparse, error) {
			return supporter(svm.NewSDCA(svm.SDCAConfig{Lambda: lambda(e)}, e.Problem, e.Order))
		}),
		optimiser("smo", true, 2, func(e sparsetest.Env) (svm.Sparse, error) {
			return supporter(svm.NewSMO(svm.SMOConfig{Lambda: lambda(e), Bias: true, Tolerance: 1e-3}, e.Problem))
		}),
	)
}

// supporter keeps a nil pointer from becoming an optimiser.
func supporter[L svm.Sparse](l L, err error) (svm.Sparse, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

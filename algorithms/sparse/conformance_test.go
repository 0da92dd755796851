package sparse_test

import (
	"context"
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
)

// learner returns l as a sparse.Learner, or nil if there is an error.
func learner[L sparse.Learner](l L, err error) (sparse.Learner, error) {
	if err != nil {
		return nil, err
	}
	return l, nil
}

// size returns the number of training points, at least 1.
func size(e sparsetest.Env) int {
	if e.Problem.Rows == nil {
		return 1
	}
	return max(1, e.Problem.Rows.Train())
}

// TestConformance runs the suite on the budgeted learners and the optimisers of chapters 1 and 2.
func TestConformance(t *testing.T) {
	const most = 15
	budgeted := func(int, sparsetest.Fetched) (least, highest int64) { return 0, most }
	forgetron, rbp := sparse.BudgetConfig{Budget: most}, sparse.BudgetConfig{Budget: most}
	optimiser := func(name string, bias bool, rows int, open func(e sparsetest.Env) (svm.SupportCounter, error)) sparsetest.Case {
		return sparsetest.Case{
			Name: name, Bias: bias,
			Charge: func(n int, _ sparsetest.Fetched) (least, most int64) { return 0, int64(rows * n) },
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				l, err := open(e)
				if err != nil {
					return nil, err
				}
				return learner(sparse.NewOptimiser(sparse.OptimiserConfig{}, e.Problem, l))
			},
		}
	}
	cases := []sparsetest.Case{
		{
			Name: "forgetron", Config: &forgetron, Most: most, Charge: budgeted, Errors: 2,
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				return learner(sparse.NewForgetron(forgetron, e.Problem, e.Order))
			},
		},
		{
			Name: "rbp", Config: &rbp, Most: most, Charge: budgeted, Errors: 2,
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				return learner(sparse.NewRBP(rbp, e.Problem, e.Order, e.Rand))
			},
		},
		{
			Name: "perceptron-separable", Bias: true, Reference: true,
			Charge: func(n int, _ sparsetest.Fetched) (least, most int64) { return 0, int64(n) },
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				return learner(sparse.NewSeparablePerceptron(e.Problem, e.Order, e.Reference))
			},
		},
		{
			Name: "sparsify-sbp", Bias: true,
			Charge: func(n int, _ sparsetest.Fetched) (least, most int64) { return int64(n), int64(n) },
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				sbp, err := svm.NewSBP(svm.SBPConfig{Nu: 0.05, Bias: true}, e.Problem, e.Rand)
				if err != nil {
					return nil, err
				}
				return learner(sparse.NewPipeline(e.Problem, sbp, 100, func(ref *sparse.Reference) (sparse.Learner, error) {
					return sparse.NewSparsify(sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5}, e.Problem, ref)
				}))
			},
		},
		optimiser("perceptron", false, 1, func(e sparsetest.Env) (svm.SupportCounter, error) {
			return svm.NewPerceptron(svm.PerceptronConfig{}, e.Problem, e.Order)
		}),
		optimiser("sbp", true, 2, func(e sparsetest.Env) (svm.SupportCounter, error) {
			return svm.NewSBP(svm.SBPConfig{Nu: 0.05, Bias: true}, e.Problem, e.Rand)
		}),
		optimiser("sdca", false, 1, func(e sparsetest.Env) (svm.SupportCounter, error) {
			return svm.NewSDCA(svm.SDCAConfig{Lambda: 1 / (e.C * float64(size(e)))}, e.Problem, e.Order)
		}),
		optimiser("smo", true, 2, func(e sparsetest.Env) (svm.SupportCounter, error) {
			cfg := svm.SMOConfig{Lambda: 1 / (e.C * float64(size(e))), Bias: true, Tolerance: 1e-3}
			return svm.NewSMO(cfg, e.Problem)
		}),
	}
	sparsetest.Run(t, cases...)
}

// TestConformanceThesis runs the suite on the three methods of chapter 3.
func TestConformanceThesis(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  sparse.SparsifyConfig
		bias bool
	}{
		{"no-bias", sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5}, false},
		{"bias-kept", sparse.SparsifyConfig{Eta: 0.5, Epsilon: 0.5}, true},
		{"small-steps", sparse.SparsifyConfig{Eta: 0.03, Epsilon: 0.1, Relearn: true}, true},
		{"large-steps", sparse.SparsifyConfig{Eta: 4, Epsilon: 0.1, Relearn: true}, true},
	} {
		for _, m := range thesisMethods {
			sparsetest.Run(t, sparsetest.Case{
				Name: m.name + "/" + c.name, Config: &c.cfg, Bias: c.bias, Reference: true,
				Charge: func(n int, _ sparsetest.Fetched) (least, most int64) {
					if c.cfg.Relearn {
						n *= 2
					}
					return int64(n), int64(n)
				},
				New: func(e sparsetest.Env) (sparse.Learner, error) { return learner(m.make(c.cfg, e.Problem, e.Reference)) },
			})
		}
	}
}

// TestConformanceRegression runs the suite on the methods that solve a regression or minimise a
// ramp loss by SMO.
func TestConformanceRegression(t *testing.T) {
	for bias, name := range map[bool]string{false: "", true: " bias"} {
		og := &sparse.OsunaGirosiConfig{Epsilon: 0.25, C: 1, Bias: bias, Tolerance: 1e-6}
		ramp := &sparse.RampConfig{C: 1, S: -0.5, Bias: bias, Tolerance: 1e-6}
		zs := &sparse.ZhanShenConfig{C: 1, Bias: bias, Exclude: 0.2, Epsilon: 0.25, Tolerance: 1e-6}
		base := sparsetest.Case{Bias: bias, Permuted: 1e-4, Lookahead: 5000}
		osuna, ramped, zhan := base, base, base
		osuna.Name, osuna.Config, osuna.Reference = "osuna-girosi"+name, og, true
		osuna.New = func(e sparsetest.Env) (sparse.Learner, error) {
			return learner(sparse.NewOsunaGirosi(*og, e.Problem, e.Reference))
		}
		ramped.Name, ramped.Config = "ramp"+name, ramp
		ramped.New = func(e sparsetest.Env) (sparse.Learner, error) { return learner(sparse.NewRamp(*ramp, e.Problem)) }
		zhan.Name, zhan.Config, zhan.Reference, zhan.Constructs = "zhan-shen"+name, zs, true, true
		zhan.New = func(e sparsetest.Env) (sparse.Learner, error) {
			return learner(sparse.NewZhanShen(*zs, e.Problem, e.Inputs, e.Reference))
		}
		// A curvature is charged for evaluations that the suite does not see.
		zhan.Charge = func(n int, f sparsetest.Fetched) (least, most int64) {
			if f.Rows == 0 {
				return 1, int64(70 * n)
			}
			return int64(n * f.Rows), int64(n * f.Rows)
		}
		sparsetest.Run(t, osuna, ramped, zhan)
	}
}

// TestConformanceExpansions runs the suite on the methods that choose or construct expansion
// vectors. Methods that only use the support vectors of w are charged less than the full rows that
// the suite counts; other tests check their exact charge.
func TestConformanceExpansions(t *testing.T) {
	atMost := func(n int, f sparsetest.Fetched) (least, most int64) {
		return 0, int64(n*(f.Rows+f.Constructed) + f.Evals)
	}
	for bias, name := range map[bool]string{false: "", true: " bias"} {
		spsvm := &sparse.SpSVMConfig{Bias: bias, Support: 60, Candidates: 10, C: 1}
		rsvm := &sparse.RSVMConfig{Bias: bias, Ratio: 0.3, C: 1}
		reduced := &sparse.ReducedSetConfig{Support: 12, Relearn: bias}
		condensed := &sparse.CSVMConfig{Support: 4, Relearn: bias}
		cpsp := &sparse.CPSPConfig{C: 1, Basis: 8, Tolerance: 1e-3, Starts: 3, Plane: !bias, Bias: bias, Every: 3}
		sparsetest.Run(t,
			sparsetest.Case{
				Name: "spsvm" + name, Config: spsvm, Bias: bias, Most: spsvm.Support, Steps: 12,
				New: func(e sparsetest.Env) (sparse.Learner, error) {
					c := *spsvm
					c.Support = min(c.Support, size(e))
					return learner(sparse.NewSpSVM(context.Background(), c, e.Problem, e.Rand))
				},
			},
			sparsetest.Case{
				Name: "rsvm" + name, Config: rsvm, Bias: bias, Steps: 100,
				New: func(e sparsetest.Env) (sparse.Learner, error) {
					return learner(sparse.NewRSVM(context.Background(), *rsvm, e.Problem, e.Rand))
				},
			},
			sparsetest.Case{
				Name: "reduced-set" + name, Config: reduced, Bias: bias, Constructs: true, Reference: true,
				Most: reduced.Support, Charge: atMost, Permuted: 0.3, Steps: 20, Errors: 1,
				New: func(e sparsetest.Env) (sparse.Learner, error) {
					c := *reduced
					c.Support = min(c.Support, size(e))
					return learner(sparse.NewReducedSet(c, e.Problem, e.Inputs, e.Reference))
				},
			},
			sparsetest.Case{
				Name: "csvm" + name, Config: condensed, Bias: bias, Constructs: true, Reference: true, Charge: atMost, Errors: 1,
				New: func(e sparsetest.Env) (sparse.Learner, error) {
					c := *condensed
					c.Support = min(c.Support, size(e))
					return learner(sparse.NewCSVM(context.Background(), c, e.Problem, e.Inputs, e.Reference))
				},
			},
			sparsetest.Case{
				Name: "cpsp" + name, Config: cpsp, Bias: bias, Constructs: true, Most: cpsp.Basis, Steps: 500,
				New: func(e sparsetest.Env) (sparse.Learner, error) {
					c := *cpsp
					c.Basis = min(c.Basis, size(e))
					return learner(sparse.NewCPSP(context.Background(), c, e.Problem, e.Inputs, e.Rand))
				},
			},
		)
	}
}

package sparse_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/sparse/sparsetest"
	"stochopt/algorithms/svm"
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
				return learner(sparse.NewReducedSet(context.Background(), c, e.Problem, e.Inputs, e.Reference))
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
			Name: name, Config: &cfg, Bias: cfg.Constant != 0, Virtual: true, Most: cfg.Basis, Steps: 500,
			New: func(e sparsetest.Env) (sparse.Learner, error) {
				c := cfg
				c.C, c.Basis = e.C, supportFor(e, c.Basis)
				return learner(sparse.NewCPSP(context.Background(), c, e.Problem, e.Inputs, e.Rand))
			},
		}
	}
	sparsetest.Run(t,
		reduced("reduced-set", sparse.ReducedSetConfig{Support: 12, Starts: 1}, false),
		reduced("reduced-set-bias", sparse.ReducedSetConfig{Support: 20, Starts: 3, Relearn: true}, true),
		condensed("csvm", sparse.CSVMConfig{Support: 4, Pair: sparse.PairNearest}, false),
		condensed("csvm-bias", sparse.CSVMConfig{Support: 4, Pair: sparse.PairLoss, Refit: 15, Relearn: true}, true),
		cpsp("cpsp", sparse.CPSPConfig{Basis: 8, Tolerance: 1e-3, Starts: 3, Pursue: sparse.PursuePlane, Every: 1}),
		cpsp("cpsp-bias", sparse.CPSPConfig{Basis: 8, Tolerance: 1e-3, Starts: 3, Constant: 1, Pursue: sparse.PursueSolution, Every: 5}),
	)
}

// supportFor fits a support to problems with fewer points.
func supportFor(e sparsetest.Env, support int) int {
	if e.Problem.Rows == nil || e.Problem.Rows.Train() < 1 {
		return support
	}
	return min(support, e.Problem.Rows.Train())
}

// table is the points as the package kernel takes them.
type table struct{ sparsetest.Points }

func (t table) Dims() (n, d int)                    { return len(t.X), len(t.X[0]) }
func (t table) Sparse() bool                        { return false }
func (t table) Row(i int) []float64                 { return t.X[i] }
func (t table) RowNonZero(int) ([]int32, []float64) { panic("the points are dense") }

// On the input space of the package kernel, which packs points, the methods do what
// they do on a plain one, up to rounding.
func TestVirtualOnKernelInputs(t *testing.T) {
	const gamma = 0.3
	p := sparsetest.Blobs(rand.New(rand.NewPCG(1, 2)), 20, 30, 3, 2, 0.5)
	points, err := kernel.NewPoints(table{p}, indices(len(p.X)))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := points.Inputs(len(p.X), kernel.Gaussian{Gamma: gamma})
	if err != nil {
		t.Fatal(err)
	}
	gram := p.GaussianGram(gamma)
	ref, err := sparsetest.Train(gram, p.Positive, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	problem := svm.Problem{Rows: gram, Positive: p.Positive}
	for name, create := range map[string]func(in sparse.Inputs) (sparse.Learner, error){
		"reduced-set": func(in sparse.Inputs) (sparse.Learner, error) {
			return learner(sparse.NewReducedSet(context.Background(), sparse.ReducedSetConfig{Support: 6, Starts: 2, Relearn: true}, problem, in, ref))
		},
		"csvm": func(in sparse.Inputs) (sparse.Learner, error) {
			return learner(sparse.NewCSVM(context.Background(), sparse.CSVMConfig{Support: 6, Pair: sparse.PairLoss, Refit: 10}, problem, in, ref))
		},
		"cpsp": func(in sparse.Inputs) (sparse.Learner, error) {
			cfg := sparse.CPSPConfig{C: 1, Basis: 6, Tolerance: 1e-4, Pursue: sparse.PursueSolution, Every: 3, Starts: 2, Constant: 1}
			return learner(sparse.NewCPSP(context.Background(), cfg, problem, in, rand.New(rand.NewPCG(3, 4))))
		},
	} {
		var scores [2][]float64
		for k, in := range []sparse.Inputs{p.Inputs(gamma), packed} {
			l, err := create(in)
			if err != nil {
				t.Fatal(err)
			}
			for range 1000 {
				if l.Step().Stop() {
					break
				}
			}
			var e sparse.Expansion
			l.ExpansionTo(&e)
			if len(e.Coef) == 0 {
				t.Fatalf("%s: nothing was found", name)
			}
			scores[k] = p.Scores(&e, gamma)
		}
		for i, s := range scores[0] {
			if math.Abs(s-scores[1][i]) > 0.02 {
				t.Errorf("%s: point %d has the score %v, and %v on the other input space", name, i, scores[1][i], s)
			}
		}
	}
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

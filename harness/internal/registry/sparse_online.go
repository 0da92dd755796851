package registry

import (
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/spec"
)

// paramBudget is the budget of a learner that forgets.
var paramBudget = spec.Param{Name: "support", Kind: "int", Default: int64(100), Min: bound(1), Tunable: true,
	Doc: "budget: how many mistakes are remembered, and so the most expansion vectors; one more makes the learner forget another"}

// paramPass is the order of the online learners.
var paramPass = withDefault(paramOrder, "pass", "pass", "uniform")

// sparseOnline are the budgeted learners, and the optimisers of chapters 1 and 2
// whose support size is bounded when they are stopped early.
var sparseOnline = []sparseEntry{
	{
		Entry: Entry{ID: "forgetron", Title: "Forgetron", Task: TaskSparse, Source: "Dekel, Shalev-Shwartz & Singer 2005, 2008", Version: 1,
			Params: params(paramsProblem, paramPass, paramBudget)},
		new: func(e SparseEnv, p Params) (sparse.Learner, error) {
			return sparse.NewForgetron(sparse.ForgetronConfig{Budget: p.Int("support")}, e.Problem(), e.Order(p.Text("order")))
		},
	},
	{
		Entry: Entry{ID: "rbp", Title: "Randomized Budget Perceptron", Task: TaskSparse, Source: "Cavallanti, Cesa-Bianchi & Gentile 2007", Version: 1,
			Params: params(paramsProblem, paramPass, paramBudget)},
		new: func(e SparseEnv, p Params) (sparse.Learner, error) {
			return sparse.NewRBP(sparse.RBPConfig{Budget: p.Int("support")}, e.Problem(), e.Order(p.Text("order")), e.Rand(roleInit))
		},
	},
	optimiser("perceptron", []spec.Param{paramPass}, needsNothing,
		func(e SparseEnv, p Params, problem svm.Problem) (svm.Sparse, error) {
			return svm.NewPerceptron(svm.PerceptronConfig{}, problem, e.Order(p.Text("order")), nil)
		}),
	optimiser("sbp", []spec.Param{paramDraw},
		func(p Params) SparseNeeds {
			n := SparseNeeds{Nu: true, WorkingSet: 1}
			if drawOf(p) == svm.DrawPair {
				n.WorkingSet = 2
			}
			return n
		},
		func(e SparseEnv, p Params, problem svm.Problem) (svm.Sparse, error) {
			return svm.NewSBP(svm.SBPConfig{Nu: e.Nu, Bias: e.Bias, Draw: drawOf(p)}, problem, e.Rand(roleInit))
		}),
	optimiser("sgd", []spec.Param{paramOrder, paramSVMIterate},
		func(Params) SparseNeeds { return SparseNeeds{R: true} },
		func(e SparseEnv, p Params, problem svm.Problem) (svm.Sparse, error) {
			return svm.NewSGD(svm.SGDConfig{R: e.R, Iterate: p.Text("iterate")}, problem, e.Order(p.Text("order")))
		}),
	optimiser("pegasos", []spec.Param{paramOrder, paramSVMIterate}, needsC,
		func(e SparseEnv, p Params, problem svm.Problem) (svm.Sparse, error) {
			return svm.NewPegasos(svm.PegasosConfig{Lambda: e.Lambda, Iterate: p.Text("iterate")}, problem, e.Order(p.Text("order")))
		}),
	optimiser("sdca", []spec.Param{paramOrder}, needsC,
		func(e SparseEnv, p Params, problem svm.Problem) (svm.Sparse, error) {
			return svm.NewSDCA(svm.SDCAConfig{Lambda: e.Lambda}, problem, e.Order(p.Text("order")))
		}),
	optimiser("smo", []spec.Param{paramViolation},
		func(p Params) SparseNeeds {
			n := SparseNeeds{C: true, WorkingSet: 1}
			if p.Bool("bias") {
				n.WorkingSet = 2
			}
			return n
		},
		func(e SparseEnv, p Params, problem svm.Problem) (svm.Sparse, error) {
			return svm.NewSMO(svm.SMOConfig{Lambda: e.Lambda, Bias: e.Bias, Tolerance: p.Float("tolerance")}, problem)
		}),
}

func needsNothing(Params) SparseNeeds { return SparseNeeds{} }

func needsC(Params) SparseNeeds { return SparseNeeds{C: true} }

// optimiser returns the row of the optimiser of the same name in svmTable, with
// its title, source, version and bias, and parameters of its own.
func optimiser(id string, own []spec.Param, needs func(Params) SparseNeeds, create func(SparseEnv, Params, svm.Problem) (svm.Sparse, error)) sparseEntry {
	of, _ := findSVM(id)
	stop := paramSupport
	stop.Doc = "number of expansion vectors at which the run stops"
	a := sparseEntry{
		Entry: Entry{ID: id, Title: of.Title, Task: TaskSparse, Source: of.Source, Version: of.Version, Deterministic: of.Deterministic,
			Params: params(paramsProblem, own, []spec.Param{stop})},
		bias: of.bias, needs: needs, fill: of.fill,
	}
	a.new = func(e SparseEnv, p Params) (sparse.Learner, error) {
		problem := e.Problem()
		l, err := create(e, p, problem)
		if err != nil {
			return nil, err
		}
		return sparse.NewOptimiser(sparse.OptimiserConfig{Support: p.Int("support")}, problem, l)
	}
	return a
}

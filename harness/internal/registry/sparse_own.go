package registry

import (
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/spec"
)

// paramSupport bounds the number of expansion vectors.
var paramSupport = spec.Param{Name: "support", Kind: "int", Min: bound(1),
	Doc: "most expansion vectors; the run stops there. It is no more than there are training examples"}

var (
	paramEta = spec.Param{Name: "eta", Kind: "float", Default: 0.5, Above: bound(0), Tunable: true,
		Doc: "step size; in theory that of epsilon, and below 2 epsilon where the number of steps is to be bounded"}
	paramThreshold = spec.Param{Name: "epsilon", Kind: "float", Default: 0.5, Above: bound(0), Tunable: true,
		Doc: "value of the objective, the greatest violation of a constraint, at which the method has converged"}
	paramRelearn = spec.Param{Name: "relearn", Kind: "bool", Tunable: true,
		Doc: "whether the bias is learned again, by steps on pairs, which is the default if there is one; otherwise it is that of the reference"}
)

// sparseOwn are the methods of Cotter 2013, chapter 3.
var sparseOwn = []sparseEntry{
	sparsifier("sparsify", "Sparsification by subgradient descent", "Cotter 2013, section 3.3.2, algorithm 3.1", 0.5,
		func(c sparse.SparsifyConfig, p svm.Problem, ref *sparse.Reference) (sparse.Learner, error) {
			return sparse.NewSparsify(c, p, ref)
		}),
	withMemory(func(_ Params, n, _ int) int64 { return sparse.AggressiveBytes(n) },
		sparsifier("sparsify-aggressive", "Sparsification, aggressive", "Cotter 2013, section 3.5.1", 0.5,
			func(c sparse.SparsifyConfig, p svm.Problem, ref *sparse.Reference) (sparse.Learner, error) {
				return sparse.NewSparsifyAggressive(c, p, ref)
			})),
	sparsifier("sparsify-smooth", "Sparsification, norm-constrained", "Cotter 2013, section 3.3.4", 1.0/3,
		func(c sparse.SparsifyConfig, p svm.Problem, ref *sparse.Reference) (sparse.Learner, error) {
			return sparse.NewSparsifySmooth(c, p, ref)
		}),
}

// sparsifier returns the row of a method that takes a SparsifyConfig, whose step
// size and threshold in theory are given.
func sparsifier(id, title, source string, theory float64, create func(sparse.SparsifyConfig, svm.Problem, *sparse.Reference) (sparse.Learner, error)) sparseEntry {
	eta, epsilon := paramEta, paramThreshold
	eta.Default, epsilon.Default = theory, theory
	return sparseEntry{
		Entry: Entry{ID: id, Title: title, Task: TaskSparse, Source: source, Version: 1, Deterministic: true,
			Params: params(paramsProblem, eta, epsilon, paramRelearn, paramSupport)},
		bias: eitherBias,
		needs: func(p Params) SparseNeeds {
			n := SparseNeeds{Reference: true, WorkingSet: 1}
			if relearns(p) {
				n.WorkingSet = 2
			}
			return n
		},
		fill:   func(p Params) { p["relearn"] = relearns(p) },
		checks: checkRelearn,
		new: func(e SparseEnv, p Params) (sparse.Learner, error) {
			return create(sparse.SparsifyConfig{
				Eta: p.Float("eta"), Epsilon: p.Float("epsilon"), Relearn: relearns(p), Most: p.Int("support"),
			}, e.Problem(), e.Reference())
		},
	}
}

// relearns returns whether the bias is learned again.
func relearns(p Params) bool {
	if p.has("relearn") {
		return p.Bool("relearn")
	}
	return p.Bool("bias")
}

func withMemory(memory func(p Params, n, d int) int64, a sparseEntry) sparseEntry {
	a.memory = memory
	return a
}

package registry

import (
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/spec"
)

var (
	paramAgree = spec.Param{Name: "relearn", Kind: "bool",
		Doc: "whether the bias is chosen so that decisions agree with those of the reference on as many training points as possible, which is the default if there is one; otherwise it is that of the reference"}
	paramReducedSet = spec.Param{Name: "support", Kind: "int", Default: int64(1024), Min: bound(1),
		Doc: "number of constructed vectors to end with, no more than there are training points; they take 4 to 8 bytes for each point"}
	paramReducedStarts = spec.Param{Name: "starts", Kind: "int", Default: int64(1), Min: bound(1),
		Doc: "number of support vectors that the search for each vector starts from, those where the residual is greatest"}
	paramCondensed = spec.Param{Name: "support", Kind: "int", Default: int64(1), Min: bound(1),
		Doc: "number of vectors at which the mergers end, no more than there are training points; each class keeps one at least"}
	paramPair = spec.Param{Name: "pair", Kind: "string", Default: string(sparse.PairLoss), Choices: []string{string(sparse.PairLoss), string(sparse.PairNearest)},
		Doc: "which vectors of the same class are merged first: those whose merger changes the classifier least, or the nearest"}
	paramRefit = spec.Param{Name: "refit", Kind: "int", Default: int64(1024), Min: bound(0),
		Doc: "number of vectors from which on, downwards, all coefficients are optimised after each merger; 0 is never"}
	paramBasisCount = spec.Param{Name: "basis", Kind: "int", Default: int64(256), Min: bound(1), Tunable: true,
		Doc: "number of expansion vectors that are constructed, no more than there are training points; they take 4 bytes for each point"}
	paramPlaneStarts = spec.Param{Name: "starts", Kind: "int", Default: int64(10), Min: bound(1),
		Doc: "number of points, drawn from those that the new vector depends on, of which the search for it starts from the best"}
	paramPursue = spec.Param{Name: "pursue", Kind: "string", Default: string(sparse.PursueSolution), Choices: []string{string(sparse.PursueSolution), string(sparse.PursuePlane)},
		Doc: "what a new vector stands for: what the span of the others lacks of the solution, the combination of all cutting planes, or of the newest plane"}
	paramEvery = spec.Param{Name: "every", Kind: "int", Default: int64(5), Min: bound(1),
		Doc: "number of iterations from one new vector to the next"}
	paramPlaneTolerance = spec.Param{Name: "tolerance", Kind: "float", Default: 1e-3, Above: bound(0),
		Doc: "precision of the mean hinge loss at which the method has converged in the span of its vectors"}
	paramConstant = spec.Param{Name: "constant", Kind: "float", Default: 1.0, Above: bound(0),
		Doc: "if the problem has a bias, the value of the constant feature that stands for it; the greater, the less the bias is regularised"}
)

// sparseVirtual are the methods that construct expansion vectors: reduced sets,
// condensed vectors and cutting-plane subspace pursuit.
var sparseVirtual = []sparseEntry{
	{
		Entry: Entry{ID: "reduced-set", Title: "Reduced set (Burges & Schölkopf)", Task: TaskSparse, Source: "Cotter 2013, section 3.4.2; Burges & Schölkopf 1997; Schölkopf et al. 1999", Version: 1, Deterministic: true,
			Params: params(paramsProblem, paramReducedStarts, paramAgree, paramReducedSet)},
		bias:   eitherBias,
		needs:  func(Params) SparseNeeds { return SparseNeeds{Reference: true, Inputs: true} },
		fill:   func(p Params) { p["relearn"] = relearns(p) },
		checks: checkRelearn,
		memory: func(p Params, n, d int) int64 {
			return sparse.ReducedSetBytes(n, d, min(p.Int("support"), n), relearns(p))
		},
		new: func(e SparseEnv, p Params) (sparse.Learner, error) {
			problem := e.Problem()
			return sparse.NewReducedSet(e.Context, sparse.ReducedSetConfig{
				Support: atMost(p, "support", problem), Starts: p.Int("starts"), Relearn: relearns(p),
			}, problem, e.Inputs(), e.Reference())
		},
	},
	{
		Entry: Entry{ID: "csvm", Title: "Condensed vectors (Nguyen et al.)", Task: TaskSparse, Source: "Cotter 2013, section 3.4.2; Nguyen & Ho 2006; Nguyen, Matsumoto, Takishima & Hashimoto 2010", Version: 2, Deterministic: true,
			Params: params(paramsProblem, paramPair, paramRefit, paramAgree, paramCondensed)},
		bias:  eitherBias,
		needs: func(Params) SparseNeeds { return SparseNeeds{Reference: true, Inputs: true} },
		// Without refitting the bias is not learned, unless that is asked for.
		fill: func(p Params) {
			if !p.has("relearn") {
				p["relearn"] = p.Bool("bias") && p.Int("refit") > 0
			}
		},
		checks: checkRelearn,
		memory: func(p Params, n, d int) int64 {
			return sparse.CSVMBytes(n, d, min(p.Int("refit"), n), p.has("relearn") && p.Bool("relearn"))
		},
		new: func(e SparseEnv, p Params) (sparse.Learner, error) {
			return sparse.NewCSVM(e.Context, sparse.CSVMConfig{
				Support: p.Int("support"), Pair: sparse.Pair(p.Text("pair")), Refit: p.Int("refit"), Relearn: p.Bool("relearn"),
			}, e.Problem(), e.Inputs(), e.Reference())
		},
	},
	{
		Entry: Entry{ID: "cpsp", Title: "CPSP (cutting-plane subspace pursuit)", Task: TaskSparse, Source: "Cotter 2013, section 3.4.2; Joachims & Yu 2009", Version: 1,
			Params: params(paramsProblem, paramBasisCount, paramPursue, paramEvery, paramPlaneStarts, paramConstant, paramPlaneTolerance)},
		bias:  eitherBias,
		needs: func(p Params) SparseNeeds { return SparseNeeds{C: true, Inputs: true, WorkingSet: p.Int("starts")} },
		memory: func(p Params, n, d int) int64 {
			return sparse.CPSPBytes(n, d, min(p.Int("basis"), n))
		},
		new: func(e SparseEnv, p Params) (sparse.Learner, error) {
			problem := e.Problem()
			cfg := sparse.CPSPConfig{C: e.C, Basis: atMost(p, "basis", problem), Tolerance: p.Float("tolerance"), Starts: p.Int("starts"),
				Pursue: sparse.Pursuit(p.Text("pursue")), Every: p.Int("every")}
			if e.Bias {
				cfg.Constant = p.Float("constant")
			}
			return sparse.NewCPSP(e.Context, cfg, problem, e.Inputs(), e.Rand(roleInit))
		},
	},
}

// atMost returns a number of expansion vectors, of which there are at most as many
// as training points: CheckTrainRows lets a default through.
func atMost(p Params, name string, problem svm.Problem) int {
	return min(p.Int(name), problem.Rows.Train())
}

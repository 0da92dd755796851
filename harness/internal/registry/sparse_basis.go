package registry

import (
	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/spec"
)

var (
	paramCandidates = spec.Param{Name: "candidates", Kind: "int", Default: int64(10), Min: bound(1),
		Doc: "kappa, the number of points that are tried for every new basis function; 59 make it one of the best 5 % with probability 95 %"}
	paramGrowth = spec.Param{Name: "growth", Kind: "float", Default: 1.0, Min: bound(1),
		Doc: "all coefficients are optimised whenever the number of basis functions has grown by this factor: after every addition if it is 1"}
	paramRatio = spec.Param{Name: "ratio", Kind: "float", Default: 0.01, Above: bound(0), Max: bound(1), Tunable: true,
		Doc: "share of the training points that the classifier may be supported on, at least one point"}
	paramBasis = spec.Param{Name: "support", Kind: "int", Default: int64(1024), Min: bound(1),
		Doc: "number of basis functions to end with, no more than there are training points; they take 4 bytes for each point"}
	paramSubset = spec.Param{Name: "support", Kind: "int", Min: bound(1),
		Doc: "most points in the subset, whatever the ratio"}
	paramDecrease = spec.Param{Name: "tolerance", Kind: "float", Default: 1e-6, Above: bound(0), Max: bound(0.1),
		Doc: "decrease that a step of Newton's method must promise, relative to the objective, to be taken"}
)

// sparseBasis are the methods that choose a subset of the training points and
// minimise the loss over all of them: SpSVM and RSVM.
var sparseBasis = []sparseEntry{
	{
		Entry: Entry{ID: "spsvm", Title: "SpSVM (greedy basis selection)", Task: TaskSparse, Source: "Cotter 2013, section 3.4.2; Keerthi, Chapelle & DeCoste 2006", Version: 1,
			Params: params(paramsProblem, paramCandidates, paramGrowth, paramDecrease, paramBasis)},
		bias: eitherBias,
		needs: func(p Params) SparseNeeds {
			return SparseNeeds{C: true, WorkingSet: p.Int("candidates")}
		},
		memory: func(p Params, n, d int) int64 {
			return sparse.SpSVMBytes(n, min(p.Int("support"), n))
		},
		new: func(e SparseEnv, p Params) (sparse.Learner, error) {
			return sparse.NewSpSVM(e.Context, sparse.SpSVMConfig{
				C: e.C, Bias: e.Bias, Support: p.Int("support"), Candidates: p.Int("candidates"),
				Growth: p.Float("growth"), Tolerance: p.Float("tolerance"),
			}, e.Problem(), e.Rand(roleInit))
		},
	},
	{
		Entry: Entry{ID: "rsvm", Title: "RSVM (random subset)", Task: TaskSparse, Source: "Cotter 2013, section 3.4.2; Lee & Mangasarian 2001", Version: 1,
			Params: params(paramsProblem, paramRatio, paramDecrease, paramSubset)},
		bias:  eitherBias,
		needs: func(Params) SparseNeeds { return SparseNeeds{C: true} },
		memory: func(p Params, n, d int) int64 {
			return sparse.RSVMBytes(n, sparse.RSVMPoints(n, p.Float("ratio"), p.Int("support")))
		},
		new: func(e SparseEnv, p Params) (sparse.Learner, error) {
			return sparse.NewRSVM(e.Context, sparse.RSVMConfig{
				C: e.C, Bias: e.Bias, Ratio: p.Float("ratio"), Most: p.Int("support"), Tolerance: p.Float("tolerance"),
			}, e.Problem(), e.Rand(roleInit))
		},
	},
}

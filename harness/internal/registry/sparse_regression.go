package registry

import (
	"errors"

	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/spec"
)

var (
	paramTube = spec.Param{Name: "epsilon", Kind: "float", Default: 0.25, Min: bound(0), Tunable: true,
		Doc: "distance from the scores of the reference that costs the regression nothing: the greater, the fewer expansion vectors"}
	paramRegressionC = spec.Param{Name: "regression-c", Kind: "float", Above: bound(0), Tunable: true,
		Doc: "weight of the distances beyond epsilon beside |w|^2/2; that of the hinge losses, C, if absent"}
	paramSparseStart = spec.Param{Name: "start", Kind: "string", Default: sparse.FromZero, Choices: []string{sparse.FromZero, sparse.FromReference},
		Doc: "where the optimisation starts: at w = 0, or at the reference, which is there without any kernel evaluation"}
	paramRampMargin = spec.Param{Name: "s", Kind: "float", Default: -1.0, Max: bound(maxRampMargin), Tunable: true,
		Doc: "margin below which the loss does not grow any more; the lower, the closer to the SVM"}
	paramExclude = spec.Param{Name: "exclude", Kind: "float", Default: 0.3, Min: bound(0), Max: bound(maxExcluded), Tunable: true,
		Doc: "share of the support vectors that is excluded, those where the separation surface is curved most"}
	paramRounds = spec.Param{Name: "rounds", Kind: "int", Default: int64(1), Min: bound(0),
		Doc: "how often support vectors are excluded and the SVM is trained again"}
)

const (
	// maxRampMargin is below 1, where the loss starts.
	maxRampMargin = 0.999
	// maxExcluded leaves some of a few support vectors.
	maxExcluded = 0.99
)

// sparseRegression are the methods built on support vector regression and on
// other quadratic programs: Osuna & Girosi, Zhan & Shen, and the ramp loss.
var sparseRegression = []sparseEntry{
	{
		Entry: Entry{ID: "osuna-girosi", Title: "Support vector regression on the reference (Osuna & Girosi)", Task: TaskSparse, Source: "Cotter 2013, section 3.4.1; Osuna & Girosi 1998", Version: 1, Deterministic: true,
			Params: params(paramsProblem, paramTube, paramRegressionC, paramRelearn, paramSparseStart, paramViolation)},
		bias: eitherBias,
		needs: func(p Params) SparseNeeds {
			return SparseNeeds{Reference: true, C: true, WorkingSet: rowsOfStep(relearns(p))}
		},
		fill:   func(p Params) { p["relearn"] = relearns(p) },
		checks: checkRelearn,
		new: func(e SparseEnv, p Params) (sparse.Learner, error) {
			return sparse.NewOsunaGirosi(sparse.OsunaGirosiConfig{
				Epsilon: p.Float("epsilon"), C: regressionC(e, p), Relearn: relearns(p),
				Start: p.Text("start"), Tolerance: p.Float("tolerance"),
			}, e.Problem(), e.Reference())
		},
	},
	{
		Entry: Entry{ID: "ramp", Title: "Ramp loss by CCCP", Task: TaskSparse, Source: "Cotter 2013, section 3.4.3; Collobert, Sinz, Weston & Bottou 2006", Version: 1, Deterministic: true,
			Params: params(paramsProblem, paramRampMargin, paramSparseStart, paramViolation)},
		bias: eitherBias,
		needs: func(p Params) SparseNeeds {
			return SparseNeeds{Reference: p.Text("start") == sparse.FromReference, C: true, WorkingSet: rowsOfStep(p.Bool("bias"))}
		},
		new: func(e SparseEnv, p Params) (sparse.Learner, error) {
			cfg := sparse.RampConfig{C: e.C, S: p.Float("s"), Bias: e.Bias, Start: p.Text("start"), Tolerance: p.Float("tolerance")}
			var ref *sparse.Reference
			if cfg.Start == sparse.FromReference {
				ref = e.Reference()
			}
			return sparse.NewRamp(cfg, e.Problem(), ref)
		},
	},
	{
		Entry: Entry{ID: "zhan-shen", Title: "Exclusion by curvature and regression (Zhan & Shen)", Task: TaskSparse, Source: "Cotter 2013, section 3.4.1; Zhan & Shen 2005", Version: 1, Deterministic: true,
			Params: params(paramsProblem, paramExclude, paramRounds, paramTube, paramRegressionC, paramRelearn, paramViolation)},
		bias: eitherBias,
		needs: func(p Params) SparseNeeds {
			return SparseNeeds{Reference: true, C: true, Inputs: true, WorkingSet: rowsOfStep(p.Bool("bias"))}
		},
		fill:   func(p Params) { p["relearn"] = relearns(p) },
		checks: checkRelearn,
		new: func(e SparseEnv, p Params) (sparse.Learner, error) {
			return sparse.NewZhanShen(sparse.ZhanShenConfig{
				C: e.C, RegressionC: regressionC(e, p), Bias: e.Bias, Exclude: p.Float("exclude"), Rounds: p.Int("rounds"),
				Epsilon: p.Float("epsilon"), Relearn: relearns(p), Tolerance: p.Float("tolerance"),
			}, e.Problem(), e.Inputs(), e.Reference())
		},
	},
}

// rowsOfStep is the number of coefficients that change together.
func rowsOfStep(bias bool) int {
	if bias {
		return 2
	}
	return 1
}

// regressionC is C of the regression.
func regressionC(e SparseEnv, p Params) float64 {
	if p.has("regression-c") {
		return p.Float("regression-c")
	}
	return e.C
}

// checkRelearn reports that the bias of a problem without one is to be learned.
func checkRelearn(p Params) error {
	if p.Bool("relearn") && !p.Bool("bias") {
		return errors.New("relearn: true, but the problem has no bias to learn; set bias: true, or leave relearn out")
	}
	return nil
}

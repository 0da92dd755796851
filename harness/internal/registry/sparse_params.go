package registry

import (
	"errors"

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

// paramBudget is the budget of a learner that forgets.
var paramBudget = spec.Param{Name: "support", Kind: "int", Default: int64(100), Min: bound(1), Tunable: true,
	Doc: "budget: how many mistakes are remembered, and so the most expansion vectors; one more makes the learner forget another"}

// paramPass is the order of the online learners.
var paramPass = withDefault(paramOrder, "pass", "pass", "uniform")

// relearns returns whether the bias is learned again.
func relearns(p Params) bool {
	if p.has("relearn") {
		return p.Bool("relearn")
	}
	return p.Bool("bias")
}

// fillRelearn fills in whether the bias is learned again.
func fillRelearn(p Params) { p["relearn"] = relearns(p) }

// rowsOfStep is the number of coefficients that change together.
func rowsOfStep(bias bool) int {
	if bias {
		return 2
	}
	return 1
}

// regressionC is C of the regression.
func regressionC(e Env, p Params) float64 {
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

// atMost returns a number of expansion vectors, of which there are at most as many
// as training points: CheckTrainRows lets a default through.
func atMost(p Params, name string, problem svm.Problem) int {
	return min(p.Int(name), problem.Rows.Train())
}

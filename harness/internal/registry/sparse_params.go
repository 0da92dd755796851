package registry

import (
	"errors"

	"stochopt/algorithms/svm"
	"stochopt/harness/internal/spec"
)

// paramStop bounds the number of expansion vectors of an optimiser.
var paramStop = spec.Param{Name: "support", Kind: "int", Min: bound(1), Doc: "number of expansion vectors at which the run stops"}

var (
	paramEta = spec.Param{Name: "eta", Kind: "float", Default: 0.5, Above: bound(0), Tunable: true,
		Doc: "step size; theory takes eta = epsilon, and the bound on the number of steps needs eta < 2 epsilon"}
	paramThreshold = spec.Param{Name: "epsilon", Kind: "float", Default: 0.5, Above: bound(0), Tunable: true,
		Doc: "value of the objective (the largest violation of a constraint) at which the method has converged"}
	paramTraining = spec.Param{Name: "training", Kind: "int", Default: int64(4), Min: bound(1),
		Doc: "passes of the SBP before its classifier is sparsified, in kernel rows per training point"}
	paramRelearn = spec.Param{Name: "relearn", Kind: "bool", Tunable: true,
		Doc: "whether the bias is learned again, by steps on pairs (the default if the problem has a bias); otherwise it is the bias of the reference"}
)

var (
	paramCandidates = spec.Param{Name: "candidates", Kind: "int", Default: int64(10), Min: bound(1),
		Doc: "kappa, the number of points tried for each new basis function; with 59 it is one of the best 5 % with probability 95 %"}
	paramRatio = spec.Param{Name: "ratio", Kind: "float", Default: 0.01, Above: bound(0), Max: bound(1), Tunable: true,
		Doc: "fraction of the training points that may be expansion vectors, at least one point"}
	paramBasis = spec.Param{Name: "support", Kind: "int", Default: int64(1024), Min: bound(1),
		Doc: "number of basis functions at the end, at most the number of training points; each takes 4 bytes per point"}
)

var (
	paramTube = spec.Param{Name: "epsilon", Kind: "float", Default: 0.25, Min: bound(0), Tunable: true,
		Doc: "the regression ignores distances from the scores of the reference up to this: the larger, the fewer expansion vectors"}
	paramRampMargin = spec.Param{Name: "s", Kind: "float", Default: -1.0, Max: bound(maxRampMargin), Tunable: true,
		Doc: "margin below which the loss stops growing; the lower, the closer to the SVM"}
	paramExclude = spec.Param{Name: "exclude", Kind: "float", Default: 0.3, Min: bound(0), Max: bound(maxExcluded), Tunable: true,
		Doc: "fraction of the support vectors that are excluded: those where the separating surface is most curved"}
)

const (
	// maxRampMargin is below 1, where the loss starts.
	maxRampMargin = 0.999
	// maxExcluded leaves some of a few support vectors.
	maxExcluded = 0.99
)

var (
	paramReducedSet = spec.Param{Name: "support", Kind: "int", Default: int64(1024), Min: bound(1),
		Doc: "number of constructed vectors at the end, at most the number of training points; each takes 4 to 8 bytes per point"}
	paramCondensed = spec.Param{Name: "support", Kind: "int", Default: int64(1), Min: bound(1),
		Doc: "number of vectors at which merging stops, at most the number of training points; each class keeps at least one"}
	paramBasisCount = spec.Param{Name: "basis", Kind: "int", Default: int64(256), Min: bound(1), Tunable: true,
		Doc: "number of expansion vectors that are constructed, at most the number of training points; each takes 4 bytes per point"}
	paramPlaneStarts = spec.Param{Name: "starts", Kind: "int", Default: int64(10), Min: bound(1),
		Doc: "the search for a new vector starts from the best of this many points, drawn from those that the vector depends on"}
	paramPursue = spec.Param{Name: "pursue", Kind: "string", Default: "solution", Choices: []string{"solution", "plane"},
		Doc: "what a new vector approximates: the part outside the span of the others of the solution (the combination of all cutting planes), or of the newest plane"}
	paramEvery = spec.Param{Name: "every", Kind: "int", Default: int64(5), Min: bound(1),
		Doc: "number of iterations between new vectors"}
	paramPlaneTolerance = spec.Param{Name: "tolerance", Kind: "float", Default: 1e-3, Min: bound(1e-9),
		Doc: "precision of the mean hinge loss at which the method has converged in the span of its vectors"}
)

// paramBudget is the budget of a learner that forgets.
var paramBudget = spec.Param{Name: "support", Kind: "int", Default: int64(100), Min: bound(1), Tunable: true,
	Doc: "the budget: the most expansion vectors, one for each remembered mistake; a further mistake makes the learner forget one"}

// paramPass is the order of the online learners.
var paramPass = withDefault(paramOrder, "pass", "pass", "uniform")

// fillRelearn fills in whether the bias is learned again: if the problem has one.
func fillRelearn(p Params) { p.fill("relearn", p.Bool("bias")) }

// rowsOfStep is the number of coefficients that change together.
func rowsOfStep(bias bool) int {
	if bias {
		return 2
	}
	return 1
}

// checkRelearn reports relearn: true for a problem without a bias.
func checkRelearn(p Params) error {
	if p.Bool("relearn") && !p.Bool("bias") {
		return errors.New("relearn: true, but the problem has no bias to learn; set bias: true, or remove relearn")
	}
	return nil
}

// atMost returns a number of expansion vectors, of which there are at most as many
// as training points: CheckTrainRows lets a default through.
func atMost(p Params, name string, problem svm.Problem) int {
	return min(p.Int(name), problem.Rows.Train())
}

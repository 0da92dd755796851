package registry

import (
	"errors"

	"stochopt/algorithms/svm"
	"stochopt/harness/internal/spec"
)

// paramStop is the number of expansion vectors at which an optimiser stops.
var paramStop = spec.Param{Name: "support", Kind: "int", Min: bound(1), Doc: "number of expansion vectors at which the run stops"}

var (
	paramEta = spec.Param{Name: "eta", Kind: "float", Default: 0.5, Above: bound(0), Tunable: true,
		Doc: "step size; the theory uses eta = epsilon, and its bound on the number of steps requires eta < 2 epsilon"}
	paramThreshold = spec.Param{Name: "epsilon", Kind: "float", Default: 0.5, Above: bound(0), Tunable: true,
		Doc: "tolerance: the method has converged when its objective, the largest violation of a constraint, is at most this"}
	paramTraining = spec.Param{Name: "training", Kind: "int", Default: int64(4), Min: bound(1),
		Doc: "number of passes of the SBP before its classifier is sparsified, in kernel rows per training point"}
	paramRelearn = spec.Param{Name: "relearn", Kind: "bool", Tunable: true,
		Doc: "whether to relearn the bias by steps on pairs (the default if the problem has a bias) or to use the bias of the reference"}
)

var (
	paramCandidates = spec.Param{Name: "candidates", Kind: "int", Default: int64(10), Min: bound(1),
		Doc: "kappa, the number of candidate points for each new basis function; with 59, the chosen one is among the best 5 % with probability 95 %"}
	paramRatio = spec.Param{Name: "ratio", Kind: "float", Default: 0.01, Above: bound(0), Max: bound(1), Tunable: true,
		Doc: "fraction of the training points that may be expansion vectors, at least one point"}
	paramBasis = spec.Param{Name: "support", Kind: "int", Default: int64(1024), Min: bound(1),
		Doc: "final number of basis functions, at most the number of training points; each takes 4 bytes per point"}
)

var (
	paramTube = spec.Param{Name: "epsilon", Kind: "float", Default: 0.25, Min: bound(0), Tunable: true,
		Doc: "the regression ignores distances from the reference's scores up to this value; a larger value gives fewer expansion vectors"}
	paramRampMargin = spec.Param{Name: "s", Kind: "float", Default: -1.0, Max: bound(maxRampMargin), Tunable: true,
		Doc: "margin below which the loss is constant; a lower value is closer to the SVM"}
	paramExclude = spec.Param{Name: "exclude", Kind: "float", Default: 0.3, Min: bound(0), Max: bound(maxExcluded), Tunable: true,
		Doc: "fraction of the support vectors to exclude, where the separating surface is most curved"}
)

const (
	// maxRampMargin is less than 1, the margin at which the loss is 0.
	maxRampMargin = 0.999
	// maxExcluded ensures that some support vectors remain.
	maxExcluded = 0.99
)

var (
	paramReducedSet = spec.Param{Name: "support", Kind: "int", Default: int64(1024), Min: bound(1),
		Doc: "final number of constructed vectors, at most the number of training points; each takes 4 to 8 bytes per point"}
	paramCondensed = spec.Param{Name: "support", Kind: "int", Default: int64(1), Min: bound(1),
		Doc: "number of vectors at which merging stops, at most the number of training points; each class keeps at least one"}
	paramBasisCount = spec.Param{Name: "basis", Kind: "int", Default: int64(256), Min: bound(1), Tunable: true,
		Doc: "number of expansion vectors to construct, at most the number of training points; each takes 4 bytes per point"}
	paramPlaneStarts = spec.Param{Name: "starts", Kind: "int", Default: int64(10), Min: bound(1),
		Doc: "number of candidate starting points for a new vector, drawn from the points that it depends on; the search starts at the best one"}
	paramPursue = spec.Param{Name: "pursue", Kind: "string", Default: "solution", Choices: []string{"solution", "plane"},
		Doc: "target of a new vector: the component outside the span of the other vectors, either of the solution (the combination of all cutting planes) or of the newest plane"}
	paramEvery = spec.Param{Name: "every", Kind: "int", Default: int64(5), Min: bound(1),
		Doc: "number of iterations between new vectors"}
	paramPlaneTolerance = spec.Param{Name: "tolerance", Kind: "float", Default: 1e-3, Min: bound(1e-9),
		Doc: "accuracy of the mean hinge loss at which the method has converged in the span of its vectors"}
)

// paramBudget is the budget of a learner that forgets.
var paramBudget = spec.Param{Name: "support", Kind: "int", Default: int64(100), Min: bound(1), Tunable: true,
	Doc: "the budget: maximum number of expansion vectors, one per remembered mistake; at a further mistake the learner forgets one"}

// paramPass is the order of training examples for online learners.
var paramPass = withDefault(paramOrder, "pass", "pass", "uniform")

// fillRelearn sets the default of relearn: true if the problem has a bias.
func fillRelearn(p Params) { p.fill("relearn", p.Bool("bias")) }

// coefficientsPerStep returns the number of coefficients that change in one step.
func coefficientsPerStep(bias bool) int {
	if bias {
		return 2
	}
	return 1
}

// checkRelearn returns an error for relearn: true in a problem without a bias.
func checkRelearn(p Params) error {
	if p.Bool("relearn") && !p.Bool("bias") {
		return errors.New("relearn: true, but the problem has no bias to learn; set bias: true, or remove relearn")
	}
	return nil
}

// atMost returns a number of expansion vectors, bounded by the number of training points. A default may
// exceed that number: CheckTrainRows accepts it.
func atMost(p Params, name string, problem svm.Problem) int {
	return min(p.Int(name), problem.Rows.Train())
}

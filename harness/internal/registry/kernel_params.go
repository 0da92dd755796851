package registry

import "stochopt/harness/internal/spec"

// Parameter groups that several algorithms share.
var (
	// paramsProblem define the SVM problem. All algorithms have them.
	paramsProblem = []spec.Param{
		{Name: "kernel", Kind: "string", Default: "gaussian", Choices: []string{"gaussian", "linear", "polynomial"},
			Doc: "K(x, x') = exp(-gamma |x-x'|^2), <x, x'>, or (gamma <x, x'> + coef0)^degree"},
		{Name: "sigma2", Kind: "float", Above: bound(0), Tunable: true,
			Doc: "sigma^2 of the gaussian kernel; its gamma is 1/(2 sigma^2)"},
		{Name: "gamma", Kind: "float", Above: bound(0), Tunable: true,
			Doc: "gamma of the gaussian kernel, instead of sigma2, or of the polynomial kernel, where it is 1 if absent"},
		{Name: "degree", Kind: "int", Min: bound(1), Doc: "degree of the polynomial kernel, 3 if absent"},
		{Name: "coef0", Kind: "float", Min: bound(0), Doc: "constant of the polynomial kernel, 0 if absent"},
		{Name: "bias", Kind: "bool", Default: false, Doc: "whether the problem has an unregularised bias; methods for sparse SVMs without a bias ignore it"},
		{Name: "C", Kind: "float", Above: bound(0), Tunable: true,
			Doc: "regularisation: weight of the sum of hinge losses, relative to |w|^2/2. Set one of C, lambda, nu and R; the form that an algorithm needs is computed from it"},
		{Name: "lambda", Kind: "float", Above: bound(0), Tunable: true,
			Doc: "regularisation: weight of |w|^2/2, relative to the mean hinge loss; 1/(C n) for n training examples"},
		{Name: "nu", Kind: "float", Min: bound(0), Tunable: true,
			Doc: "regularisation: mean slack of the slack-constrained problem, where |w| <= 1"},
		{Name: "R", Kind: "float", Above: bound(0), Tunable: true,
			Doc: "regularisation: bound on |w| of the norm-constrained problem"},
	}
	paramOrder = spec.Param{Name: "order", Kind: "string", Default: "uniform", Choices: []string{"uniform", "pass"},
		Doc: "how training examples are drawn: independently with replacement, or each once per pass in random order"}
	paramDraw = spec.Param{Name: "draw", Kind: "string", Choices: []string{drawOne, drawPair},
		Doc: "points per step: one, or a pair with one point of each class (only with a bias, and then the default); a pair counts as two"}
	paramSVMIterate = spec.Param{Name: "iterate", Kind: "string", Default: "average", Choices: []string{"average", "last"},
		Doc: "classifier: the average of the iterates, or the last one"}
	paramConversion = spec.Param{Name: "conversion", Kind: "string", Default: "last", Choices: []string{"last", "average", "sample"},
		Doc: "classifier: the last iterate, the average of the iterates, or an iterate drawn uniformly"}
	paramSize = spec.Param{Name: "size", Kind: "int", Default: int64(10), Min: bound(1),
		Doc: "number of coefficients in a working set, at least 2 with a bias"}
	paramPairs = spec.Param{Name: "pairs", Kind: "int", Default: int64(1024), Min: bound(1), Max: bound(maxPairs),
		Doc: "maximum number of feature pairs: iteration i has 2^(i-1) pairs up to this number; each takes 8 bytes per point"}
	paramViolation = spec.Param{Name: "tolerance", Kind: "float", Default: 1e-3, Min: bound(0),
		Doc: "violation of the optimality conditions, in units of the responses, at which the method has converged"}
	paramGap = spec.Param{Name: "tolerance", Kind: "float", Default: 1e-6, Min: bound(0),
		Doc: "relative duality gap at which the linear SVM is solved"}
	paramCache = spec.Param{Name: "cache-mb", Kind: "int", Default: int64(100), Min: bound(1),
		Doc: "svm-train's kernel cache in MB (-m)"}
	paramShrinking = spec.Param{Name: "shrinking", Kind: "bool", Default: true,
		Doc: "whether svm-train uses the shrinking heuristic (-h)"}
)

// maxPairs is the largest number of pairs of random Fourier features. It takes 4 MiB per point.
const maxPairs = 1 << 19

// linearParams are the parameters of methods for linear SVMs.
func linearParams(own ...spec.Param) []spec.Param {
	all := params(paramsProblem, own)
	all[0] = withDefault(all[0], "linear", all[0].Choices...)
	return all
}

// positive returns a parameter that must be greater than 0.
func positive(p spec.Param) spec.Param {
	p.Min, p.Above = nil, bound(0)
	return p
}

// Values of the parameter draw of the SBP.
const (
	drawOne  = "one"
	drawPair = "pair"
)

// fillDraw sets the default of draw: pair with a bias, one without.
func fillDraw(p Params) {
	draw := drawOne
	if p.Bool("bias") {
		draw = drawPair
	}
	p.fill("draw", draw)
}

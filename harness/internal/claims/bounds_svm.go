package claims

import (
	"math"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// boundsSVM lists the bounds of theorems on kernel SVM training, chapters 1 and 2. They assume K(x, x) <= 1,
// which holds for the gaussian kernel. After T steps, our average is over w_1, …, w_T, but the theorems' average
// is over w_0, …, w_{T-1}. The two differ by at most |w_T|/T, which explains the terms in 1/T.
var boundsSVM = map[string]bound{
	"sbp-average": {record.TaskSVM, "distance of f to the optimum / bound", onAverage,
		observe.Where{record.VarAlgorithm: "sbp", "kernel": "gaussian"}, sbpAverage,
		"f(u/|u|) - f(w) <= 3/sqrt(T) + 1/T in expectation, for the average w of T iterates of the SBP and the certified " +
			"optimum u (Cotter 2013, Lemma lem:svm-sbp:zinkevich-batch, with the constants of Zinkevich 2003: " +
			"(D^2/2 + 1)/sqrt(T) with the diameter D = 2)"},
	"sgd-average": {record.TaskSVM, "hinge loss above the optimum / bound", onAverage,
		observe.Where{record.VarAlgorithm: "sgd", "kernel": "gaussian", "iterate": "average", "order": "uniform"},
		sgdAverage(math.Sqrt(8)),
		"hinge(w) - hinge(u) <= R sqrt(8/T) + R/T in expectation, for the average w of T iterates of norm-constrained SGD " +
			"and the certified optimum u (Cotter 2013, Theorem thm:svm-introduction:norm-constrained-runtime, with " +
			"Zinkevich's constants; see ERRATA.md)"},
	"sgd-average-printed": {record.TaskSVM, "hinge loss above the optimum / bound", onAverage,
		observe.Where{record.VarAlgorithm: "sgd", "kernel": "gaussian", "iterate": "average", "order": "uniform"},
		sgdAverage(math.Sqrt(0.5)),
		"hinge(w) - hinge(u) <= R sqrt(1/(2T)) + R/T in expectation: the same with the printed constant, which does not " +
			"hold for all data (Cotter 2013, proof of Theorem thm:svm-introduction:norm-constrained-runtime)"},
	"perceptron-mistakes": {record.TaskSVM, "mistakes / bound", everyRun,
		observe.Where{record.VarAlgorithm: "perceptron", "kernel": "gaussian", "order": "pass", "conversion": "last"},
		perceptronMistakes,
		"M <= L + |u| sqrt(L) + |u|^2 for the number of mistakes M in a pass over n examples, with L = n hinge(u) and the " +
			"certified optimum u (Cotter 2013, proof of Theorem thm:svm-sbp:perceptron-runtime; Shalev-Shwartz 2007)"},
	"perceptron-conversion": {record.TaskSVM, "error / bound", onAverage,
		observe.Where{record.VarAlgorithm: "perceptron", "kernel": "linear", "order": "pass",
			"conversion": []any{"last", "average"}}, perceptronConversion,
		"E error(w) = E M/T <= L* + |u| sqrt(L*/T) + |u|^2/T for an iterate w drawn from the first T of a single pass with " +
			"M mistakes, and the known classifier u with expected hinge loss L* (Cotter 2013, proof of Theorem " +
			"thm:svm-sbp:perceptron-runtime)"},
}

// sbpAverage computes f of the average iterate from the record. The recorded classifier is the average divided by
// f, so its mean hinge loss is nu/f. If f <= 0, the classifier is the average itself, with norm at most 1. f is
// then taken as 0, and the left-hand side is at least the returned value.
//
// Because nu is that of u, the optimum of the slack-constrained problem is u/|u|, with the value 1/|u| = 1/R.
func sbpAverage(p *point) (value, limit float64) {
	nu, f := p.number("nu"), 0.0
	p.require(nu >= 1e-9, "nu is %.4g, too small to read f off the record", nu)
	hinge := p.metric(record.SplitTrain, "hinge")
	if p.metric(record.SplitState, "norm") > 1 && hinge > 0 {
		f = nu / hinge
	}
	return 1/p.number("R") - f, p.within(3/math.Sqrt(p.steps)+1/p.steps, 1/p.number("R")+1) // as f >= -|w|
}

func sgdAverage(constant float64) func(p *point) (value, limit float64) {
	return func(p *point) (value, limit float64) {
		radius, norm := p.number("R"), p.number("reference_norm")
		p.require(norm <= radius*(1+1e-9), "the norm of the optimum is %.6g, R = %.6g", norm, radius)
		limit = constant*radius/math.Sqrt(p.steps) + radius/p.steps
		hinge := p.number("reference_hinge")
		return p.metric(record.SplitTrain, "hinge") - hinge, p.within(limit, 1+radius-hinge)
	}
}

// perceptronMistakes is for the first pass. Each example is seen once in it, so the support vectors are the
// mistakes.
func perceptronMistakes(p *point) (value, limit float64) {
	if p.steps > p.rows() {
		return 0, noBound
	}
	total, norm := p.rows()*p.number("reference_hinge"), p.number("reference_norm")
	return p.metric(record.SplitState, "support"), p.within(total+norm*math.Sqrt(total)+norm*norm, p.steps)
}

// perceptronConversion bounds the error of a randomly drawn iterate by the mistakes, because each iterate is tried
// on an example that it has not seen. The average of T iterates has the support of the last one, which precedes the
// T-th example.
func perceptronConversion(p *point) (value, limit float64) {
	if p.steps > p.rows() {
		return 0, noBound
	}
	T, norm, loss := p.steps, p.number("u_norm"), p.number("l_star")
	mistakes := p.metric(record.SplitState, "support")
	if p.run.Params["conversion"] == "average" {
		mistakes++ // the T-th example may be one
	}
	return mistakes / T, p.within(loss+norm*math.Sqrt(loss/T)+norm*norm/T, 1)
}

// boundsSparse lists the bounds of theorems on sparse SVMs, chapter 3. w is the reference classifier, and w~ its
// approximation. Bounds on numbers of steps assume 0 <= K(x, x') <= 1.
var boundsSparse = map[string]bound{
	"sparsify-steps": {record.TaskSparse, "steps / bound", everyRun,
		observe.Where{record.VarAlgorithm: sparsifiers, "kernel": "gaussian"}, atEnd(sparsifySteps),
		"T <= |w|^2/(eta (2 epsilon - eta)) steps to f(w~) <= epsilon, which is 4|w|^2 for eta = epsilon = 1/2, and half " +
			"as many on pairs (Cotter 2013, Lemma lem:svm-sparse:convergence-rate, with the general step size of its proof; " +
			"for section 3.3.7 see ERRATA.md)"},
	"sparsify-support": {record.TaskSparse, "support / bound", everyRun,
		observe.Where{record.VarAlgorithm: sparsifiers, "kernel": "gaussian"},
		atEnd(func(p *point) (value, limit float64) {
			return p.metric(record.SplitState, "support"), p.within(p.stepsToEpsilon(), p.rows())
		}),
		"support <= |w|^2/(eta (2 epsilon - eta)) if f(w~) <= epsilon, which is 4|w|^2 for eta = epsilon = 1/2 (ibid.)"},
	"sparsify-norm": {record.TaskSparse, "norm / bound", everyRun,
		observe.Where{record.VarAlgorithm: sparsifiers, "kernel": "gaussian"}, sparsifyNorm,
		"|w~| <= 2|w| at all iterates, because each step leads closer to w if eta < 2 epsilon (Cotter 2013, end of " +
			"section 3.3.4, which states O(|w|))"},
	"sparsify-norm-constraint": {record.TaskSparse, "norm / bound", everyRun,
		observe.Where{record.VarAlgorithm: "sparsify-smooth"}, sparsifyNormConstraint,
		"|w~| <= |w| of the norm-constrained problem (Cotter 2013, equation eq:svm-sparse:objective-approximation-smooth)"},
	"sparsify-slant": {record.TaskSparse, "slant loss / hinge loss of the reference", everyRun,
		observe.Where{record.VarAlgorithm: sparsifiers}, sparsifySlant,
		"slant(w~) <= hinge(w) on the training data if f(w~) <= 1/2 (Cotter 2013, Lemma lem:svm-sparse:slant-loss)"},
	"compression": {record.TaskSparse, "slant loss on test data / bound", everyRun,
		observe.Where{record.VarAlgorithm: "sparsify", "bias": false}, compression,
		"L(w~) <= L^(w~) + sqrt(32 L^(w~) c/n) + 8 c/n, c = k ln n + ln(1/D), for the slant loss L on test and L^ on " +
			"training data after k <= n/2 steps, with probability 1-D, here 99%, if that is below 1 (Cotter 2013, Theorem " +
			"thm:svm-sparse:compression-bound)"},
	"perceptron-support": {record.TaskSparse, "support / bound", everyRun,
		observe.Where{record.VarAlgorithm: "perceptron-separable", "kernel": "gaussian"}, supportPerNorm(1),
		"support <= |w|^2 for the Perceptron on the points where w has a margin of 1, also with the bias of w " +
			"(Cotter 2013, section 3.2)"},
	"sparsify-sbp-support": {record.TaskSparse, "support / bound", everyRun,
		observe.Where{record.VarAlgorithm: "sparsify-sbp", "kernel": "gaussian", "eta": 0.5, "epsilon": 0.5},
		supportPerNorm(16),
		"support <= 16 |u|^2 for the certified optimum u, because the SBP finds a classifier of norm at most 2|u|, and " +
			"sparsification keeps 4 times its squared norm (Cotter 2013, section 3.3.6)"},
	"reference-errors-support": {record.TaskSparse, "training errors / support of the reference", everyRun,
		nil, atEnd(func(p *point) (value, limit float64) {
			return p.number("reference_train_error"), p.within(p.number("reference_support")/p.rows(), 1)
		}),
		"the fraction of training points that w misclassifies is at most the fraction of support vectors (Cotter 2013, " +
			"section 3.1)"},
}

// sparsifyRounding is the relative tolerance of a bound, because kernel rows have single precision. Limits are
// multiplied by roundingFactor.
const (
	sparsifyRounding = 1e-5
	roundingFactor   = 1 + sparsifyRounding
)

// sparsifiers are the algorithms of sections 3.3 and 3.5.
var sparsifiers = []any{"sparsify", "sparsify-aggressive", "sparsify-smooth"}

// stepsToEpsilon bounds the number of steps to f(w~) <= epsilon. Each step reduces |w~ - w|^2 by
// eta (2 epsilon - eta).
func (p *point) stepsToEpsilon() float64 {
	eta, epsilon, norm := p.number("eta"), p.number("epsilon"), p.number("reference_norm")
	p.require(eta < 2*epsilon, "eta is %v, but the bound needs eta < 2 epsilon = %v", eta, 2*epsilon)
	return norm * norm / (eta * (2*epsilon - eta)) * roundingFactor
}

// supportPerNorm bounds the support by a multiple of the squared norm of the certified optimum.
func supportPerNorm(times float64) func(p *point) (value, limit float64) {
	return func(p *point) (value, limit float64) {
		norm := p.number("reference_norm")
		return p.metric(record.SplitState, "support"), p.within(times*norm*norm*roundingFactor, p.rows())
	}
}

func sparsifySteps(p *point) (value, limit float64) {
	limit = p.stepsToEpsilon()
	if p.run.Params["relearn"] == true {
		limit /= 2 // a step on a pair takes twice as much off
	}
	return p.steps, limit
}

func sparsifyNorm(p *point) (value, limit float64) {
	p.stepsToEpsilon() // requires that each step leads closer to w
	value, limit = sparsifyNormConstraint(p)
	return value, 2 * limit
}

func sparsifyNormConstraint(p *point) (value, limit float64) {
	return p.metric(record.SplitState, "norm"), p.number("reference_norm") * roundingFactor
}

// sparsifySlant is for points where the objective is known to be at most 1/2. While the aggressive variant works
// on its existing vectors, its value covers only them. Its last point, if it converged, covers all.
func sparsifySlant(p *point) (value, limit float64) {
	hinge, slant := p.number("reference_hinge"), p.metric(record.SplitTrain, "slant")
	known := p.run.Algorithm != "sparsify-aggressive" || p.index == p.curve.Len()-1 && p.run.Converged()
	if p.metric(record.SplitState, "value") > 0.5 || !known {
		return slant, noBound
	}
	return slant, p.within(hinge*roundingFactor+sparsifyRounding, 1)
}

// compressionDelta is the delta of the compression bound, which holds with probability 1 - delta for all w~
// simultaneously.
const compressionDelta = 0.01

// compression is for classifiers that k training points determine: the points of the first k steps. A bias would
// depend on all points.
func compression(p *point) (value, limit float64) {
	k, n := p.steps, p.rows()
	train, test := p.metric(record.SplitTrain, "slant"), p.metric(record.SplitTest, "slant")
	c := (k*math.Log(n) - math.Log(compressionDelta)) / n
	if 2*k > n {
		return test, noBound
	}
	return test, p.within(train+math.Sqrt(32*train*c)+8*c, 1)
}

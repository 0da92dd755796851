package claims

import (
	"math"

	"stochopt/internal/record"
)

// boundsSVM lists the bounds of theorems on kernel SVM training, chapters 1 and 2. They are
// for K(x, x) <= 1. After T steps an average is of w_1, …, w_T, in place of the w_0,
// …, w_{T-1} that the theorems are on; it is within |w_T|/T of that, which is where
// the terms in 1/T come from.
var boundsSVM = []bound{
	{record.TaskSVM, "sbp-average", "distance of f to the optimum / bound", onAverage, []string{"sbp"}, sbpAverage,
		"f(u/|u|) - f(w) <= 3/sqrt(T) + 1/T in expectation, for the average w of T iterates of the SBP and the certified optimum u (Cotter 2013, Lemma lem:svm-sbp:zinkevich-batch, with the constants of Zinkevich 2003: (D^2/2 + 1)/sqrt(T) with the diameter D = 2)"},
	{record.TaskSVM, "sgd-average", "hinge loss above the optimum / bound", onAverage,
		[]string{"sgd"}, func(b *bounded) { sgdAverage(b, math.Sqrt(8)) },
		"hinge(w) - hinge(u) <= R sqrt(8/T) + R/T in expectation, for the average w of T iterates of norm-constrained SGD and the certified optimum u (Cotter 2013, Theorem thm:svm-introduction:norm-constrained-runtime, with Zinkevich's constants, as ERRATA has it)"},
	{record.TaskSVM, "sgd-average-printed", "hinge loss above the optimum / bound", onAverage,
		[]string{"sgd"}, func(b *bounded) { sgdAverage(b, math.Sqrt(0.5)) },
		"hinge(w) - hinge(u) <= R sqrt(1/(2T)) + R/T in expectation: the same with the constant that is printed, which does not hold for all data (Cotter 2013, proof of Theorem thm:svm-introduction:norm-constrained-runtime)"},
	{record.TaskSVM, "perceptron-mistakes", "mistakes / bound", everyRun,
		[]string{"perceptron"}, perceptronMistakes,
		"M <= L + |u| sqrt(L) + |u|^2 for the mistakes in a pass over n examples, L = n hinge(u), with the certified optimum for u (Cotter 2013, proof of Theorem thm:svm-sbp:perceptron-runtime; Shalev-Shwartz 2007)"},
	{record.TaskSVM, "perceptron-conversion", "error / bound", onAverage,
		[]string{"perceptron"}, perceptronConversion,
		"E error(w) = E M/T <= L* + |u| sqrt(L*/T) + |u|^2/T for an iterate w drawn from the first T of a single pass, with M mistakes, and the known classifier u whose expected hinge loss is L* (Cotter 2013, proof of Theorem thm:svm-sbp:perceptron-runtime)"},
}

// sbpAverage reads f of the average iterate off the record. The classifier is
// that average divided by its own f, which makes its mean hinge loss nu/f. Where
// f <= 0 it is the average itself, told by its norm, which is then at most 1: f is
// taken for 0, and the left-hand side is at least what is returned.
//
// The optimum of the slack-constrained problem is u/|u| with the value 1/|u| = 1/R, for nu is that of u.
func sbpAverage(b *bounded) {
	b.fromFirstStep()
	nu, radius := b.fact("nu"), b.fact("R")
	b.unitKernel()
	b.within("nu", nu, 1e-9)
	hinge, norm := b.column(record.SplitTrain, "hinge"), b.column(record.SplitState, "norm")
	b.require(hinge != nil && norm != nil, "no hinge loss on the split train, or no norm")
	b.each(func(i int, T float64) {
		f := 0.0
		if norm[i] > 1 && hinge[i] > 0 {
			f = nu / hinge[i]
		}
		b.add(i, 1/radius-f, 3/math.Sqrt(T)+1/T)
	})
}

func sgdAverage(b *bounded, constant float64) {
	b.fromFirstStep()
	radius, optimum, norm := b.fact("R"), b.fact("reference_hinge"), b.fact("reference_norm")
	b.unitKernel()
	b.wants("iterate", "average")
	b.wants("order", "uniform")
	b.require(norm <= radius*(1+1e-9), "the norm of the optimum is %.6g, R = %.6g", norm, radius)
	hinge := b.column(record.SplitTrain, "hinge")
	b.require(hinge != nil, "no hinge loss on the split train")
	b.each(func(i int, T float64) { b.add(i, hinge[i]-optimum, constant*radius/math.Sqrt(T)+radius/T) })
}

// perceptronMistakes is judged at the last point of the first pass. An example
// is seen once there, so that the support vectors are the mistakes.
func perceptronMistakes(b *bounded) {
	b.fromFirstStep()
	norm, hinge := b.fact("reference_norm"), b.fact("reference_hinge")
	b.unitKernel()
	b.wants("order", "pass")
	b.wants("conversion", "last")
	support, n, last := b.column(record.SplitState, "support"), float64(b.Rows[record.SplitTrain]), -1
	b.each(func(i int, T float64) {
		if T <= n {
			last = i
		}
	})
	b.require(support != nil && last >= 0, "no number of support vectors within the first pass")
	if b.lacks == nil {
		total := n * hinge
		b.add(last, support[last], total+norm*math.Sqrt(total)+norm*norm)
	}
}

// perceptronConversion has the mistakes for the error of a drawn iterate: each is
// tried on an example that it has not seen. The average of T iterates has the support
// of the last of them, which is before the T-th example is looked at.
func perceptronConversion(b *bounded) {
	b.fromFirstStep()
	norm, loss := b.fact("u_norm"), b.fact("l_star")
	b.wants("order", "pass")
	b.wants("kernel", "linear")
	conversion := b.Params["conversion"]
	b.require(conversion == "last" || conversion == "average", "conversion is %v, so the support vectors are not the mistakes", conversion)
	unseen := 0.0
	if conversion == "average" {
		unseen = 1
	}
	support := b.column(record.SplitState, "support")
	b.require(support != nil, "no number of support vectors")
	b.each(func(i int, T float64) {
		if T <= float64(b.Rows[record.SplitTrain]) {
			b.add(i, (support[i]+unseen)/T, loss+norm*math.Sqrt(loss/T)+norm*norm/T)
		}
	})
	b.require(len(b.points) > 0, "no point within the first pass")
}

// fromFirstStep requires points, none of which is before the first step.
func (b *bounded) fromFirstStep() {
	b.require(len(b.iterations) > 0 && b.iterations[0] >= 1, "no point, or one before the first step")
}

// unitKernel requires a kernel that is known to have K(x, x) <= 1.
func (b *bounded) unitKernel() {
	kernel := b.Params["kernel"]
	b.require(kernel == "gaussian", "the kernel is %v, but the bound needs K(x, x) <= 1, as with kernel: gaussian", kernel)
}

// boundsSparse lists the bounds of theorems on sparse SVMs, chapter 3, where w is the
// reference classifier and w~ what approximates it. Those on numbers of steps are for
// 0 <= K(x, x') <= 1.
var boundsSparse = []bound{
	{record.TaskSparse, "sparsify-steps", "steps / bound", everyRun, sparsifiers, sparsifySteps,
		"T <= |w|^2/(eta (2 epsilon - eta)) steps to f(w~) <= epsilon, which is 4|w|^2 for eta = epsilon = 1/2, and half as many on pairs (Cotter 2013, Lemma lem:svm-sparse:convergence-rate, with the general step size of its proof; section 3.3.7 as ERRATA has it)"},
	{record.TaskSparse, "sparsify-support", "support / bound", everyRun, sparsifiers, sparsifySupport,
		"support <= |w|^2/(eta (2 epsilon - eta)) where f(w~) <= epsilon, which is 4|w|^2 for eta = epsilon = 1/2 (ibid.)"},
	{record.TaskSparse, "sparsify-norm", "norm / bound", everyRun, sparsifiers, sparsifyNorm,
		"|w~| <= 2|w| all along, as each step leads closer to w where eta < 2 epsilon (Cotter 2013, section 3.3.4, end, which has O(|w|))"},
	{record.TaskSparse, "sparsify-norm-constraint", "norm / bound", everyRun,
		[]string{"sparsify-smooth"}, func(b *bounded) { sparsification(b).normAtMost(1) },
		"|w~| <= |w| of the norm-constrained problem (Cotter 2013, equation eq:svm-sparse:objective-approximation-smooth)"},
	{record.TaskSparse, "sparsify-slant", "slant loss / hinge loss of the reference", everyRun,
		sparsifiers, sparsifySlant,
		"slant(w~) <= hinge(w) on the training data where f(w~) <= 1/2 (Cotter 2013, Lemma lem:svm-sparse:slant-loss)"},
	{record.TaskSparse, "compression", "slant loss on test data / bound", everyRun,
		[]string{"sparsify"}, compression,
		"L(w~) <= L^(w~) + sqrt(32 L^(w~) c/n) + 8 c/n, c = k ln n + ln(1/D), for the slant loss L on test and L^ on training data after k <= n/2 steps, with probability 1-D, here 99%, where that is below 1 (Cotter 2013, Theorem thm:svm-sparse:compression-bound)"},
	{record.TaskSparse, "reference-errors-support", "training errors / support of the reference", everyRun,
		nil, referenceErrors,
		"the share of the training points that w misclassifies is at most the share that are support vectors (Cotter 2013, section 3.1)"},
}

// sparsifyRounding is what rounding is granted, relative to a bound: kernel rows are of single precision.
const sparsifyRounding = 1e-5

// sparsifiers are the algorithms of section 3.3, and of section 3.5.
var sparsifiers = []string{"sparsify", "sparsify-aggressive", "sparsify-smooth"}

// sparsified is what the bounds on sparsification read.
type sparsified struct {
	*bounded
	// eta and epsilon are the step size and the threshold, norm is |w|.
	eta, epsilon, norm float64
}

func sparsification(b *bounded) sparsified {
	eta, okEta := record.Number(b.Params["eta"])
	epsilon, okEpsilon := record.Number(b.Params["epsilon"])
	b.require(okEta && okEpsilon, "no parameter eta, or epsilon")
	return sparsified{b, eta, epsilon, b.fact("reference_norm")}
}

// wantsCloser requires that each step is known to lead closer to w.
func (s sparsified) wantsCloser() {
	s.require(s.eta < 2*s.epsilon, "eta is %v, but the bound needs eta < 2 epsilon = %v", s.eta, 2*s.epsilon)
	s.unitKernel()
}

// steps is the bound on their number: each takes eta (2 epsilon - eta), or of a pair
// twice as much, off |w~ - w|^2.
func (s sparsified) steps() float64 {
	T := s.norm * s.norm / (s.eta * (2*s.epsilon - s.eta))
	if s.pairs() {
		T /= 2
	}
	return T
}

// pairs reports whether steps are on pairs of points.
func (s sparsified) pairs() bool { return s.Params["relearn"] == true }

func sparsifySteps(b *bounded) {
	s := sparsification(b)
	s.wantsCloser()
	var steps float64
	b.each(func(_ int, T float64) { steps = T })
	b.end(steps, s.steps()*(1+sparsifyRounding))
}

func sparsifySupport(b *bounded) {
	s := sparsification(b)
	s.wantsCloser()
	support := b.column(record.SplitState, "support")
	b.require(support != nil, "no number of support vectors")
	most := s.steps()
	if s.pairs() {
		most *= 2
	}
	if b.lacks == nil {
		b.end(support[len(support)-1], most*(1+sparsifyRounding))
	}
}

func sparsifyNorm(b *bounded) {
	s := sparsification(b)
	s.wantsCloser()
	s.normAtMost(2)
}

// normAtMost bounds the norm at every recorded point by a multiple of |w|.
func (s sparsified) normAtMost(times float64) {
	norm := s.column(record.SplitState, "norm")
	s.require(norm != nil, "no norm")
	s.each(func(i int, _ float64) { s.add(i, norm[i], times*s.norm*(1+sparsifyRounding)) })
}

// sparsifySlant is judged where the value of the objective is known to be at
// most 1/2. While the aggressive variant is at its old vectors its value is that for
// them alone; its last point, if it converged, is not of that kind.
func sparsifySlant(b *bounded) {
	sparsification(b)
	hinge := b.fact("reference_hinge")
	f, slant := b.column(record.SplitState, "value"), b.column(record.SplitTrain, "slant")
	b.require(f != nil && slant != nil, "no value of the objective, or no slant loss on the split train")
	b.each(func(i int, _ float64) {
		known := b.Algorithm != "sparsify-aggressive" || i == len(f)-1 && b.Converged()
		if known && f[i] <= 0.5 {
			b.add(i, slant[i], hinge*(1+sparsifyRounding)+sparsifyRounding)
		}
	})
	b.require(len(b.points) > 0, "no classifier with f <= 1/2")
}

// compressionDelta is the delta of the compression bound, which holds for all w~ at
// once with probability 1 - delta.
const compressionDelta = 0.01

// compression is for classifiers that k training points determine: those of the
// first k steps, without a bias, which all of them would have a part in.
func compression(b *bounded) {
	sparsification(b)
	b.require(b.Params["bias"] != true, "the bound is about sparsify without a bias")
	train, test := b.column(record.SplitTrain, "slant"), b.column(record.SplitTest, "slant")
	n := float64(b.Rows[record.SplitTrain])
	b.require(train != nil && test != nil && n > 0, "no slant loss on the splits train and test")
	b.each(func(i int, k float64) {
		if 2*k <= n {
			c := (k*math.Log(n) - math.Log(compressionDelta)) / n
			// Beyond 1 it says nothing: no slant loss is more.
			if limit := train[i] + math.Sqrt(32*train[i]*c) + 8*c; limit < 1 {
				b.add(i, test[i], limit)
			}
		}
	})
	b.require(len(b.points) > 0, "no point within n/2 steps where the bound is below 1")
}

func referenceErrors(b *bounded) {
	wrong, support := b.fact("reference_train_error"), b.fact("reference_support")
	n := float64(b.Rows[record.SplitTrain])
	b.require(n > 0, "no number of training rows")
	b.end(wrong, support/n)
}

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
// The optimum of the slack-constrained problem is u/|u| with the value 1/|u| = 1/R,
// for nu is that of u.
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

package claims

import (
	"math"
	"slices"

	"stochopt/results/record"
)

// boundsSVM lists the bounds of theorems on kernel SVM training, chapters 1 and 2,
// and what these chapters say of water levels. Those on learners are
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
	{record.TaskSVM, "pegasos-average", "suboptimality / bound", onAverage, []string{"pegasos"}, pegasosAverage,
		"suboptimality <= 2 (2 + ln T)/(lambda T) in expectation, for the average of T iterates of Pegasos (Shalev-Shwartz, Singer & Srebro 2007, with |w| <= 1/lambda). It is below the 84 ln T/(lambda T) of Cotter 2013, proof of Theorem thm:svm-introduction:regularized-runtime, for T >= 2"},
	{record.TaskSVM, "perceptron-mistakes", "mistakes / bound", everyRun,
		[]string{"perceptron"}, perceptronMistakes,
		"M <= L + |u| sqrt(L) + |u|^2 for the mistakes in a pass over n examples, L = n hinge(u), with the certified optimum for u (Cotter 2013, proof of Theorem thm:svm-sbp:perceptron-runtime; Shalev-Shwartz 2007)"},
	{record.TaskSVM, "perceptron-conversion", "error / bound", onAverage,
		[]string{"perceptron"}, perceptronConversion,
		"E error(w) = E M/T <= L* + |u| sqrt(L*/T) + |u|^2/T for an iterate w drawn from the first T of a single pass, with M mistakes, and the known classifier u whose expected hinge loss is L* (Cotter 2013, proof of Theorem thm:svm-sbp:perceptron-runtime)"},
	{record.TaskSVM, "water-volume", "error of the volume / rounding", everyRun, nil, waterVolume,
		"|sum_i max(0, gamma - c_i) - n nu| <= 1e-9 n nu: the water covers the responses to a common level (Cotter 2013, section 2.3.2)"},
	{record.TaskSVM, "water-equal-basins", "points under water of the one class / of the other", everyRun,
		nil, waterEqualBasins,
		"with a bias, water covers as many points of each class, where those at the surface may be counted or not: the larger number of those below it is at most the smaller number of those not above it (Cotter 2013, section 2.3.5)"},
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

func pegasosAverage(b *bounded) {
	b.fromFirstStep()
	lambda := b.fact("lambda")
	b.unitKernel()
	b.wants("iterate", "average")
	b.wants("order", "uniform")
	above := b.column(record.SplitState, record.MetricSuboptimality)
	b.require(above != nil, "no suboptimality: there is no certified optimum")
	b.each(func(i int, T float64) { b.add(i, above[i], 2*(2+math.Log(T))/(lambda*T)) })
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
	b.require(conversion == "last" || conversion == "average", "conversion is %v, whose support vectors are not the mistakes", conversion)
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
	b.require(kernel == "gaussian", "the kernel is %v, the bound for K(x, x) <= 1, which the gaussian one has", kernel)
}

// basins returns the heights of the points of each class, b being 0 without a bias.
func (b *bounded) basins() (positive, negative []float64) {
	positive, negative = slices.Clone(b.Curve.Vectors["responses_positive"]), slices.Clone(b.Curve.Vectors["responses_negative"])
	_, level := b.Facts["water_gamma"]
	_, volume := b.Facts["water_volume"]
	b.require(level && volume && len(positive)+len(negative) > 0, "no responses, or no water level: set record: {vectors: true}")
	bias := b.Facts["water_bias"]
	for i := range positive {
		positive[i] += bias
	}
	for i := range negative {
		negative[i] -= bias
	}
	return positive, negative
}

func waterVolume(b *bounded) {
	positive, negative := b.basins()
	level, volume := b.Facts["water_gamma"], b.Facts["water_volume"]
	var poured float64
	for _, c := range slices.Concat(positive, negative) {
		poured += max(0, level-c)
	}
	b.end(math.Abs(poured-volume), 1e-9*volume)
}

func waterEqualBasins(b *bounded) {
	positive, negative := b.basins()
	_, biased := b.Facts["water_bias"]
	b.require(biased, "the problem has no bias")
	const surface = 1e-9
	level := b.Facts["water_gamma"]
	below := func(c []float64, h float64) (n float64) {
		for _, v := range c {
			if v < h {
				n++
			}
		}
		return n
	}
	under := max(below(positive, level-surface), below(negative, level-surface))
	upTo := min(below(positive, level+surface), below(negative, level+surface))
	b.end(under, upTo)
}

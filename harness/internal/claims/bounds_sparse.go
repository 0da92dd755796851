package claims

import (
	"math"

	"stochopt/internal/record"
)

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

// sparsifyRounding is what rounding is granted, relative to a bound: kernel rows are
// of single precision.
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
	b.require(len(b.iterations) > 0, "no point on record")
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

// normAtMost bounds the norm by so many times |w| all along.
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

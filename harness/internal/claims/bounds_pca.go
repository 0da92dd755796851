package claims

import (
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/whole"
)

// boundsPCA lists the bounds of theorems on streaming PCA, chapters 4 to 6, which all
// bound the suboptimality on the distribution itself, with E|x|^4 <= 1 or |x| <= 1,
// which a record does not say and the specification has to see to; and what the text
// says of the shapes of curves, as numbers.
var boundsPCA = []bound{
	{record.TaskPCA, "saa-rate", "share of the runs beyond the bound", inProbability, []string{"saa"}, saaRate,
		"sqrt(k/n) + sqrt(2 ln(1/D)/n) + sqrt(8 ln(2/D)/n) with probability 1-2D, here 90%, after n samples (Cotter 2013, proof of Lemma lem:pca-introduction:saa-bound)"},
	{record.TaskPCA, "msg-rate", "suboptimality / bound", onAverage, []string{"msg"}, msgRate,
		"2 sqrt(k/T) in expectation, for the average of T iterates with the constant step 2 sqrt(k/T) (Cotter 2013, Lemma lem:pca-capped-msg:rate)"},
	{record.TaskPCA, "warmuth-kuzmin-rate", "suboptimality / bound", onAverage,
		[]string{"warmuth-kuzmin"}, warmuthKuzminRate,
		"2 sqrt(L* k/T) + k/T in expectation, for the average of T iterates with the step that L* asks for (Cotter 2013, equation eq:pca-warmuth:rate; Warmuth & Kuzmin 2008)"},
	{record.TaskPCA, "warmuth-kuzmin-mirror-rate", "suboptimality / bound", onAverage,
		[]string{"warmuth-kuzmin"}, warmuthKuzminMirrorRate,
		"sqrt(k(d-k)/T) in expectation, for an iterate drawn from T with the constant step (2/sqrt(T)) sqrt(k/(d-k)) (Cotter 2013, Lemma lem:pca-warmuth:convergence-vN)"},
	{record.TaskPCA, "plateau", "a doubling / the longest plateau", onAverage, nil, longestPlateau,
		"2 s/t <= 1 on average, for the longest stretch from iteration s >= 10 to t along which the suboptimality stays within a tenth and after which it falls to a tenth (words of Cotter 2013, section 6.4.1, not a theorem)"},
	{record.TaskPCA, "extra-eigenvalues", "share of the extra eigenvalues of 0.1 or more / half of them", onAverage,
		nil, extraEigenvalues,
		"at most half of the eigenvalues beyond the k largest are 0.1 or more, over the recorded iterates (words of Cotter 2013, section 6.4.1, not a theorem)"},
	{record.TaskPCA, "trace-concentrates", "trace outside the top k at the end / half of the most", onAverage,
		nil, traceConcentrates,
		"the sum of the eigenvalues beyond the k largest is at the end at most half of what it is at a recorded iterate at most (words of Cotter 2013, section 6.3, not a theorem)"},
}

// saaDelta is the delta of the bound on sample average approximation, which holds with probability 1 - 2 delta.
const saaDelta = 0.05

// saaRate is judged at the end of the run only: it holds for each n, not for all at once.
func saaRate(b *bounded) {
	e := endOfPCA(b)
	broken := 0.0
	if e.suboptimality > math.Sqrt(e.k/e.T)+math.Sqrt(2*math.Log(1/saaDelta)/e.T)+math.Sqrt(8*math.Log(2/saaDelta)/e.T) {
		broken = 1
	}
	b.end(broken, 2*saaDelta)
}

func msgRate(b *bounded) {
	e := endOfPCA(b)
	b.wants("step.schedule", "theory")
	e.wantsTheirStep()
	e.wantsExpectation()
	b.end(e.suboptimality, 2*math.Sqrt(e.k/e.T))
}

// warmuthKuzminRate takes L* for that of the distribution, 1 - the optimum: it is
// the compression loss of the best subspace where |x| = 1, and more than that where
// |x| <= 1. With B = (d-k) ln(d/(d-k)), the relative entropy of the best subspace to
// I/d, at which the iterates must start, the analysis of exponentiated gradients gives
// the total loss (eta L + B)/(1 - exp(-eta)) for any step eta, where L = T L*; the bound
// follows for eta = ln(1 + sqrt(2B/L)), and B <= k.
func warmuthKuzminRate(b *bounded) {
	e := endOfPCA(b)
	b.wants("step.schedule", "constant")
	b.wants("start", "uniform")
	e.wantsExpectation()
	d := e.dimension()
	loss := 1 - (e.objective + e.suboptimality)
	b.require(loss > 0, "the optimum is %.4g: E|x|^2 is above 1", 1-loss)
	B := (d - e.k) * math.Log(d/(d-e.k))
	eta := math.Log1p(math.Sqrt(2 * B / (e.T * loss)))
	c, _ := record.Number(b.Params["step.c"])
	b.require(math.Abs(c-eta) <= 1e-3*eta, "the step size is %.5g, but the bound needs ln(1 + sqrt(2B/(T L*))) = %.5g", c, eta)
	b.end(e.suboptimality, 2*math.Sqrt(loss*e.k/e.T)+e.k/e.T)
}

func warmuthKuzminMirrorRate(b *bounded) {
	e := endOfPCA(b)
	b.wants("step.schedule", "theory")
	e.wantsTheirStep()
	b.wants("start", "uniform")
	e.wantsExpectation()
	d := e.dimension()
	b.end(e.suboptimality, math.Sqrt(e.k*(d-e.k)/e.T))
}

// pcaEnd is the end of a run on a known distribution, after T iterations.
type pcaEnd struct {
	*bounded
	k, T, objective, suboptimality float64
}

func endOfPCA(b *bounded) pcaEnd {
	e := pcaEnd{bounded: b, k: b.param("k")}
	objective := b.column(record.SplitPopulation, record.MetricObjective)
	suboptimality := b.column(record.SplitPopulation, record.MetricSuboptimality)
	b.require(objective != nil && suboptimality != nil, "no suboptimality on the population: the distribution is not known")
	if b.lacks == nil {
		last := len(b.iterations) - 1
		e.T, e.objective, e.suboptimality = float64(b.iterations[last]), objective[last], suboptimality[last]
	}
	return e
}

// wantsTheirStep requires the step size to be the theorem's, not a multiple of it.
func (e pcaEnd) wantsTheirStep() {
	c, given := e.Params["step.c"]
	e.require(!given || c == 1.0, "step.c is %v, but the bound needs 1", c)
}

// wantsExpectation requires that what is measured has in expectation the objective of
// the average of the relaxed iterates, which the bounds are on: the average itself, or
// one iterate drawn from all, made a subspace by a draw.
func (e pcaEnd) wantsExpectation() {
	it := e.Params["iterate"]
	e.require(it == "average" || it == "sample", "iterate is %v, but the bound needs average or sample", it)
	e.wants("unrelax", "decompose")
}

// dimension is d, read from the rank k'_1 of an iterate that was started at I/d: all
// of its eigenvalues are below the cap.
func (e pcaEnd) dimension() float64 {
	kt := e.Measured().Cost["sum_kt"]
	e.require(len(kt) > 0 && e.lacks == nil && e.iterations[0] == 1, "no rank after the first iteration on record, so d is unknown")
	if e.lacks != nil {
		return 0
	}
	d := float64(kt[0])
	e.require(d > e.k, "the run did not start at I/d: the rank after the first iteration is %v, k = %v", d, e.k)
	return d
}

// Numbers for the words of Cotter 2013, section 6.4.1.
const (
	// plateauFrom is the iteration from which a plateau is not the start.
	plateauFrom = 10
	// plateauLevel is how little of its largest suboptimality a plateau keeps,
	// plateauFall what a curve that converges again falls to of its end.
	plateauLevel, plateauFall = 0.9, 0.1
	// plateauLength is the ratio of the iterations at the ends of a plateau.
	plateauLength = 2
	// smallEigenvalue is a very small one of an iterate, whose largest is 1.
	smallEigenvalue = 0.1
	// manySmall is the share of the extra eigenvalues that is many.
	manySmall = 0.5
	// concentrated is the share of the trace outside of the top k that is left of the largest there was.
	concentrated = 0.5
)

// longestPlateau compares a doubling with the longest plateau of a run after which it converges again.
func longestPlateau(b *bounded) {
	x := b.iterations
	_, y := splitOf(b.Run, Curve{Metric: record.MetricSuboptimality})
	b.require(len(y) > 0 && len(y) == len(x), "no record of suboptimality")
	if b.lacks != nil {
		return
	}
	least := slices.Clone(y) // of what follows
	for i := len(y) - 2; i >= 0; i-- {
		least[i] = min(y[i], least[i+1])
	}
	longest := 1.0
	for i := range x {
		if x[i] < plateauFrom {
			continue
		}
		lo, hi := y[i], y[i]
		for j := i; j < len(x); j++ {
			lo, hi = min(lo, y[j]), max(hi, y[j])
			if lo < plateauLevel*hi || !(hi > observe.Rounding) {
				break
			}
			if least[j] <= plateauFall*y[j] {
				longest = max(longest, float64(x[j])/float64(x[i]))
			}
		}
	}
	b.end(plateauLength/longest, 1)
}

// beyondTop returns the eigenvalues beyond the k largest of each recorded iterate.
func beyondTop(b *bounded) [][]float64 {
	k, spectrum := b.param("k"), slices.Clone(b.Measured().Spectrum)
	b.require(len(spectrum) > 0 && len(spectrum) == b.Points(), "no record of the eigenvalues of the iterates")
	for i, eigenvalues := range spectrum {
		spectrum[i] = eigenvalues[whole.Within(k, 0, len(eigenvalues)):]
	}
	return spectrum
}

// extraEigenvalues compares the share of the eigenvalues beyond the k largest that are
// not very small with what leaves many that are, over the recorded iterates together.
func extraEigenvalues(b *bounded) {
	extra, small := 0, 0
	for _, eigenvalues := range beyondTop(b) {
		for _, v := range eigenvalues {
			extra++
			if math.Abs(v) < smallEigenvalue {
				small++
			}
		}
	}
	b.require(extra > 0, "no iterate has a rank above k")
	b.end(1-float64(small)/float64(extra), 1-manySmall)
}

// traceConcentrates compares the trace outside of the k largest eigenvalues, at the end,
// with the largest along the run. That is at most the rounding of a trace if there never
// was any.
func traceConcentrates(b *bounded) {
	var most, last float64
	for _, eigenvalues := range beyondTop(b) {
		last = 0
		for _, v := range eigenvalues {
			last += v
		}
		most = max(most, last)
	}
	b.require(most > observe.Rounding, "no iterate has a rank above k")
	b.end(last, concentrated*most)
}

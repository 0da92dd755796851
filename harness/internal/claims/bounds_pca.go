package claims

import (
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/whole"
)

// boundsPCA lists the bounds of theorems on streaming PCA, chapters 4 to 6, and statements on the shapes of curves,
// as numbers. The theorems bound the suboptimality on the distribution and assume E|x|^4 <= 1 or |x| <= 1. A record
// does not show this, so the spec must ensure it.
var boundsPCA = map[string]bound{
	"saa-rate": {record.TaskPCA, "share of the runs beyond the bound", inProbability,
		observe.Where{record.VarAlgorithm: "saa"}, atEnd(saaRate),
		"sqrt(k/n) + sqrt(2 ln(1/D)/n) + sqrt(8 ln(2/D)/n) with probability 1-2D, here 90%, after n samples " +
			"(Cotter 2013, proof of Lemma lem:pca-introduction:saa-bound)"},
	"msg-rate": {record.TaskPCA, "suboptimality / bound", onAverage,
		observe.Where{record.VarAlgorithm: "msg", "step.schedule": "theory", "step.c": theoremStep,
			"iterate": relaxed, "unrelax": "decompose"},
		atEnd(func(p *point) (value, limit float64) {
			return p.suboptimality(), p.within(2*math.Sqrt(p.number("k")/p.steps), p.optimum())
		}),
		"2 sqrt(k/T) in expectation, for the average of T iterates with the constant step 2 sqrt(k/T) " +
			"(Cotter 2013, Lemma lem:pca-capped-msg:rate)"},
	"warmuth-kuzmin-rate": {record.TaskPCA, "suboptimality / bound", onAverage,
		observe.Where{record.VarAlgorithm: "warmuth-kuzmin", "step.schedule": "constant", "start": "uniform",
			"iterate": relaxed, "unrelax": "decompose"}, atEnd(warmuthKuzminRate),
		"2 sqrt(L* k/T) + k/T in expectation, for the average of T iterates with the step size that is optimal for L* " +
			"(Cotter 2013, equation eq:pca-warmuth:rate; Warmuth & Kuzmin 2008)"},
	"warmuth-kuzmin-mirror-rate": {record.TaskPCA, "suboptimality / bound", onAverage,
		observe.Where{record.VarAlgorithm: "warmuth-kuzmin", "step.schedule": "theory", "step.c": theoremStep,
			"start": "uniform", "iterate": relaxed, "unrelax": "decompose"}, atEnd(warmuthKuzminMirrorRate),
		"sqrt(k(d-k)/T) in expectation, for an iterate drawn from T with the constant step (2/sqrt(T)) sqrt(k/(d-k)) " +
			"(Cotter 2013, Lemma lem:pca-warmuth:convergence-vN)"},
	"plateau": {record.TaskPCA, "share of the runs without a plateau of a doubling", inMost, nil, atEnd(longestPlateau),
		"2 s/t <= 1 in most runs, for the longest range of iterations from s >= 10 to t in which the suboptimality changes " +
			"by at most a tenth and after which it falls to a tenth (wording of Cotter 2013, section 6.4.1; not a theorem)"},
	"stuck": {record.TaskPCA, "share of the runs that are not stuck", inMost, nil,
		atEnd(func(p *point) (value, limit float64) { return stuckAt, p.suboptimality() }),
		"a suboptimality of 0.01 or more at the end of most runs (wording of Cotter 2013, section 6.4.1; not a theorem)"},
	"free": {record.TaskPCA, "share of the runs that are stuck", inMost, nil,
		atEnd(func(p *point) (value, limit float64) { return p.suboptimality(), stuckAt }),
		"a suboptimality of at most 0.01 at the end of most runs (ibid.)"},
	"extra-eigenvalues": {record.TaskPCA, "share of the extra eigenvalues of 0.1 or more / half of them", onAverage,
		nil, atEnd(extraEigenvalues),
		"at most half of the eigenvalues beyond the k largest are 0.1 or more, over all recorded iterates " +
			"(wording of Cotter 2013, section 6.4.1; not a theorem)"},
	"trace-concentrates": {record.TaskPCA, "trace outside the top k at the end / half of the most", onAverage,
		nil, atEnd(traceConcentrates),
		"at the end, the sum of the eigenvalues beyond the k largest is at most half of its maximum over the recorded " +
			"iterates (wording of Cotter 2013, section 6.3; not a theorem)"},
}

var (
	// theoremStep is a factor of 1 for the step size of the theorem, or no factor.
	theoremStep = []any{1.0, ""}
	// relaxed lists the choices of iterate for which the bounds hold. In expectation, they have the
	// objective of the average of the relaxed iterates: the average itself, or a randomly drawn iterate that
	// a random decomposition turns into a subspace.
	relaxed = []any{"average", "sample"}
)

// stuckAt is the final suboptimality from which a run counts as stuck.
const stuckAt = 0.01

// saaDelta is the delta of the bound on sample average approximation, which holds with probability 1 - 2 delta.
const saaDelta = 0.05

// saaRate holds for each n, not for all at once.
func saaRate(p *point) (value, limit float64) {
	k, n := p.number("k"), p.steps
	limit = math.Sqrt(k/n) + math.Sqrt(2*math.Log(1/saaDelta)/n) + math.Sqrt(8*math.Log(2/saaDelta)/n)
	return p.suboptimality(), p.within(limit, p.optimum())
}

func warmuthKuzminMirrorRate(p *point) (value, limit float64) {
	k, d := p.number("k"), p.dimension()
	return p.suboptimality(), p.within(math.Sqrt(k*(d-k)/p.steps), p.optimum())
}

// warmuthKuzminRate uses L* = 1 - the optimum of the distribution. This is the compression loss of the best
// subspace if |x| = 1, and an upper bound on it if |x| <= 1. Let B = (d-k) ln(d/(d-k)), the relative entropy of the
// best subspace to I/d, where the iterates must start, and L = T L*. The analysis of exponentiated gradients bounds
// the total loss by (eta L + B)/(1 - exp(-eta)) for any step eta. The bound follows for eta = ln(1 + sqrt(2B/L)),
// with B <= k.
func warmuthKuzminRate(p *point) (value, limit float64) {
	k, d, T, c := p.number("k"), p.dimension(), p.steps, p.number("step.c")
	loss := 1 - p.optimum()
	p.require(loss > 0, "the optimum is %.4g: E|x|^2 is above 1", 1-loss)
	B := (d - k) * math.Log(d/(d-k))
	eta := math.Log1p(math.Sqrt(2 * B / (T * loss)))
	p.require(math.Abs(c-eta) <= 1e-3*eta, "the step size is %.5g, but the bound needs ln(1 + sqrt(2B/(T L*))) = %.5g", c, eta)
	return p.suboptimality(), p.within(2*math.Sqrt(loss*k/T)+k/T, p.optimum())
}

// suboptimality returns the suboptimality on a known distribution.
func (p *point) suboptimality() float64 {
	return p.metric(record.SplitPopulation, record.MetricSuboptimality)
}

// optimum returns the largest objective on the distribution. It bounds the suboptimality, because objectives are
// not negative.
func (p *point) optimum() float64 {
	return p.metric(record.SplitPopulation, record.MetricObjective) + p.suboptimality()
}

// dimension returns d. It is the rank k'_1 of the first iterate from the start I/d, because all eigenvalues are
// below the cap.
func (p *point) dimension() float64 {
	ranks := p.curve.Cost["sum_kt"]
	if len(ranks) == 0 || p.curve.Cost[record.CostIterations][0] != 1 {
		p.require(false, "no rank after the first iteration on record, so d is unknown")
		return 0
	}
	d, k := float64(ranks[0]), p.number("k")
	p.require(d > k, "the run did not start at I/d: the rank after the first iteration is %v, k = %v", d, k)
	return d
}

// longestPlateau compares a factor of two in iterations with the longest plateau of a run after which it converges
// further.
func longestPlateau(p *point) (value, limit float64) {
	x := p.curve.Cost[record.CostIterations]
	_, y := splitOf(p.run, Curve{Metric: record.MetricSuboptimality})
	if p.require(len(y) == len(x), "no record of suboptimality"); p.problem != nil {
		return 0, 1
	}
	// A plateau begins at iteration 10 or later and stays above nine tenths of its largest suboptimality. The
	// curve converges further if it later falls to a tenth of the value at the end of the plateau.
	const start, level, fall = 10, 0.9, 0.1
	least := slices.Clone(y) // the smallest of the values from a point on
	for i := len(y) - 2; i >= 0; i-- {
		least[i] = min(y[i], least[i+1])
	}
	longest := 1.0
	for i := range x {
		if x[i] < start {
			continue
		}
		lo, hi := y[i], y[i]
		for j := i; j < len(x); j++ {
			lo, hi = min(lo, y[j]), max(hi, y[j])
			if lo < level*hi || !(hi > observe.Rounding) {
				break
			}
			if least[j] <= fall*y[j] {
				longest = max(longest, float64(x[j])/float64(x[i]))
			}
		}
	}
	return 2 / longest, 1
}

// beyondTop returns the eigenvalues beyond the k largest of each recorded iterate.
func (p *point) beyondTop() [][]float64 {
	k, spectrum := p.number("k"), slices.Clone(p.curve.Spectrum)
	p.require(len(spectrum) == p.curve.Len(), "no record of the eigenvalues of the iterates")
	for i, eigenvalues := range spectrum {
		spectrum[i] = eigenvalues[whole.Within(k, 0, len(eigenvalues)):]
	}
	return spectrum
}

// extraEigenvalues compares the fraction of eigenvalues beyond the k largest that are not very small (the largest
// is 1) with one half, over all recorded iterates.
func extraEigenvalues(p *point) (value, limit float64) {
	extra := slices.Concat(p.beyondTop()...)
	p.require(len(extra) > 0, "no iterate has a rank above k")
	small := 0
	for _, v := range extra {
		if math.Abs(v) < 0.1 {
			small++
		}
	}
	return 1 - float64(small)/float64(len(extra)), 0.5
}

// traceConcentrates compares the final trace outside the k largest eigenvalues with half of its largest value along
// the run. If there is no such trace, that value is only rounding.
func traceConcentrates(p *point) (value, limit float64) {
	var most, last float64
	for _, eigenvalues := range p.beyondTop() {
		last = 0
		for _, v := range eigenvalues {
			last += v
		}
		most = max(most, last)
	}
	p.require(most > observe.Rounding, "no iterate has a rank above k")
	return last, 0.5 * most
}

package claims

import (
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/whole"
)

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
	// concentrated is the share of the trace outside of the top k that is left of the
	// largest there was.
	concentrated = 0.5
)

// longestPlateau compares a doubling with the longest plateau of a run after which it
// converges again.
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

// extraEigenvalues compares the share of the eigenvalues beyond the k largest that are
// not very small with what leaves many that are, over the recorded iterates together.
func extraEigenvalues(b *bounded) {
	k, spectrum := b.param("k"), b.Measured().Spectrum
	b.require(len(spectrum) > 0 && len(spectrum) == b.Points(), "no record of the eigenvalues of the iterates")
	extra, small := 0, 0
	for _, eigenvalues := range spectrum {
		for _, v := range eigenvalues[whole.Within(k, 0, len(eigenvalues)):] {
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
	k, spectrum := b.param("k"), b.Measured().Spectrum
	b.require(len(spectrum) > 0 && len(spectrum) == b.Points(), "no record of the eigenvalues of the iterates")
	var most, last float64
	for _, eigenvalues := range spectrum {
		last = 0
		for _, v := range eigenvalues[whole.Within(k, 0, len(eigenvalues)):] {
			last += v
		}
		most = max(most, last)
	}
	b.require(most > observe.Rounding, "no iterate has a rank above k")
	b.end(last, concentrated*most)
}

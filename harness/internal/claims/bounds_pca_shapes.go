package claims

import (
	"errors"
	"math"

	"stochopt/results/analysis"
	"stochopt/results/record"
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
)

// plateauBound compares a doubling with the longest plateau of a run after which it
// converges again.
func plateauBound(r *record.Run) (at []int, value, limit []float64, err error) {
	x := r.Curve.Cost[costIterations]
	_, y := splitOf(r, Curve{Metric: metricSuboptimality})
	if len(y) == 0 || len(y) != len(x) {
		return nil, nil, nil, errors.New("no record of suboptimality")
	}
	last := len(x) - 1
	least := make([]float64, len(y)) // of what follows
	for i := last; i >= 0; i-- {
		if least[i] = y[i]; i < last {
			least[i] = min(y[i], least[i+1])
		}
	}
	longest := 1.0
	for i := range x {
		if x[i] < plateauFrom {
			continue
		}
		lo, hi := y[i], y[i]
		for j := i; j <= last; j++ {
			lo, hi = min(lo, y[j]), max(hi, y[j])
			if lo < plateauLevel*hi || !(hi > analysis.Rounding) {
				break
			}
			if least[j] <= plateauFall*y[j] {
				longest = max(longest, float64(x[j])/float64(x[i]))
			}
		}
	}
	return []int{last}, []float64{plateauLength / longest}, []float64{1}, nil
}

// extraEigenvaluesBound compares the share of the eigenvalues beyond the k largest
// that are not very small with what leaves many that are, over the recorded
// iterates together.
func extraEigenvaluesBound(r *record.Run) (at []int, value, limit []float64, err error) {
	k, ok := record.Number(r.Params["k"])
	switch {
	case !ok:
		return nil, nil, nil, errors.New("no parameter k")
	case len(r.Curve.Spectrum) == 0 || len(r.Curve.Spectrum) != r.Curve.Len():
		return nil, nil, nil, errors.New("no record of the eigenvalues of the iterates")
	}
	extra, small := 0, 0
	for _, eigenvalues := range r.Curve.Spectrum {
		for _, v := range eigenvalues[min(int(k), len(eigenvalues)):] {
			extra++
			if math.Abs(v) < smallEigenvalue {
				small++
			}
		}
	}
	if extra == 0 {
		return nil, nil, nil, errors.New("no iterate has a rank above k")
	}
	return []int{r.Curve.Len() - 1}, []float64{1 - float64(small)/float64(extra)}, []float64{1 - manySmall}, nil
}

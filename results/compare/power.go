package compare

import (
	"math"

	"stochopt/results/analysis"

	"gonum.org/v1/gonum/stat/distuv"
)

// leastRepeats returns the least number of repeats with which a test can reject
// at all, if there are so many in the family.
func leastRepeats(paired bool, alpha float64, tests int) int {
	alpha /= float64(max(tests, 1))
	for n := 2; n < exactUpTo; n++ {
		p := leastSignFlip(n)
		if !paired {
			p = leastPermutation(n, n)
		}
		if p <= alpha {
			return n
		}
	}
	return exactUpTo
}

// repeatsNeeded returns the number of repeats with which an estimate like this
// one would most likely lead to a verdict: to a significant difference if it is
// beyond the tolerance, else to an interval within it. It goes by the normal
// distribution, and by Bonferroni's bound for the family. It is 0 if that cannot
// be told, and more than have been made.
func repeatsNeeded(e estimate, o Options, paired bool, tests, made int) int {
	least := leastRepeats(paired, o.Alpha, tests)
	if e.ranks || e.spread == 0 {
		if least > made {
			return least
		}
		return 0
	}
	quantile := distuv.UnitNormal.Quantile
	// Estimating the spread costs some repeats too (Guenther 1981).
	correction := 2.0
	if !paired {
		correction = 4
	}
	var n float64
	if size, margin := math.Abs(e.centre), o.margin(); size > margin {
		z := quantile(1 - o.Alpha/2/float64(max(tests, 1)))
		n = max(analysis.RepeatsToTell(size/e.spread, z, analysis.WantedPower, correction), float64(least))
	} else if size < margin {
		z := quantile(1 - o.Alpha/2)
		n = analysis.RepeatsToTell((margin-size)/e.spread, z, (1+analysis.WantedPower)/2, correction)
	} else {
		return 0
	}
	if n = max(math.Ceil(n), float64(made+1)); n > analysis.MostRepeats {
		return 0
	}
	return int(n)
}

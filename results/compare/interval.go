package compare

import (
	"cmp"
	"math"
	"math/rand/v2"

	"stochopt/results/analysis"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The intervals of a mean, or of a difference of means, are percentiles of its
// bootstrap distribution, stretched about the estimate. A plain percentile
// interval is too short for few repeats, for two reasons (Hesterberg 2015, "What
// teachers should know about the bootstrap", section 3): the bootstrap's standard
// error has n in place of n - 1, and it takes the normal distribution for
// Student's. The factor sqrt(n/(n-1)) t/z makes good both, and leaves the
// interval the skewness of the bootstrap distribution; if that is normal, the
// interval is Student's.

// leastResamples is the number of bootstrap resamples; there are more for a small alpha.
const leastResamples = 2000

func (o Options) resampled() int {
	return cmp.Or(o.resamples, int(min(max(leastResamples, 200/o.Alpha), 200000)))
}

// meanInterval returns the mean of d, at least 2 values, with its interval at the
// level 1 - Alpha.
func meanInterval(d []float64, o Options, rng *rand.Rand) analysis.Interval {
	n := float64(len(d))
	mean, sd := stat.MeanStdDev(d, nil)
	if sd == 0 {
		return analysis.Interval{Value: mean, Lo: mean, Hi: mean}
	}
	off := make([]float64, o.resampled())
	for i := range off {
		off[i] = resampledMean(d, rng) - mean
	}
	return stretched(mean, off, math.Sqrt(n/(n-1))*studentOverNormal(n-1, o.Alpha), o.Alpha)
}

// differenceInterval is meanInterval for the mean of b less that of a, of
// independent samples. The degrees of freedom are Welch's.
func differenceInterval(a, b []float64, o Options, rng *rand.Rand) analysis.Interval {
	na, nb := float64(len(a)), float64(len(b))
	ma, sa := stat.MeanStdDev(a, nil)
	mb, sb := stat.MeanStdDev(b, nil)
	mean := mb - ma
	va, vb := sa*sa/na, sb*sb/nb
	if va+vb == 0 {
		return analysis.Interval{Value: mean, Lo: mean, Hi: mean}
	}
	off := make([]float64, o.resampled())
	fa, fb := math.Sqrt(na/(na-1)), math.Sqrt(nb/(nb-1))
	for i := range off {
		off[i] = fb*(resampledMean(b, rng)-mb) - fa*(resampledMean(a, rng)-ma)
	}
	nu := (va + vb) * (va + vb) / (va*va/(na-1) + vb*vb/(nb-1))
	return stretched(mean, off, studentOverNormal(nu, o.Alpha), o.Alpha)
}

// stretched returns the percentile interval of a bootstrap distribution, given as
// deviations from the estimate, stretched by a factor.
func stretched(value float64, off []float64, factor, alpha float64) analysis.Interval {
	k := int(alpha / 2 * float64(len(off)))
	lo := kth(off, k)
	hi := kth(off, len(off)-1-k)
	return analysis.Interval{Value: value, Lo: value + factor*min(lo, 0), Hi: value + factor*max(hi, 0)}
}

func studentOverNormal(nu, alpha float64) float64 {
	t := analysis.Student(nu).Quantile(1 - alpha/2)
	return t / distuv.UnitNormal.Quantile(1-alpha/2)
}

// resampledMean is the mean of as many values as there are, drawn with replacement.
// 32 random bits an index leave a bias of len(v)/2^32.
func resampledMean(v []float64, rng *rand.Rand) float64 {
	var sum float64
	n := uint64(len(v))
	for i := 0; i < len(v); i += 2 {
		u := rng.Uint64()
		sum += v[u>>32*n>>32]
		if i+1 < len(v) {
			sum += v[u&(1<<32-1)*n>>32]
		}
	}
	return sum / float64(n)
}

// kth returns the element that sorting would put at index k, counted from 0. It
// reorders v (Hoare's selection).
func kth(v []float64, k int) float64 {
	for lo, hi := 0, len(v)-1; lo < hi; {
		pivot := v[(lo+hi)/2]
		i, j := lo, hi
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return v[k]
		}
	}
	return v[k]
}

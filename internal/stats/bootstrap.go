package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Bootstrap makes intervals of a mean, or of a difference of means: percentiles of its
// bootstrap distribution, stretched about the estimate. A plain percentile
// interval is too short for few repeats, for two reasons (Hesterberg 2015, "What
// teachers should know about the bootstrap", section 3): the bootstrap's standard
// error has n in place of n - 1, and it takes the normal distribution for
// Student's. The factor sqrt(n/(n-1)) t/z makes good both, and leaves the
// interval the skewness of the bootstrap distribution; if that is normal, the
// interval is Student's.
type Bootstrap struct {
	// Alpha is 1 less the level of the intervals.
	Alpha float64
	Rand  *rand.Rand
}

// leastResamples is the number of bootstrap resamples; there are more for a small alpha.
const leastResamples = 2000

// Draws is the number of resamples.
func (b Bootstrap) Draws() int {
	return int(min(max(leastResamples, 200/b.Alpha), 200000))
}

// Percentiles sorts resampled estimates and returns the ends of their plain percentile
// interval, for statistics that are no means, such as of a procedure that chooses.
func (b Bootstrap) Percentiles(resampled []float64) (lo, hi float64) {
	k := int(b.Alpha / 2 * float64(len(resampled)))
	slices.Sort(resampled)
	return resampled[k], resampled[len(resampled)-1-k]
}

// Mean returns the mean of d, at least 2 values, with its interval.
func (b Bootstrap) Mean(d []float64) Interval {
	n := float64(len(d))
	mean, sd := stat.MeanStdDev(d, nil)
	if sd == 0 {
		return Interval{Value: mean, Lo: mean, Hi: mean}
	}
	return b.stretched(mean, math.Sqrt(n/(n-1)), n-1, func() float64 { return resampledMean(d, b.Rand) - mean })
}

// Difference is Mean for the mean of y less that of x, of independent samples. The
// degrees of freedom are Welch's.
func (b Bootstrap) Difference(x, y []float64) Interval {
	nx, ny := float64(len(x)), float64(len(y))
	mx, sx := stat.MeanStdDev(x, nil)
	my, sy := stat.MeanStdDev(y, nil)
	mean := my - mx
	vx, vy := sx*sx/nx, sy*sy/ny
	if vx+vy == 0 {
		return Interval{Value: mean, Lo: mean, Hi: mean}
	}
	fx, fy := math.Sqrt(nx/(nx-1)), math.Sqrt(ny/(ny-1))
	nu := (vx + vy) * (vx + vy) / (vx*vx/(nx-1) + vy*vy/(ny-1))
	return b.stretched(mean, 1, nu, func() float64 {
		return fy*(resampledMean(y, b.Rand)-my) - fx*(resampledMean(x, b.Rand)-mx)
	})
}

// stretched returns the percentile interval of a bootstrap distribution, of which draw returns
// a random deviation from the estimate, stretched by a factor and by what Student's distribution with nu degrees of
// freedom is wider than the normal one.
func (b Bootstrap) stretched(value, factor, nu float64, draw func() float64) Interval {
	off := make([]float64, b.Draws())
	for i := range off {
		off[i] = draw()
	}
	lo, hi := b.Percentiles(off)
	factor *= Student(nu).Quantile(1-b.Alpha/2) / distuv.UnitNormal.Quantile(1-b.Alpha/2)
	return Interval{Value: value, Lo: value + factor*min(lo, 0), Hi: value + factor*max(hi, 0)}
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

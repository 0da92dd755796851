package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is an estimate with its confidence interval [Lo, Hi].
type Interval struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// MeanOfRepeats returns the mean of independent values with Student's interval of a level. If all values
// are equal, the interval is that value.
func MeanOfRepeats(v []float64, level float64) Interval {
	return studentInterval(v, math.Sqrt(float64(len(v))), level)
}

// MeanOfHalvings is MeanOfRepeats for values of several halvings of a test set, which are not
// independent. The standard error of their mean is their standard deviation: the mean over half of n
// rows varies around the mean over all n rows with the variance of a mean over n rows.
func MeanOfHalvings(v []float64, level float64) Interval { return studentInterval(v, 1, level) }

// studentInterval returns Student's interval for a standard error of the standard deviation / divisor.
func studentInterval(v []float64, divisor, level float64) Interval {
	if slices.Min(v) == slices.Max(v) {
		return Interval{v[0], v[0], v[0]} // avoids the rounding of the mean
	}
	mean, sd := stat.MeanStdDev(v, nil)
	half := Student(float64(len(v)-1)).Quantile(0.5+level/2) * sd / divisor
	return Interval{mean, mean - half, mean + half}
}

// ClopperPearson returns the exact interval of a probability for k successes in n trials.
func ClopperPearson(k, n int, level float64) (lo, hi float64) {
	tail := (1 - level) / 2
	lo, hi = 0, 1
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return lo, hi
}

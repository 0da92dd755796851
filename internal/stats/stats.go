package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Mean sums up in the order of the values, and so has the same bits on every CPU, which
// the vectorised sum of gonum's does not promise.
func Mean(v []float64) float64 {
	var sum float64
	for _, e := range v {
		sum += e
	}
	return sum / float64(len(v))
}

// Deviation returns the mean of values and their standard deviation, 0 for fewer than two.
func Deviation(v []float64) (mean, sd float64) {
	mean = Mean(v)
	return mean, math.Sqrt(Variance(v, mean))
}

// StandardError returns the mean of values and its standard error, 0 for fewer than two.
func StandardError(v []float64) (mean, se float64) {
	mean = Mean(v)
	return mean, math.Sqrt(Variance(v, mean) / float64(len(v)))
}

// Variance returns the variance of values about their mean, 0 for fewer than two.
func Variance(v []float64, mean float64) float64 {
	if len(v) < 2 {
		return 0
	}
	var squares float64
	for _, e := range v {
		squares += (e - mean) * (e - mean)
	}
	return squares / float64(len(v)-1)
}

// Median returns the middle one of values, the mean of the two in the middle if their
// number is even, NaN for no values. They may be infinite; of two opposite infinities it is 0.
func Median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	a, b := v[(len(v)-1)/2], v[len(v)/2]
	switch {
	case a == b:
		return a
	case math.IsInf(a, 0) && math.IsInf(b, 0):
		return 0
	}
	return (a + b) / 2
}

// Quantile interpolates linearly between the order statistics of sorted v: the
// level of the i-th of n is i/(n-1).
func Quantile(v []float64, level float64) float64 {
	pos := level * float64(len(v)-1)
	i := int(pos)
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	return v[i] + (pos-float64(i))*(v[i+1]-v[i])
}

// Student is Student's distribution with nu degrees of freedom.
func Student(nu float64) distuv.StudentsT { return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu} }

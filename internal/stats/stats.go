// Package stats computes estimates, confidence intervals, tests and fits from plain numbers.
package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Mean returns the mean. It sums in order, so the bits do not depend on the CPU, unlike gonum's
// vectorised sum.
func Mean(v []float64) float64 {
	var sum float64
	for _, e := range v {
		sum += e
	}
	return sum / float64(len(v))
}

// Deviation returns the mean of values and their standard deviation, which is 0 for fewer than two.
func Deviation(v []float64) (mean, sd float64) {
	mean = Mean(v)
	return mean, math.Sqrt(Variance(v, mean))
}

// StandardError returns the mean of values and its standard error, which is 0 for fewer than two.
func StandardError(v []float64) (mean, se float64) {
	mean = Mean(v)
	return mean, math.Sqrt(Variance(v, mean) / float64(len(v)))
}

// Variance returns the sample variance of values with the given mean, or 0 for fewer than two values.
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

// Median returns the median, or NaN without values. For an even number of values it is the mean of the
// middle two, or 0 if they are opposite infinities.
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

// Quantile returns a quantile of sorted v. It interpolates linearly between order statistics; v[i] has
// level i/(n-1).
func Quantile(v []float64, level float64) float64 {
	pos := level * float64(len(v)-1)
	i := int(pos)
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	return v[i] + (pos-float64(i))*(v[i+1]-v[i])
}

// Student returns Student's t distribution with nu degrees of freedom.
func Student(nu float64) distuv.StudentsT { return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu} }

package analysis

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// WantedPower is the chance of a verdict that a number of repeats is told for.
	WantedPower = 0.8
	// MostRepeats bounds the numbers of repeats that are worth telling.
	MostRepeats = 100000
)

// RepeatsToTell is the number of repeats with which an interval of z standard errors, to
// either side of a mean, leaves out what is so far from it, in standard deviations of a
// repeat, with a chance of power. It goes by the normal distribution; estimating the spread
// costs z^2 / correction repeats, where correction is 2 for pairs and 4 for two samples
// (Guenther 1981).
func RepeatsToTell(distance, z, power, correction float64) float64 {
	return math.Pow((z+distuv.UnitNormal.Quantile(power))/distance, 2) + z*z/correction
}

package plots

import (
	"math"
	"testing"
)

// Axes of the largest and smallest numbers that a record can hold have an end, a width
// and a few ticks.
func TestAxesOfExtremes(t *testing.T) {
	const most, least = math.MaxFloat64, math.SmallestNonzeroFloat64
	for _, values := range [][]float64{
		{most}, {-most, most}, {least}, {-least, least}, {least, most}, {most, math.Nextafter(most, 0)}, {0, most}, {-most}, {0, least},
	} {
		for _, log := range []bool{false, true} {
			s := newScale(values, log)
			ticks := linearTicks(s.Min, s.Max)
			if log {
				ticks = logTicks(s.Min, s.Max)
			}
			if !(s.Min < s.Max) || math.IsInf(s.Max-s.Min, 0) || len(ticks) > 100 {
				t.Errorf("%v, log %t: %v to %v with %d ticks", values, log, s.Min, s.Max, len(ticks))
			}
		}
	}
}

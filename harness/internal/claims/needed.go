package claims

import (
	"math"

	"stochopt/results/analysis"

	"gonum.org/v1/gonum/stat/distuv"
)

// replicatesToDecide is the number of replicates (repeats, or problems that a law is fitted to)
// with which the interval of an estimate over e.N of them, which straddles an end of the claimed
// range, would most likely be on one side of it, were the quantity and its spread what they are
// estimated to be. It is 0 if that cannot be told.
func replicatesToDecide(e Estimate, w Between) int {
	z := distuv.UnitNormal.Quantile(0.5 + confidence/2)
	t := analysis.Student(float64(e.N - 1)).Quantile(0.5 + confidence/2)
	needed := 0.0
	least, most := w.Ends()
	for _, end := range []float64{least, most} {
		if !(e.Lo < end && end < e.Hi) {
			continue
		}
		half := e.Value - e.Lo
		if end > e.Value {
			half = e.Hi - e.Value
		}
		spread := half / t * math.Sqrt(float64(e.N))
		needed = max(needed, analysis.RepeatsToTell(math.Abs(e.Value-end)/spread, z, analysis.WantedPower, 2))
	}
	if needed == 0 || !(needed <= analysis.MostRepeats) {
		return 0
	}
	return max(int(math.Ceil(needed)), e.N+1)
}

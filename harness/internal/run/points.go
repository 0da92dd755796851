package run

import (
	"math"

	"stochopt/internal/whole"
)

// Points returns the iterations at which a run of the given length is
// recorded: at most n increasing integers from 1 to the budget, which is
// always the last. Log spacing is geometric, linear spacing even.
func Points(budget int64, n int, spacing string) []int64 {
	if n < 2 || budget < 2 {
		return []int64{budget}
	}
	out := make([]int64, 0, min(int64(n), budget))
	for i := range n {
		f := float64(i) / float64(n-1)
		var v float64
		if spacing == "linear" {
			v = 1 + f*float64(budget-1)
		} else {
			// Expm1 and not Exp or Pow, which on amd64 may round differently
			// from one CPU to another.
			v = 1 + math.Expm1(f*math.Log(float64(budget)))
		}
		t := int64(whole.Within(math.Round(v), 1, int(budget)))
		if len(out) == 0 || t > out[len(out)-1] {
			out = append(out, t)
		}
	}
	out[len(out)-1] = budget
	return out
}

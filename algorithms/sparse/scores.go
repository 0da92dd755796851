package sparse

import "stochopt/algorithms/internal/vec"

// AddRows adds sum_k coef[k] row(index[k]) to scores, two rows in each pass: the
// two that row has returned last must be valid. Terms without a training point,
// whose index is -1, are left out. The order of the sum is that of the terms.
func AddRows(scores []float64, index []int, coef []float64, row func(i int) []float32) {
	first := -1 // the term that waits for another
	for k, i := range index {
		switch {
		case i < 0:
		case first < 0:
			first = k
		default:
			a := row(index[first])
			vec.AddScaledPair(scores, coef[first], a, coef[k], row(i))
			first = -1
		}
	}
	if first >= 0 {
		vec.AddScaled(scores, coef[first], row(index[first]))
	}
}

// AddRow adds beta row to scores.
func AddRow(scores []float64, beta float64, row []float32) { vec.AddScaled(scores, beta, row) }

package sparse

import (
	"cmp"
	"math"
	"slices"

	"stochopt/algorithms/internal/vec"
)

// relearned is what a bias is relearned from.
type relearned struct {
	full   [][]float32 // K(z_j, x_i) for all training points
	scores []float64   // n
	order  []int
}

// threshold returns the bias with which the decisions of the classifier with the
// coefficients beta agree with those of w most.
func (r *relearned) threshold(beta []float64, w *Reference) (b float64) {
	clear(r.scores)
	for j, row := range r.full {
		vec.AddScaled(r.scores, beta[j], row)
	}
	b, r.order = agreeingThreshold(r.scores, w.Scores, w.Bias, r.order)
	return b
}

// agreeingThreshold returns a b for which sign(s_i + b) differs from the sign of
// decisions[i], a number or a decision of 0 being a difference, for as few i as
// possible. Of the intervals of such b it takes the one that is closest to near:
// near itself if it is inside, the middle otherwise, 1 from the end of one without
// end. The working memory order is returned. It costs O(n log n).
func agreeingThreshold(scores, decisions []float64, near float64, order []int) (b float64, work []int) {
	n, positive := len(scores), 0
	order = order[:0]
	for i := range n {
		order = append(order, i)
		if decisions[i] > 0 {
			positive++
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(scores[i], scores[j]), i-j) })
	// With the points before k, in this order, classified as negative.
	errors, least, distance := n-positive, n+1, math.Inf(1)
	for k := 0; k <= n; k++ {
		if k > 0 {
			switch d := decisions[order[k-1]]; {
			case d > 0:
				errors++
			case d < 0:
				errors--
			}
		}
		low, high := math.Inf(-1), math.Inf(1)
		if k > 0 {
			high = -scores[order[k-1]]
		}
		if k < n {
			low = -scores[order[k]]
		}
		if !(low < high) || errors > least {
			continue
		}
		away := max(low-near, near-high, 0)
		if errors == least && away >= distance {
			continue
		}
		least, distance = errors, away
		switch {
		case low < near && near < high:
			b = near
		case math.IsInf(low, -1):
			b = high - 1
		case math.IsInf(high, 1):
			b = low + 1
		default:
			b = low + float64(0.5*(high-low))
		}
	}
	return b, order
}

package svm

import "slices"

// dualBias returns the b that belongs to a dual solution: the mean of y_i - u_i
// over the i with 0 < alpha_i < 1/(lambda n). If there are none it is the middle
// of the interval that the KKT conditions leave for b,
//
//	max y_i - u_i where beta_i can rise <= b <= min y_j - u_j where beta_j can fall,
//
// in which the ends change places away from the optimum.
//
// Source: Cotter 2013, section "Unregularized Bias".
func (d *dual) dualBias() float64 {
	var sum float64
	var free int
	for i, a := range d.alpha {
		if a > 0 && a < d.upper {
			sum += d.label(i) - d.u[i]
			free++
		}
	}
	if free > 0 {
		return sum / float64(free)
	}
	_, least, _, greatest := d.extremes()
	return -0.5 * (least + greatest)
}

// BestBias returns a b that minimises the hinge loss
//
//	sum_i max(0, 1 - y_i (s_i + b))
//
// of n > 0 scores, those of the positive points first. The loss is piecewise
// linear with slope -n+ at the far left, and the slope rises by 1 at each y_i -
// s_i: its minimisers are the interval between the n+ smallest of these and the
// others. BestBias returns the middle of it; the end that is finite if a class is
// empty. It costs O(n log n).
func BestBias(scores []float64, positive int) float64 {
	if len(scores) == 0 || positive < 0 || positive > len(scores) {
		panic("svm: BestBias of no scores, or more positive points than there are scores")
	}
	turns := make([]float64, len(scores))
	for i, s := range scores {
		if i < positive {
			turns[i] = 1 - s
		} else {
			turns[i] = -1 - s
		}
	}
	slices.Sort(turns)
	switch positive {
	case 0:
		return turns[0]
	case len(turns):
		return turns[positive-1]
	}
	low, high := turns[positive-1], turns[positive]
	return low + 0.5*(high-low)
}

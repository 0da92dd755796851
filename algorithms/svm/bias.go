package svm

import "slices"

// BestBias returns a b that minimises the hinge loss
//
//	sum_i max(0, 1 - y_i (s_i + b))
//
// of n > 0 scores, those of the positive points first. The loss is piecewise
// linear with slope -n+ at the far left, and the slope grows by 1 at each y_i -
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

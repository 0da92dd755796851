package run

import (
	"math"
	"slices"
)

// supportSizes decides which classifiers of a run to record, based on their supports: the numbers of
// their expansion vectors. For each size it records the last final classifier (see
// sparse.Learner.Final) before the support first exceeds the size. Some methods also remove vectors.
// For these it also records the classifier at which the support begins to fall, once between two
// sizes, and the first one that falls to each size.
type supportSizes struct {
	sizes []int64
	// exceeded is the number of sizes that the support has exceeded. peaked[i] is true if a peak with
	// at most sizes[i] vectors, and more than sizes[i-1], is recorded. fallen[i] is true if a classifier
	// that fell to sizes[i] is recorded.
	exceeded       int
	peaked, fallen []bool
	// last is the support recorded last, and most the largest recorded; both are 0 at first.
	last, most int64
}

// newSupportSizes returns sizes from 1 to n, the number of training points: as many as points with the
// given spacing (see Points), and 1, 2, 3 and 5 times the powers of ten.
func newSupportSizes(n, points int, spacing string) *supportSizes {
	sizes := Points(int64(n), points, spacing)
	for decade := int64(1); decade <= int64(n) && decade <= math.MaxInt64/10; decade *= 10 {
		for _, digit := range []int64{1, 2, 3, 5} {
			if size := digit * decade; size <= int64(n) {
				sizes = append(sizes, size)
			}
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	return &supportSizes{sizes: sizes, peaked: make([]bool, len(sizes)), fallen: make([]bool, len(sizes))}
}

// next is called after each step. It reports whether to record the last final classifier and whether
// to record the new one. support is the support of the new classifier; kept is the support of the last
// final one, 0 if it is recorded already or does not exist.
func (s *supportSizes) next(support int64, final bool, kept int64) (before, now bool) {
	below, _ := slices.BinarySearch(s.sizes, support)
	if kept > 0 {
		size, _ := slices.BinarySearch(s.sizes, kept)
		switch {
		case below > max(size, s.exceeded):
			before = true
		case final && support < kept && kept > s.most && size < len(s.sizes) && !s.peaked[size]:
			before, s.peaked[size] = true, true
		}
	}
	s.exceeded = max(s.exceeded, below)
	if before {
		s.update(kept)
	}
	if !final || support >= s.last {
		return before, false
	}
	for i := below; i < len(s.sizes) && s.sizes[i] < s.last; i++ {
		if !s.fallen[i] {
			s.fallen[i], now = true, true
		}
	}
	if now {
		s.update(support)
	}
	return before, now
}

// mayRecord reports whether the next step may make next record the current final classifier, or may
// end the run. support is its support, and bounds returns bounds on the support after the next step.
func (s *supportSizes) mayRecord(support int64, bounds func() (least, most int)) bool {
	least, most := bounds()
	size, _ := slices.BinarySearch(s.sizes, support)
	below, _ := slices.BinarySearch(s.sizes, int64(most))
	falls := int64(least) < support && support > s.most && size < len(s.sizes) && !s.peaked[size]
	return least <= 0 || below > max(size, s.exceeded) || falls
}

// update updates the state after a classifier is recorded.
func (s *supportSizes) update(support int64) {
	s.last, s.most = support, max(s.most, support)
}

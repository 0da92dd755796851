package run

import (
	"math"
	"slices"
)

// supportSizes decides which classifiers of a run are recorded, by their numbers
// of expansion vectors, their supports. For each size it is the last settled
// classifier before the support first exceeds the size: the largest within the size.
// Where a method removes vectors, these are recorded too: the classifier from which
// the support falls, one between two sizes, and the first that falls to each size.
type supportSizes struct {
	sizes []int64
	// exceeded is the number of sizes that the support has exceeded. peaked says
	// up to which of them it has fallen from a peak that is recorded, fallen which
	// have been fallen to.
	exceeded       int
	peaked, fallen []bool
	// last and most are the support recorded last and the largest recorded, 0
	// before the first.
	last, most int64
}

// newSupportSizes returns the sizes of classifiers on n training points: as many
// from 1 to n as points, spaced like them, and 1, 2, 3 and 5 times the powers of ten.
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

// next says what to record after a step to a classifier of support vectors: the last
// settled one, of kept vectors, 0 if it is recorded or does not exist, and the new one.
func (s *supportSizes) next(support int64, settled bool, kept int64) (before, now bool) {
	below, _ := slices.BinarySearch(s.sizes, support)
	if kept > 0 {
		size, _ := slices.BinarySearch(s.sizes, kept)
		switch {
		case below > max(size, s.exceeded):
			before = true
		case settled && support < kept && kept > s.most && size < len(s.sizes) && !s.peaked[size]:
			before, s.peaked[size] = true, true
		}
	}
	s.exceeded = max(s.exceeded, below)
	if before {
		s.recorded(kept)
	}
	if !settled || support >= s.last {
		return before, false
	}
	for i := below; i < len(s.sizes) && s.sizes[i] < s.last; i++ {
		if !s.fallen[i] {
			s.fallen[i], now = true, true
		}
	}
	if now {
		s.recorded(support)
	}
	return before, now
}

// mayRecord reports whether the step after a settled classifier of support vectors may have that
// classifier recorded, or end the run, given bounds on the support after it.
func (s *supportSizes) mayRecord(support int64, reach func() (least, most int)) bool {
	least, most := reach()
	size, _ := slices.BinarySearch(s.sizes, support)
	below, _ := slices.BinarySearch(s.sizes, int64(most))
	falls := int64(least) < support && support > s.most && size < len(s.sizes) && !s.peaked[size]
	return least <= 0 || below > max(size, s.exceeded) || falls
}

func (s *supportSizes) recorded(support int64) {
	s.last, s.most = support, max(s.most, support)
}

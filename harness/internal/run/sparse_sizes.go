package run

// supportSizes decides which classifiers of a run are recorded: the first that
// reaches each of the sizes, and the first that falls to each of them again,
// where a method gives vectors up.
type supportSizes struct {
	sizes []int64
	// up is the number of sizes that have been reached, fallen says which have
	// been fallen to since.
	up     int
	fallen []bool
	// last is the support recorded last, 0 before the first.
	last int64
}

// newSupportSizes returns the sizes of classifiers on n training points: at most
// so many from 1 to n, spaced as points are.
func newSupportSizes(n, points int, spacing string) *supportSizes {
	sizes := Points(int64(n), points, spacing)
	return &supportSizes{sizes: sizes, fallen: make([]bool, len(sizes))}
}

// due reports whether a classifier of so many vectors is to be recorded.
func (s *supportSizes) due(support int64) bool {
	if s.up < len(s.sizes) && support >= s.sizes[s.up] {
		return true
	}
	if support >= s.last || support == 0 {
		return false
	}
	for i := s.up - 1; i >= 0 && s.sizes[i] >= support; i-- {
		if s.sizes[i] < s.last && !s.fallen[i] {
			return true
		}
	}
	return false
}

// record notes that a classifier of so many vectors is recorded.
func (s *supportSizes) record(support int64) {
	for i := s.up - 1; i >= 0 && s.sizes[i] >= support; i-- {
		if s.sizes[i] < s.last {
			s.fallen[i] = true
		}
	}
	for s.up < len(s.sizes) && support >= s.sizes[s.up] {
		s.up++
	}
	s.last = support
}

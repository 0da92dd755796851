package kernel

import (
	"math"
	"slices"
)

// sparseEntry is the memory of an entry of the sparse layout: a 32-bit point
// and a 64-bit value.
const sparseEntry = 12

// survey is what the choice of a layout depends on.
type survey struct {
	rows     *rows
	n        int
	nonzeros int
	used     int // number of features that are not zero everywhere
	column   *columns
	// values holds the distinct nonzero values, ascending, or nothing if there
	// are more than 255.
	values []float64
	// unit is the largest number of which all values are multiples by 1, …,
	// 255, or 0 if there is none.
	unit float64
}

func newSurvey(r *rows, d int) *survey {
	s := &survey{rows: r, n: len(r.number), column: newColumns(d)}
	seen := newDistinct(255)
	for i := range s.n {
		indices, values := r.entries(i)
		s.nonzeros += len(indices)
		for p, f := range indices {
			s.column.mention(f)
			seen.add(values[p])
		}
	}
	s.column.sort()
	s.used = len(s.column.feature)
	s.values = seen.sorted()
	s.unit = commonUnit(s.values)
	return s
}

// choose returns the layout that suits the points:
//
//   - bits, if all nonzero values are one value and bit sets take no more
//     memory than the sparse layout would;
//   - bytes, if all values are multiples by 0, …, 255 of one unit, there are at
//     most 32768 features and bytes take no more memory than the sparse layout;
//   - dense, if a nonzero entry's feature is, on average over the entries, not
//     zero in at least half of the points, and the dense layout takes no more
//     than four times the memory of the sparse one;
//   - sparse otherwise.
//
// Features that are zero everywhere do not count.
func (s *survey) choose() layout {
	sparse := sparseEntry * float64(s.nonzeros)
	n := float64(s.n)
	words := (s.used + 63) / 64
	switch {
	case s.nonzeros == 0:
		return newBitLayout(s)
	case len(s.values) == 1 && n*8*float64(words) <= sparse:
		return newBitLayout(s)
	case s.unit > 0 && s.used <= byteColumns && n*float64(roundUp(s.used, byteGrain)) <= sparse:
		return newByteLayout(s)
	case s.shared() >= 0.5 && n*8*float64(s.used) <= 4*sparse:
		return newDenseLayout(s)
	}
	return newSparseLayout(s)
}

// GreyBytes bounds the memory that each of many points takes whose values are among levels,
// laid out as Points lays them out. ok is false if that is not known: the levels are not
// multiples by 0, …, 255 of one unit, or there are too many features.
func GreyBytes(levels []float64, features int) (bytes int, ok bool) {
	values := slices.DeleteFunc(slices.Clone(levels), func(v float64) bool { return v == 0 })
	slices.Sort(values)
	if commonUnit(slices.Compact(values)) == 0 || features > byteColumns {
		return 0, false
	}
	// The dense layout is taken for bytes of few features, of which most are padding.
	const few = 4 * byteGrain
	return max(roundUp(features, byteGrain), few), true
}

// shared returns the average over the nonzero entries of the share of points
// in which their feature is not zero: what part of a column the inverted index
// goes through for each feature of a point.
func (s *survey) shared() float64 {
	sum := 0.0
	for _, c := range s.column.count {
		sum += float64(c) * float64(c)
	}
	return sum / (float64(s.n) * float64(s.nonzeros))
}

// commonUnit returns the largest u such that the given positive values,
// ascending, are all k u for integers 1 <= k <= 255, up to a few roundings, and
// 0 if there is none.
func commonUnit(values []float64) float64 {
	if len(values) == 0 || values[0] <= 0 {
		return 0
	}
	most := values[len(values)-1]
	for k := 1; k <= 255; k++ {
		u := most / float64(k)
		if u*u == 0 || math.IsInf(u*u, 0) || values[0] < u/2 {
			continue
		}
		if !slices.ContainsFunc(values, func(v float64) bool { return multiple(v, u) == 0 }) {
			return u
		}
	}
	return 0
}

// multiple returns the integer k >= 1 with v = k u up to a few roundings, or 0
// if there is none.
func multiple(v, u float64) int {
	q := v / u
	k := math.Round(q)
	if math.Abs(q-k) > 0x1p-50*k {
		return 0
	}
	return int(k)
}

// distinct collects distinct values until there are too many.
type distinct struct {
	limit int
	set   map[float64]struct{}
	last  [1 << 10]float64 // values in the set, by hash
}

func newDistinct(limit int) *distinct {
	return &distinct{limit: limit, set: make(map[float64]struct{})}
}

func (s *distinct) add(v float64) {
	h := math.Float64bits(v) * 0x9e3779b97f4a7c15 >> 54
	if s.last[h] == v || s.set == nil {
		return
	}
	s.last[h] = v
	s.set[v] = struct{}{}
	if len(s.set) > s.limit {
		s.set = nil
	}
}

func (s *distinct) sorted() []float64 {
	values := make([]float64, 0, len(s.set))
	for v := range s.set {
		values = append(values, v)
	}
	slices.Sort(values)
	return values
}

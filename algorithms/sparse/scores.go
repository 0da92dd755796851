package sparse

import (
	"slices"

	"stochopt/algorithms/internal/vec"
)

// AddRows adds sum_k coef[k] row(index[k]) to scores, two rows at a time: the
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

// Sums adds up the terms of several expansions in training points that have most of
// them in common: each row is fetched and widened once. The zero value is ready, and
// keeps its memory for the next call.
type Sums struct {
	index []int
	coef  [][]float64 // for each vec.Together expansions, their coefficients at each of index
	spare []float64
}

// SumsRows is the number of rows that Sums adds in one pass.
const SumsRows = 8

// Align takes the expansions to be added up, and lists the points of all of them so that
// the list has those of each expansion in its order: each sum is that of the expansion
// alone, apart from terms of coefficient 0. It reports false if one has constructed vectors.
func (s *Sums) Align(list []*Expansion) bool {
	s.index = s.index[:0]
	if !slices.ContainsFunc(list, func(e *Expansion) bool { return !slices.IsSorted(e.Index) }) {
		for _, e := range list {
			s.index = append(s.index, e.Index...)
		}
		slices.Sort(s.index)
		s.index = slices.Compact(s.index)
	}
	for _, e := range list {
		at := 0
		for _, i := range e.Index {
			if i < 0 {
				return false
			}
			if next := slices.Index(s.index[at:], i); next >= 0 {
				at += next
			} else {
				s.index = slices.Insert(s.index, at, i)
			}
			at++
		}
	}
	s.coef = make([][]float64, (len(list)+vec.Together-1)/vec.Together)
	for g := range s.coef {
		s.coef[g] = make([]float64, vec.Together*len(s.index))
	}
	for m, e := range list {
		at := 0
		for k, i := range e.Index {
			at += slices.Index(s.index[at:], i)
			s.coef[m/vec.Together][vec.Together*at+m%vec.Together] = e.Coef[k]
			at++
		}
	}
	return true
}

// AddTo adds the terms of the expansions taken last to scores, one slice for each of
// them, whose length is that of the rows. The SumsRows that row has returned last must
// be valid.
func (s *Sums) AddTo(scores [][]float64, row func(i int) []float32) {
	s.spare = slices.Grow(s.spare[:0], len(scores[0]))[:len(scores[0])]
	dst := make([][vec.Together][]float64, len(s.coef))
	for m := range len(dst) * vec.Together {
		dst[m/vec.Together][m%vec.Together] = s.spare
		if m < len(scores) {
			dst[m/vec.Together][m%vec.Together] = scores[m]
		}
	}
	var rows [SumsRows][]float32
	for lo := 0; lo < len(s.index); lo += SumsRows {
		hi := min(lo+SumsRows, len(s.index))
		for p, i := range s.index[lo:hi] {
			rows[p] = row(i)
		}
		for g := range dst {
			vec.AddRows(&dst[g], s.coef[g][lo*vec.Together:hi*vec.Together], rows[:hi-lo])
		}
	}
}

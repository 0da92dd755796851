package sparse

import (
	"slices"

	"stochopt/algorithms/internal/vec"
)

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

// Sums adds up the terms of several expansions in training points that have most of
// them in common: each row is read and widened once. The zero value is ready, and
// keeps its memory for the next call.
type Sums struct {
	index []int
	coef  []float64 // of one point after the other, a multiple of vec.Together each
	spare []float64
}

// SumsRows is the number of rows that Sums adds in one pass.
const SumsRows = 8

// Align takes the expansions to be added up: a list of points that has the points of
// each of them in their order, whose sum is then that of the expansion alone, but
// for terms of coefficient 0. It reports false if it finds no such list, or if one has
// constructed vectors.
func (s *Sums) Align(list []*Expansion) bool {
	s.index = s.index[:0]
	ascending := true
	for _, e := range list {
		ascending = ascending && slices.IsSorted(e.Index)
		if len(e.Index) > len(s.index) {
			s.index = append(s.index[:0], e.Index...)
		}
	}
	if ascending {
		s.index = s.index[:0]
		for _, e := range list {
			s.index = append(s.index, e.Index...)
		}
		slices.Sort(s.index)
		s.index = slices.Compact(s.index)
	}
	width := roundUp(len(list), vec.Together)
	s.coef = slices.Grow(s.coef[:0], width*len(s.index))[:width*len(s.index)]
	clear(s.coef)
	for m, e := range list {
		at := 0
		for k, i := range e.Index {
			for at < len(s.index) && s.index[at] != i {
				at++
			}
			if i < 0 || at == len(s.index) {
				return false
			}
			s.coef[width*at+m] = e.Coef[k]
			at++
		}
	}
	return true
}

// AddTo adds the terms of the expansions taken last to scores, one slice for each of
// them, whose length is that of the rows. The SumsRows that row has returned last must
// be valid.
func (s *Sums) AddTo(scores [][]float64, row func(i int) []float32) {
	n, width := len(scores[0]), roundUp(len(scores), vec.Together)
	s.spare = slices.Grow(s.spare[:0], n)[:n]
	var rows, taken [SumsRows][]float32
	var coef [SumsRows * vec.Together]float64
	for lo := 0; lo < len(s.index); lo += SumsRows {
		some := s.index[lo:min(lo+SumsRows, len(s.index))]
		for p, i := range some {
			rows[p] = row(i)
		}
		for first := 0; first < len(scores); first += vec.Together {
			var dst [vec.Together][]float64
			for m := range dst {
				if dst[m] = s.spare; first+m < len(scores) {
					dst[m] = scores[first+m]
				}
			}
			take := 0
			for p := range some {
				terms := s.coef[(lo+p)*width+first : (lo+p)*width+first+vec.Together]
				if [vec.Together]float64(terms) != [vec.Together]float64{} {
					copy(coef[take*vec.Together:], terms)
					taken[take] = rows[p]
					take++
				}
			}
			vec.AddRows(&dst, coef[:take*vec.Together], taken[:take])
		}
	}
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

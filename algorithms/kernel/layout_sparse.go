package kernel

import "sort"

// sparseLayout holds sparse points as an inverted index: for each feature, the
// points in which it is not zero. The inner products of a point with all others
// are accumulated over its features in ascending order, so that <x_i, x_j> and
// <x_j, x_i> are the same sum.
type sparseLayout struct {
	src   *rows
	n     int
	start []int // feature f has the entries start[f] <= p < start[f+1]
	point []int32
	value []float64
}

func newSparseLayout(s *survey) *sparseLayout {
	l := &sparseLayout{
		src:   s.rows,
		n:     s.n,
		start: make([]int, s.d+1),
		point: make([]int32, s.nonzeros),
		value: make([]float64, s.nonzeros),
	}
	for f, c := range s.count {
		l.start[f+1] = l.start[f] + int(c)
	}
	next := append([]int(nil), l.start[:s.d]...)
	for i := range s.n {
		indices, values := s.rows.entries(i)
		for p, f := range indices {
			l.point[next[f]], l.value[next[f]] = int32(i), values[p]
			next[f]++
		}
	}
	return l
}

func (l *sparseLayout) batch() int { return 1 }
func (l *sparseLayout) query() query {
	return &sparseQuery{l: l, src: l.src.fork(), to: l.n, sum: make([]float64, l.n), out: make([][]float64, 1)}
}

func (l *sparseLayout) dot(i, j int) float64 { return l.src.dot(i, j) }

type sparseQuery struct {
	l   *sparseLayout
	src *rows
	// Of the inner products those with the points from <= j < to are wanted; the
	// others are 0.
	from, to int
	sum      []float64
	out      [][]float64
}

func (q *sparseQuery) set(rows []int) {
	clear(q.sum[q.from:q.to])
	indices, values := q.src.entries(rows[0])
	sum := q.sum
	for e, f := range indices {
		a := values[e]
		lo, hi := q.l.start[f], q.l.start[f+1]
		lo, hi = q.wanted(lo, hi)
		point := q.l.point[lo:hi]
		value := q.l.value[lo:hi][:len(point)]
		for p, j := range point {
			sum[j] += float64(a * value[p])
		}
	}
}

// wanted returns the part of a feature's entries lo <= p < hi, whose points
// increase, that is for the points wanted.
func (q *sparseQuery) wanted(lo, hi int) (int, int) {
	if q.from > 0 {
		lo += sort.Search(hi-lo, func(p int) bool { return int(q.l.point[lo+p]) >= q.from })
	}
	if q.to < q.l.n {
		hi = lo + sort.Search(hi-lo, func(p int) bool { return int(q.l.point[lo+p]) >= q.to })
	}
	return lo, hi
}

func (q *sparseQuery) dots(lo, hi int) [][]float64 {
	q.out[0] = q.sum[lo:hi]
	return q.out
}

package kernel

import "sort"

// sparseLayout holds sparse points as an inverted index: for each feature, the
// points in which it is not zero. The inner products of a point with all others
// are accumulated over its features in ascending order, so that <x_i, x_j> and
// <x_j, x_i> are the same sum.
type sparseLayout struct {
	src *rows
	n   int
	// column c has the entries start[c] <= p < start[c+1].
	column *columns
	start  []int
	point  []int32
	value  []float64
}

func newSparseLayout(s *survey) *sparseLayout {
	l := &sparseLayout{
		src:    s.rows,
		n:      s.n,
		column: s.column,
		start:  make([]int, s.used+1),
		point:  make([]int32, s.nonzeros),
		value:  make([]float64, s.nonzeros),
	}
	for c, n := range s.column.count {
		l.start[c+1] = l.start[c] + int(n)
	}
	next := append([]int(nil), l.start[:s.used]...)
	for i := range s.n {
		indices, values := s.rows.entries(i)
		for p, f := range indices {
			c := s.column.of(f)
			l.point[next[c]], l.value[next[c]] = int32(i), values[p]
			next[c]++
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
		c := q.l.column.of(f)
		lo, hi := q.wanted(q.l.start[c], q.l.start[c+1])
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

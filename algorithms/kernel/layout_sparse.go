package kernel

import "slices"

// sparseLayout stores points as an inverted index: for each feature, the points in which it is nonzero.
// Inner products are summed over the features in ascending order, so that <x_i, x_j> and <x_j, x_i> have
// the same bits.
type sparseLayout struct {
	src     *rows
	n       int
	columns *columns
	column  []column
}

// column holds the values of a feature in the points where it is nonzero, in ascending order. If these
// are most points, it holds the values of all points instead, which takes less memory and time.
type column struct {
	point []int32 // nil if value holds all points
	value []float64
}

func newSparseLayout(r *rows, c *columns) *sparseLayout {
	l := &sparseLayout{src: r, n: len(r.number), columns: c, column: make([]column, len(c.feature))}
	for k, count := range c.count {
		if sparseEntry*count > 8*l.n {
			l.column[k].value = make([]float64, l.n)
		} else {
			l.column[k] = column{make([]int32, 0, count), make([]float64, 0, count)}
		}
	}
	for i := range l.n {
		indices, values := r.entries(i)
		for p, f := range indices {
			if col := &l.column[c.of(f)]; col.point == nil {
				col.value[i] = values[p]
			} else {
				col.point, col.value = append(col.point, int32(i)), append(col.value, values[p])
			}
		}
	}
	return l
}

func (l *sparseLayout) normSq(i int) float64 {
	sum := 0.0
	_, values := l.src.entries(i)
	for _, x := range values {
		sum += float64(x * x)
	}
	return sum
}

func (l *sparseLayout) query(from, to int) query { return l.newQuery(from, to) }

// newQuery returns a query of the points from <= j < to.
func (l *sparseLayout) newQuery(from, to int) *sparseQuery {
	return &sparseQuery{l: l, src: l.src.fork(), from: from, to: to, sum: make([]float64, l.n)}
}

// combineTo adds sum_j w[j] x_j over the points j < len(w) to z, in ascending order of the points.
func (l *sparseLayout) combineTo(z, w []float64) {
	for k, f := range l.columns.feature {
		sum := z[f]
		col := l.column[k]
		if col.point == nil {
			value := col.value[:len(w)]
			for j, a := range w {
				sum += float64(a * value[j])
			}
		}
		for p, j := range col.point {
			if int(j) >= len(w) {
				break
			}
			sum += float64(w[j] * col.value[p])
		}
		z[f] = sum
	}
}

// sparseQuery computes the inner products of a point, or of any vector, with the points from <= j < to.
type sparseQuery struct {
	l        *sparseLayout
	src      *rows
	from, to int
	sum      []float64 // inner products; only from <= j < to is used
	terms    []term
}

// term is a column in which the vector has the nonzero value factor. next is the part of the column that
// is not added yet.
type term struct {
	factor float64
	next   column
}

func (q *sparseQuery) set(i int) {
	q.terms = q.terms[:0]
	indices, values := q.src.entries(i)
	for p, f := range indices {
		q.add(q.l.columns.of(f), values[p])
	}
	q.accumulate()
}

// setVector is set for a vector z of length d.
func (q *sparseQuery) setVector(z []float64) {
	q.terms = q.terms[:0]
	for k, f := range q.l.columns.feature {
		if z[f] != 0 {
			q.add(k, z[f])
		}
	}
	q.accumulate()
}

func (q *sparseQuery) add(k int, factor float64) {
	col := q.l.column[k]
	if col.point == nil {
		col.value = col.value[q.from:]
	} else if q.from > 0 {
		skip, _ := slices.BinarySearch(col.point, int32(q.from))
		col = column{col.point[skip:], col.value[skip:]}
	}
	q.terms = append(q.terms, term{factor, col})
}

// span is the number of points in one pass over the terms, so that their sums stay in the L1 cache.
const span = 2048

// accumulate computes the inner products.
func (q *sparseQuery) accumulate() {
	clear(q.sum[q.from:q.to])
	for lo := q.from; lo < q.to; lo += span {
		hi := min(lo+span, q.to)
		sum := q.sum[:hi]
		for e := range q.terms {
			t := &q.terms[e]
			a, point, value := t.factor, t.next.point, t.next.value
			if point == nil {
				part := sum[lo:][:hi-lo]
				for j, x := range value[:len(part)] {
					part[j] += float64(a * x)
				}
				t.next.value = value[hi-lo:]
				continue
			}
			value = value[:len(point)]
			p := 0
			for ; p < len(point) && uint(point[p]) < uint(len(sum)); p++ {
				sum[point[p]] += float64(a * value[p])
			}
			t.next = column{point[p:], value[p:]}
		}
	}
}

func (q *sparseQuery) dots(lo, hi int) []float64 { return q.sum[lo:hi] }

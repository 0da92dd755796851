package kernel

// block is the number of points in one call of query.dots, so that the result stays in the L1 cache
// until it is used.
const block = 256

// layout stores points for fast inner products of one point with all points.
type layout interface {
	// normSq returns <x_i, x_i>, with the same bits as a query.
	normSq(i int) float64
	// query returns a query of the points from <= j < to, for one goroutine.
	query(from, to int) query
}

// query computes inner products of one point with others.
type query interface {
	// set sets the point.
	set(i int)
	// dots returns the inner products of the point with the points lo <= j < hi, for hi <= lo+block.
	// They are valid until the next call, and the caller may overwrite them.
	dots(lo, hi int) []float64
}

// roundUp returns the smallest multiple of m that is at least n.
func roundUp(n, m int) int { return (n + m - 1) / m * m }

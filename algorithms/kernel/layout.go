package kernel

// block is the number of points whose inner products are found at a time: what
// a query returns stays in the first-level cache until it is used.
const block = 256

// layout stores points for fast inner products of one point with all of them.
type layout interface {
	// normSq returns <x_i, x_i>, the very value of a query.
	normSq(i int) float64
	// query returns the working memory of one goroutine that asks for the points
	// from <= j < to.
	query(from, to int) query
}

// query finds inner products of one point with others.
type query interface {
	// set says which point.
	set(i int)
	// dots returns its inner products with the points lo <= j < hi, for
	// hi at most lo+block. The caller may overwrite
	// them; they are valid until the next call.
	dots(lo, hi int) []float64
}

// roundUp returns the smallest multiple of m that is at least n.
func roundUp(n, m int) int { return (n + m - 1) / m * m }

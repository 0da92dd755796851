package kernel

// block is the number of points whose inner products are found at a time: what
// a query returns stays in the first-level cache until it is used. It is a
// multiple of every layout's own grain.
const block = 256

// layout stores points for fast inner products of one point, or a few, with
// all of them.
type layout interface {
	// dot returns <x_i, x_j>. It is not for concurrent use.
	dot(i, j int) float64
	// batch returns how many points a query should ask for at a time if many
	// are wanted.
	batch() int
	// query returns the working memory of one goroutine.
	query() query
}

// query finds inner products of a few points with all points.
type query interface {
	// set says which points, at most batch of them.
	set(rows []int)
	// dots returns, for each point set, its inner products with the points
	// lo <= j < hi, the very values of layout.dot. lo is a multiple of block
	// and hi at most block more. The result is valid until the next call.
	dots(lo, hi int) [][]float64
}

// roundUp returns the smallest multiple of m that is at least n.
func roundUp(n, m int) int { return (n + m - 1) / m * m }

func matrix(rows, cols int) [][]float64 {
	data := make([]float64, rows*cols)
	m := make([][]float64, rows)
	for i := range m {
		m[i] = data[i*cols : (i+1)*cols : (i+1)*cols]
	}
	return m
}

// Package kernel evaluates kernels. It stores points in layouts for fast inner products, computes rows
// of the kernel matrix, and has a bounded cache of rows that concurrent runs share.
//
// A kernel value is rounded to float32 once, where it is computed. The matrix of rounded values is the
// kernel matrix for every method, oracle and objective. Its bits do not depend on the CPU, the number of
// workers or the contents of the cache.
package kernel

// Kernel is a positive definite function of two points that depends on them only through inner products.
type Kernel interface {
	// Eval returns K(x, x') from <x, x'>, <x, x> and <x', x'>. It is symmetric in x and x' to the last
	// bit.
	Eval(dot, xx, yy float64) float64
	// String returns the name of the kernel with its parameters, for example "gaussian(gamma=0.05)".
	String() string
}

// Vectors is a read-only matrix whose rows are points.
type Vectors interface {
	// Dims returns the numbers of rows and of features.
	Dims() (n, d int)
	// Sparse reports whether RowNonZero must be used instead of Row.
	Sparse() bool
	// Row returns row i of a dense matrix. It may use buf, of length d, to store the row.
	Row(i int, buf []float64) []float64
	// RowNonZero returns the features, in increasing order from 0, and the values of the stored entries
	// of row i of a sparse matrix.
	RowNonZero(i int) (indices []int32, values []float64)
}

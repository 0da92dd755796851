// Package kernel evaluates kernels: points laid out for fast inner products,
// rows of the kernel matrix, and a bounded cache of rows that concurrent runs
// share.
//
// A kernel value is rounded to float32 once, where it is computed: the matrix
// of rounded values is the kernel matrix of every method, oracle and
// objective. Its bits do not depend on the CPU, on the number of workers or on
// what is cached.
package kernel

// Kernel is a positive definite function of two points that depends on them
// only through inner products.
type Kernel interface {
	// Eval returns K(x, x') from <x, x'>, <x, x> and <x', x'>. It is symmetric
	// in x and x' to the last bit.
	Eval(dot, xx, yy float64) float64
	// String names the kernel with its parameters, "gaussian(gamma=0.05)".
	String() string
}

// Vectors is a read-only matrix of points, a point a row.
type Vectors interface {
	// Dims returns the numbers of rows and of features.
	Dims() (n, d int)
	// Sparse says which of Row and RowNonZero may be called.
	Sparse() bool
	// Row returns row i of a dense matrix, which may be put in buf, of length d.
	Row(i int, buf []float64) []float64
	// RowNonZero returns the 0-based features, increasing, and the values of
	// the stored entries of row i of a sparse matrix.
	RowNonZero(i int) (indices []int32, values []float64)
}

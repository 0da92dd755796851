package datasets

import (
	"runtime"
	"sync"

	"stochopt/internal/ordered"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// SecondMoment writes the uncentred second moment of the given rows,
//
//	(1/len(rows)) sum_{i in rows} x_i x_i^T,
//
// to dst, which must be empty or D x D. nil rows mean all rows; a row may
// occur more than once. The order of summation depends on the arguments only,
// so the bits do not depend on the number of CPUs. It panics if rows is empty
// but not nil.
//
// It takes N D^2/2 multiplications on a dense table, and half the sum of the
// squared numbers of entries a row on a sparse one.
func SecondMoment(dst *mat.SymDense, t *Table, rows []int) {
	if rows != nil && len(rows) == 0 {
		panic("datasets: second moment of no rows")
	}
	symTo(dst, t.D)
	n := t.N
	if rows != nil {
		n = len(rows)
	}
	c := dst.RawSymmetric()
	if t.Sparse() {
		sparseMoment(c, t, rows, n)
	} else {
		denseMoment(c, t, rows, n)
	}
	for i := range t.D {
		divide(c.Data[i*c.Stride+i:i*c.Stride+t.D], float64(n))
	}
}

func rowAt(rows []int, i int) int {
	if rows == nil {
		return i
	}
	return rows[i]
}

func sparseMoment(c blas64.Symmetric, t *Table, rows []int, n int) {
	for i := range n {
		idx, val := t.RowNonZero(rowAt(rows, i))
		for p, a := range idx {
			out := c.Data[int(a)*c.Stride : int(a)*c.Stride+t.D]
			for q := p; q < len(idx); q++ {
				out[idx[q]] += float64(val[p] * val[q])
			}
		}
	}
}

const (
	momentRows = 256 // rows gathered and packed at a time
	momentCols = 32  // columns of the result that one worker fills at a time
)

// denseMoment adds the upper triangle of X^T X to c, in blocks of momentRows
// rows. A block is packed into panels, each with a few columns of X, row by
// row, so that the inner loop reads memory in sequence and keeps a
// ordered.Left x ordered.Right piece of the result in registers. Workers share the columns of
// the result, so each element is summed by one worker in row order.
func denseMoment(c blas64.Symmetric, t *Table, rows []int, n int) {
	width := (t.D + ordered.Right - 1) / ordered.Right * ordered.Right
	a := make([]float64, momentRows*width)
	b := make([]float64, momentRows*width)
	buf := make([]float64, t.D)
	workers := min(runtime.GOMAXPROCS(0), (width+momentCols-1)/momentCols)
	for lo := 0; lo < n; lo += momentRows {
		m := min(momentRows, n-lo)
		clear(a[(width-ordered.Right)*m : width*m]) // the last panels may be padded
		clear(b[(width-ordered.Right)*m : width*m])
		for i := range m {
			row := t.Row(rowAt(rows, lo+i), buf)
			packRow(a, row, i, m, ordered.Left)
			packRow(b, row, i, m, ordered.Right)
		}
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for j := w * momentCols; j < width; j += workers * momentCols {
					addBand(c, a, b, m, j, min(j+momentCols, width))
				}
			})
		}
		wg.Wait()
	}
}

// packRow puts row i of m into panels of the given width.
func packRow(dst, row []float64, i, m, width int) {
	for j := 0; j < len(row); j += width {
		w := min(width, len(row)-j)
		copy(dst[j*m+i*width:j*m+i*width+w], row[j:j+w])
	}
}

// addBand adds columns [j0, j1) of the upper triangle of A^T B to c, where a
// and b hold the same m rows as panels.
func addBand(c blas64.Symmetric, a, b []float64, m, j0, j1 int) {
	var sum [ordered.Left * ordered.Right]float64
	for i := 0; i < j1; i += ordered.Left {
		for j := j0; j < j1; j += ordered.Right {
			if j+ordered.Right <= i {
				continue // below the diagonal
			}
			ordered.Products(&sum, a[i*m:(i+ordered.Left)*m], b[j*m:(j+ordered.Right)*m])
			for p := range ordered.Left {
				for q := range ordered.Right {
					if i+p <= j+q && j+q < c.N {
						c.Data[(i+p)*c.Stride+j+q] += sum[p*ordered.Right+q]
					}
				}
			}
		}
	}
}

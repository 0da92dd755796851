package datasets

import (
	"slices"
	"sync"

	"stochopt/internal/ordered"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// SecondMoment writes the uncentred second moment of the given rows,
//
//	(1/len(rows)) sum_{i in rows} x_i x_i^T,
//
// to dst. A row may occur more than once. The order of summation depends on the arguments
// only, so the bits do not depend on the number of CPUs. It takes N D^2/2 multiplications on a
// dense table, and half the sum of the squared numbers of entries a row on a sparse one.
func SecondMoment(dst *mat.SymDense, t *Table, rows []int) {
	if len(rows) == 0 {
		panic("datasets: second moment of no rows")
	}
	symTo(dst, t.D)
	c := dst.RawSymmetric()
	if t.Sparse() {
		sparseMoment(c, t, rows)
	} else {
		denseMoment(c, t, rows)
	}
	for i := range t.D {
		divide(c.Data[i*c.Stride+i:i*c.Stride+t.D], float64(len(rows)))
	}
}

func sparseMoment(c blas64.Symmetric, t *Table, rows []int) {
	for _, i := range rows {
		idx, val := t.RowNonZero(i)
		for p, a := range idx {
			out := c.Data[int(a)*c.Stride : int(a)*c.Stride+t.D]
			for q := p; q < len(idx); q++ {
				out[idx[q]] += float64(val[p] * val[q])
			}
		}
	}
}

const (
	momentRows = 256 // rows whose products are summed before they are added to the result
	momentCols = 32  // columns of the result that one worker fills at a time
)

// denseMoment adds the upper triangle of X^T X to c, in blocks of momentRows rows. Workers
// share the columns of the result, so each element is summed by one worker, in row order.
func denseMoment(c blas64.Symmetric, t *Table, rows []int) {
	d := t.D
	block, columns := make([]float64, momentRows*d), make([]float64, momentRows*d)
	for chunk := range slices.Chunk(rows, momentRows) {
		m := len(chunk)
		for i, from := range chunk {
			row := block[i*d : (i+1)*d]
			t.RowTo(row, from)
			for j, v := range row {
				columns[j*momentRows+i] = v
			}
		}
		var wg sync.WaitGroup
		for from := 0; from < d; from += momentCols {
			wg.Go(func() {
				var buf [momentCols]float64
				to := min(from+momentCols, d)
				for p := range to {
					first := max(p, from)
					sum := buf[:to-first]
					clear(sum)
					ordered.AddRows(sum, 1, columns[p*momentRows:][:m], block[first:], d)
					for q, v := range sum {
						c.Data[p*c.Stride+first+q] += v
					}
				}
			})
		}
		wg.Wait()
	}
}

package kernel

import "slices"

// rows gives access to the points as rows of a Vectors. It has buffers and is not safe for concurrent
// use; each goroutine must use its own fork.
type rows struct {
	v      Vectors
	number []int // point i is row number[i] of v
	sparse bool

	row     []float64 // buffer for a row of a dense matrix
	indices []int32
	values  []float64
}

func newRows(v Vectors, number []int) *rows {
	r := &rows{v: v, number: number, sparse: v.Sparse()}
	if !r.sparse {
		_, d := v.Dims()
		r.row = make([]float64, d)
	}
	return r
}

func (r *rows) fork() *rows { return newRows(r.v, r.number) }

// entries returns the features, in increasing order, and the values of the nonzero entries of point i.
// They are valid until the next call.
func (r *rows) entries(i int) ([]int32, []float64) {
	if r.sparse {
		indices, values := r.v.RowNonZero(r.number[i])
		if !slices.Contains(values, 0) {
			return indices, values
		}
		r.indices, r.values = r.indices[:0], r.values[:0]
		for p, x := range values {
			if x != 0 {
				r.indices, r.values = append(r.indices, indices[p]), append(r.values, x)
			}
		}
		return r.indices, r.values
	}
	r.indices, r.values = r.indices[:0], r.values[:0]
	for f, x := range r.v.Row(r.number[i], r.row) {
		if x != 0 {
			r.indices, r.values = append(r.indices, int32(f)), append(r.values, x)
		}
	}
	return r.indices, r.values
}

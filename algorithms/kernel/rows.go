package kernel

// rows is the part of a Vectors that Points was made of. It is not for
// concurrent use, because of its buffers; fork it.
type rows struct {
	v      Vectors
	number []int // point i is row number[i] of v
	sparse bool

	indices []int32
	values  []float64
	// row and other may hold rows of a dense matrix.
	row, other []float64
}

func newRows(v Vectors, number []int) *rows {
	r := &rows{v: v, number: number, sparse: v.Sparse()}
	if !r.sparse {
		_, d := v.Dims()
		r.row, r.other = make([]float64, d), make([]float64, d)
	}
	return r
}

func (r *rows) fork() *rows { return newRows(r.v, r.number) }

// entries returns the features of the nonzero entries of point i, increasing,
// and their values. They are valid until the next call.
func (r *rows) entries(i int) ([]int32, []float64) {
	if r.sparse {
		indices, values := r.v.RowNonZero(r.number[i])
		for _, x := range values {
			if x == 0 {
				return r.pack(indices, values)
			}
		}
		return indices, values
	}
	r.indices, r.values = r.indices[:0], r.values[:0]
	for f, x := range r.v.Row(r.number[i], r.row) {
		if x != 0 {
			r.indices = append(r.indices, int32(f))
			r.values = append(r.values, x)
		}
	}
	return r.indices, r.values
}

// pack leaves out the stored entries that are zero.
func (r *rows) pack(indices []int32, values []float64) ([]int32, []float64) {
	r.indices, r.values = r.indices[:0], r.values[:0]
	for p, x := range values {
		if x != 0 {
			r.indices = append(r.indices, indices[p])
			r.values = append(r.values, x)
		}
	}
	return r.indices, r.values
}

// dot returns the inner product of points i and j, summed over the features in
// ascending order.
func (r *rows) dot(i, j int) float64 {
	sum := 0.0
	if !r.sparse {
		y := r.v.Row(r.number[j], r.other)
		for f, x := range r.v.Row(r.number[i], r.row) {
			sum += float64(x * y[f])
		}
		return sum
	}
	fi, x := r.v.RowNonZero(r.number[i])
	fj, y := r.v.RowNonZero(r.number[j])
	for p, q := 0, 0; p < len(fi) && q < len(fj); {
		switch {
		case fi[p] < fj[q]:
			p++
		case fi[p] > fj[q]:
			q++
		default:
			sum += float64(x[p] * y[q])
			p++
			q++
		}
	}
	return sum
}

package kernel

// Features is a view of points for linear methods. A Features is not safe for concurrent use, but
// several Features of the same points are.
type Features struct {
	p     *Points
	train int
	rows  *rows
}

// Features returns a view of the N points, of which the first train are the training points. It panics
// unless 0 <= train <= N.
func (p *Points) Features(train int) *Features {
	if train < 0 || train > p.Len() {
		panic(badTrain)
	}
	return &Features{p: p, train: train, rows: p.rows.fork()}
}

// Train returns the number of training points.
func (f *Features) Train() int { return f.train }

// Len returns the number of points.
func (f *Features) Len() int { return f.p.Len() }

// Dim returns the number of features, d.
func (f *Features) Dim() int { return f.p.d }

// NormSq returns |x_j|^2.
func (f *Features) NormSq(j int) float64 { return f.p.norms[j] }

// Dot returns <w, x_j> for w of length d. It costs one operation for each stored entry of x_j. The order
// of the sum is fixed.
func (f *Features) Dot(w []float64, j int) float64 {
	if len(w) != f.p.d {
		panic(badLength)
	}
	r := f.rows
	// Four partial sums, of every fourth entry each.
	var s0, s1, s2, s3 float64
	if !r.sparse {
		x := r.v.Row(r.number[j], r.row)
		w = w[:len(x)]
		k := 0
		for ; k+4 <= len(x); k += 4 {
			s0 += float64(w[k] * x[k])
			s1 += float64(w[k+1] * x[k+1])
			s2 += float64(w[k+2] * x[k+2])
			s3 += float64(w[k+3] * x[k+3])
		}
		for ; k < len(x); k++ {
			s0 += float64(w[k] * x[k])
		}
		return (s0 + s1) + (s2 + s3)
	}
	indices, x := r.v.RowNonZero(r.number[j])
	x = x[:len(indices)]
	k := 0
	for ; k+4 <= len(indices); k += 4 {
		s0 += float64(w[indices[k]] * x[k])
		s1 += float64(w[indices[k+1]] * x[k+1])
		s2 += float64(w[indices[k+2]] * x[k+2])
		s3 += float64(w[indices[k+3]] * x[k+3])
	}
	for ; k < len(indices); k++ {
		s0 += float64(w[indices[k]] * x[k])
	}
	return (s0 + s1) + (s2 + s3)
}

// AddTo adds a x_j to w, of length d.
func (f *Features) AddTo(w []float64, a float64, j int) {
	if len(w) != f.p.d {
		panic(badLength)
	}
	r := f.rows
	if !r.sparse {
		for k, x := range r.v.Row(r.number[j], r.row) {
			w[k] += float64(a * x)
		}
		return
	}
	indices, values := r.v.RowNonZero(r.number[j])
	for k, i := range indices {
		w[i] += float64(a * values[k])
	}
}

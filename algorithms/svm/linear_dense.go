package svm

import "fmt"

// DenseFeatures is a dense matrix of points, a point a row.
type DenseFeatures struct {
	data  []float64
	d     int
	train int
}

var _ Features = (*DenseFeatures)(nil)

// NewDenseFeatures returns the N x d matrix that data holds row by row; the
// first train rows are the training points. It keeps data, which must not be
// changed afterwards, and returns an error if d < 1, data is no whole number of
// rows, or train is not in 1 <= train <= N.
func NewDenseFeatures(data []float64, d, train int) (*DenseFeatures, error) {
	if d < 1 {
		return nil, fmt.Errorf("svm: features of dimension %d; at least 1 is needed", d)
	}
	if len(data)%d != 0 {
		return nil, fmt.Errorf("svm: %d numbers are no whole number of rows of %d features", len(data), d)
	}
	if n := len(data) / d; train < 1 || train > n {
		return nil, fmt.Errorf("svm: %d training points among %d; give at least 1 and at most all", train, n)
	}
	return &DenseFeatures{data: data, d: d, train: train}, nil
}

// Train implements Features.
func (f *DenseFeatures) Train() int { return f.train }

// Len implements Features.
func (f *DenseFeatures) Len() int { return len(f.data) / f.d }

// Dim implements Features.
func (f *DenseFeatures) Dim() int { return f.d }

func (f *DenseFeatures) row(j int) []float64 { return f.data[j*f.d : (j+1)*f.d] }

// Dot implements Features. The products are summed in four lanes.
func (f *DenseFeatures) Dot(w []float64, j int) float64 {
	x := f.row(j)
	w = w[:len(x)]
	var s0, s1, s2, s3 float64
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
	return (s0 + s2) + (s1 + s3)
}

// AddTo implements Features.
func (f *DenseFeatures) AddTo(w []float64, a float64, j int) {
	x := f.row(j)
	w = w[:len(x)]
	for k, v := range x {
		w[k] += float64(a * v)
	}
}

// NormSq implements Features.
func (f *DenseFeatures) NormSq(j int) float64 { return f.Dot(f.row(j), j) }

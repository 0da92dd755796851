package svm

// Features is the data matrix as a linear optimiser sees it: N points in d
// dimensions, of which the first n are the training points.
type Features interface {
	// Train returns n, Len N >= n and Dim d.
	Train() int
	Len() int
	Dim() int
	// Dot returns <w, x_j> for j < N; w has length d.
	Dot(w []float64, j int) float64
	// AddTo adds a x_j to w.
	AddTo(w []float64, a float64, j int)
	// NormSq returns |x_j|^2.
	NormSq(j int) float64
}

// LinearProblem is what every linear optimiser is given. Point i < n has label
// +1 if i < Positive and -1 otherwise.
type LinearProblem struct {
	Features Features
	Positive int
}

// Label returns y_i of training point i.
func (p LinearProblem) Label(i int) float64 { return label(i, p.Positive) }

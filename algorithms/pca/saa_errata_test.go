package pca

import (
	"testing"

	"stochopt/algorithms/internal/suite"

	"gonum.org/v1/gonum/mat"
)

// Section 4.2 prints the problem of least squared reconstruction error as
// argmin E[x^T U U^T x] and as argmin tr(U^T S U - S). Both must be argmax: the leading
// eigenvectors, which have the least error, maximise both.
func TestErratumObjectiveSign(t *testing.T) {
	const d, k, n = 5, 2, 50
	rows := normalRows(n, d, 0.6, 16)
	s := suite.Must(NewSAA(SAAConfig{K: k}, &rowSource{d, rows}))
	mustStep(t, s, n)
	var solution, other State
	s.StateTo(&solution)
	newRandomBasis(d, k, streamRand(17)).stateTo(&other, k)
	var captured, lost [2]float64
	for i, st := range []*State{&solution, &other} {
		projection := st.Dense(d)
		for _, row := range rows {
			x := mat.NewVecDense(d, row)
			captured[i] += mat.Inner(x, projection, x)
			var rest mat.VecDense
			rest.MulVec(projection, x)
			rest.SubVec(x, &rest)
			lost[i] += mat.Dot(&rest, &rest)
		}
	}
	if !(lost[0] < lost[1]) || !(captured[0] > captured[1]) {
		t.Errorf("the solution loses %g and captures %g, a random subspace %g and %g",
			lost[0], captured[0], lost[1], captured[1])
	}
}

package pca

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Section 4.2 prints the problem of least squared reconstruction error as
// argmin E[x^T U U^T x], and as argmin tr(U^T S U - S): both want argmax. The
// leading eigenvectors, which have the least error, have the largest of either.
func TestErratumObjectiveSign(t *testing.T) {
	const d, k, n = 5, 2, 50
	rows := normalRows(n, d, 0.6, 16)
	s, err := NewSAA(SAAConfig{K: k}, &rowSource{d, rows})
	if err != nil {
		t.Fatal(err)
	}
	mustStep(t, s, n)
	var best, other State
	s.StateTo(&best)
	newRandomBasis(d, k, streamRand(17)).stateTo(&other, k)
	score := func(u *mat.Dense) (captured, lost float64) {
		for _, row := range rows {
			x := mat.NewVecDense(d, row)
			var w, p mat.VecDense
			w.MulVec(u.T(), x)
			p.MulVec(u, &w)
			captured += mat.Dot(x, &p)
			p.SubVec(x, &p)
			lost += mat.Dot(&p, &p)
		}
		return captured, lost
	}
	bestCaptured, bestLost := score(best.U)
	otherCaptured, otherLost := score(other.U)
	if !(bestLost < otherLost) {
		t.Errorf("reconstruction error %g of the solution, %g of a random subspace", bestLost, otherLost)
	}
	if !(bestCaptured > otherCaptured) {
		t.Errorf("E[x^T U U^T x] is %g for the solution, %g for a random subspace", bestCaptured, otherCaptured)
	}
}

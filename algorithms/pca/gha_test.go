package pca

import (
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"

	"gonum.org/v1/gonum/mat"
)

func newTestGHA(t *testing.T, k int, step algorithms.Schedule, d int, rows [][]float64) *GHA {
	t.Helper()
	g := suite.Must(NewGHA(GHAConfig{K: k, Step: step}, &rowSource{d, rows}, streamRand(30)))
	return g
}

// TestGHAAgainstDense compares each step with U + eta (x y^T - U UT[y y^T]), computed with dense
// matrices.
func TestGHAAgainstDense(t *testing.T) {
	const d, k, n = 6, 4, 60
	rows := normalRows(n, d, 0.8, 31)
	step := algorithms.InverseSqrt{C: 0.1}
	g := newTestGHA(t, k, step, d, rows)
	for i, row := range rows {
		u := mat.DenseCopyOf(mat.NewDense(k, d, g.u.data).T())
		x := mat.NewVecDense(d, row)
		var y mat.VecDense
		y.MulVec(u.T(), x)
		upper := mat.NewDense(k, k, nil)
		for a := range k {
			for b := a; b < k; b++ {
				upper.Set(a, b, y.AtVec(a)*y.AtVec(b))
			}
		}
		var xy, uu, want mat.Dense
		xy.Mul(x, y.T())
		uu.Mul(u, upper)
		xy.Sub(&xy, &uu)
		xy.Scale(step.At(int64(i+1)), &xy)
		want.Add(u, &xy)
		mustStep(t, g, 1)
		if got := mat.NewDense(k, d, g.u.data).T(); !mat.EqualApprox(got, &want, 1e-13) {
			t.Fatalf("step %d differs", i+1)
		}
	}
}

// TestGHACollapse checks that dependent columns give a state of lower rank, without directions
// of rounding noise.
func TestGHACollapse(t *testing.T) {
	const d = 5
	g := newTestGHA(t, 3, algorithms.Constant{C: 0.1}, d, [][]float64{make([]float64, d)})
	copy(g.u.col(1), g.u.col(0))
	mustStep(t, g, 1)
	var st State
	g.StateTo(&st)
	if g.Rank() != 2 || len(st.Sigma) != 2 {
		t.Errorf("rank %d, state of %d; want 2", g.Rank(), len(st.Sigma))
	}
	if e := Orthonormality(st.U); !(e < 1e-14) {
		t.Errorf("|U^T U - I| = %g", e)
	}
}

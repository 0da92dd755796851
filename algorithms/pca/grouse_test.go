package pca

import (
	"math"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"

	"gonum.org/v1/gonum/mat"
)

func newTestGROUSE(t testing.TB, k int, step algorithms.Schedule, src Source) *GROUSE {
	t.Helper()
	g := suite.Must(NewGROUSE(GROUSEConfig{K: k, Step: step}, src, streamRand(40)))
	return g
}

// geodesic returns the point at distance eta from u along the geodesic of the
// Grassmannian in the direction of the tangent h, by the compact singular value
// decomposition h = P S Q^T (Edelman, Arias & Smith 1998, theorem 2.3):
// U Q cos(eta S) Q^T + P sin(eta S) Q^T.
func geodesic(t *testing.T, u, h *mat.Dense, eta float64) *mat.Dense {
	t.Helper()
	var svd mat.SVD
	if !svd.Factorize(h, mat.SVDThin) {
		t.Fatal("SVD failed")
	}
	var p, q mat.Dense
	svd.UTo(&p)
	svd.VTo(&q)
	s := svd.Values(nil)
	var uq mat.Dense
	uq.Mul(u, &q)
	for j, v := range s {
		sin, cos := math.Sincos(eta * v)
		d, _ := uq.Dims()
		for i := range d {
			uq.Set(i, j, cos*uq.At(i, j)+sin*p.At(i, j))
		}
	}
	var out mat.Dense
	out.Mul(&uq, q.T())
	return &out
}

// TestGROUSEAgainstGeodesic checks that each step follows the geodesic, also for zero samples and
// for samples that are in the subspace or orthogonal to it, exactly or nearly.
func TestGROUSEAgainstGeodesic(t *testing.T) {
	const d, k, n = 7, 3, 40
	for _, eta := range []float64{0.01, 0.3, 5} {
		src := &rowSource{d: d, rows: normalRows(n, d, 0.9, 41)}
		g := newTestGROUSE(t, k, algorithms.Constant{C: eta}, src)
		for i := range n {
			row := slices.Clone(src.rows[0])
			switch y := make([]float64, k); i % 10 {
			case 0:
				clear(row)
			case 1, 2: // orthogonal, exactly or nearly
				g.u.transMulTo(y, row)
				g.u.addMul(row, -1, y)
				row[i%d] += float64(i%10-1) * 1e-12
			case 3, 4: // in the subspace, exactly or nearly
				copy(row, g.u.col(1))
				row[i%d] += float64(i%10-3) * 1e-12
			}
			src.rows[0] = row
			u := mat.DenseCopyOf(mat.NewDense(k, d, g.u.data).T())
			x := mat.NewVecDense(d, row)
			var w, r mat.VecDense
			w.MulVec(u.T(), x)
			r.MulVec(u, &w)
			r.SubVec(x, &r)
			var h mat.Dense
			h.Outer(1, &r, &w)
			want := geodesic(t, u, &h, eta)
			mustStep(t, g, 1)
			if got := mat.NewDense(k, d, g.u.data).T(); !mat.EqualApprox(got, want, 1e-12) {
				t.Fatalf("eta = %g: step %d is not on the geodesic", eta, i+1)
			}
		}
	}
}

func TestGROUSECorrectsDrift(t *testing.T) {
	const d = 6
	g := newTestGROUSE(t, 2, algorithms.Constant{C: 0.01}, &rowSource{d, normalRows(driftInterval, d, 1, 43)})
	for i, v := range g.u.col(0) {
		g.u.col(0)[i] = v * (1 + 1e-9)
	}
	mustStep(t, g, driftInterval-1)
	if e := g.u.drift(); !(e > 1e-10) {
		t.Fatalf("drift %g before the measurement, want more than 1e-10", e)
	}
	mustStep(t, g, 1)
	if e := g.u.drift(); !(e < 1e-14) {
		t.Errorf("drift %g after the measurement", e)
	}
}

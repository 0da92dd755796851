package pca

import (
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"

	"gonum.org/v1/gonum/mat"
)

// TestPowerAgainstDense compares the span after each step with Oja's method, which computes
// U + eta x x^T U and orthonormalises in each step. Large steps make the basis ill-conditioned.
func TestPowerAgainstDense(t *testing.T) {
	const d, n = 7, 300
	for _, k := range []int{1, 3, 6} {
		for _, step := range []algorithms.Schedule{algorithms.InverseSqrt{C: 2}, algorithms.Constant{C: 0.3}} {
			rows := normalRows(n, d, 0.9, 22)
			p := suite.Must(NewPower(PowerConfig{K: k, Step: step}, &rowSource{d, rows}, streamRand(20)))
			var before, after State
			p.StateTo(&before)
			for i, row := range rows {
				mustStep(t, p, 1)
				p.StateTo(&after)
				x := mat.NewVecDense(d, row)
				var y mat.VecDense
				y.MulVec(before.U.T(), x)
				var want mat.Dense
				want.RankOne(before.U, step.At(int64(i+1)), x, &y)
				var qr mat.QR
				qr.Factorize(&want)
				var q mat.Dense
				qr.QTo(&q)
				if e := spanDistance(q.Slice(0, d, 0, k), after.U); !(e < 1e-12) {
					t.Fatalf("k = %d, step size %v: step %d is off by %g", k, step, i+1, e)
				}
				before = *after.Clone()
			}
		}
	}
}

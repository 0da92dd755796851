package pca

import (
	"math"
	"testing"

	"stochopt/algorithms"

	"gonum.org/v1/gonum/mat"
)

func newTestGROUSE(t testing.TB, k int, step algorithms.Schedule, src Source) *GROUSE {
	t.Helper()
	g, err := NewGROUSE(GROUSEConfig{K: k, Step: step}, src, streamRand(40))
	if err != nil {
		t.Fatal(err)
	}
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

func TestGROUSEAgainstGeodesic(t *testing.T) {
	const d, k, n = 7, 3, 40
	rows := normalRows(n, d, 0.9, 41)
	for _, eta := range []float64{0.01, 0.3, 5} {
		g := newTestGROUSE(t, k, algorithms.Constant{C: eta}, &rowSource{d, rows})
		for i, row := range rows {
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

// Samples (nearly) inside and (nearly) orthogonal to the subspace neither move it
// much nor spoil it.
func TestGROUSEDegenerateSamples(t *testing.T) {
	const d, k = 6, 2
	other := normalRows(1, d, 1, 42)[0]
	for _, test := range []struct {
		name          string
		inside, noise float64
		moved         float64 // at most
	}{
		{"inside", 1, 0, 1e-14},
		{"inside and a trace", 1, 1e-12, 1e-10},
		{"outside", 0, 1, 1e-14},
		{"outside and a trace", 1e-12, 1, 1e-10},
		{"zero", 0, 0, 1e-15},
	} {
		src := &rowSource{d: d}
		g := newTestGROUSE(t, k, algorithms.Constant{C: 1}, src)
		var before, after State
		g.StateTo(&before)
		w := make([]float64, k)
		outside := append([]float64(nil), other...)
		g.u.transMulTo(w, outside)
		g.u.addMul(outside, -1, w)
		x := make([]float64, d)
		for i := range x {
			x[i] = test.noise*outside[i] + test.inside*g.u.col(1)[i]
		}
		src.rows = [][]float64{x, x, x}
		mustStep(t, g, 3)
		g.StateTo(&after)
		if e := spanDistance(before.U, after.U); !(e <= test.moved) {
			t.Errorf("%s: moved by %g, want at most %g", test.name, e, test.moved)
		}
		if e := g.u.drift(); !(e < 1e-14) {
			t.Errorf("%s: drift %g", test.name, e)
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
		t.Fatalf("drift %g before the measurement: nothing to correct", e)
	}
	mustStep(t, g, 1)
	if e := g.u.drift(); !(e < 1e-14) {
		t.Errorf("drift %g after the measurement", e)
	}
}

// normalSource is an endless source of standard normal samples.
type normalSource struct {
	rows [][]float64
	next int
}

func (s *normalSource) Dim() int { return len(s.rows[0]) }

func (s *normalSource) Next() ([]float64, bool) {
	s.next++
	return s.rows[s.next%len(s.rows)], true
}

// A million steps leave U orthonormal.
func TestDriftOverAMillionSteps(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a million steps")
	}
	const d, k, n = 5, 2, 1_000_000
	step := algorithms.Constant{C: 0.1}
	for name, make := range map[string]func(src Source) (Learner, error){
		"grouse": func(src Source) (Learner, error) {
			return NewGROUSE(GROUSEConfig{K: k, Step: step}, src, streamRand(44))
		},
		"power": func(src Source) (Learner, error) {
			return NewPower(PowerConfig{K: k, Step: step}, src, streamRand(44))
		},
		"gha": func(src Source) (Learner, error) {
			return NewGHA(GHAConfig{K: k, Step: algorithms.InverseSqrt{C: 0.01}}, src, streamRand(44))
		},
	} {
		l, err := make(&normalSource{rows: normalRows(997, d, 0.9, 45)})
		if err != nil {
			t.Fatal(err)
		}
		var st State
		for range n / 100_000 {
			mustStep(t, l, 100_000)
			l.StateTo(&st)
			if e := Orthonormality(st.U); !(e < 1e-8) {
				t.Fatalf("%s: |U^T U - I| = %g after %d steps", name, e, l.Cost().Iterations)
			}
		}
	}
}

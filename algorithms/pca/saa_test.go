package pca

import (
	"runtime"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"

	"gonum.org/v1/gonum/mat"
)

// rowSource is a source of the given samples.
type rowSource struct {
	d    int
	rows [][]float64
}

func (s *rowSource) Dim() int { return s.d }

func (s *rowSource) Next() ([]float64, bool) {
	if len(s.rows) == 0 {
		return nil, false
	}
	x := s.rows[0]
	s.rows = s.rows[1:]
	return x, true
}

// normalRows returns n samples of independent normal entries. Entry i has the standard deviation
// decay^i.
func normalRows(n, d int, decay float64, stream uint64) [][]float64 {
	rng := streamRand(stream)
	rows := make([][]float64, n)
	for t := range rows {
		rows[t] = make([]float64, d)
		scale := 1.0
		for i := range rows[t] {
			rows[t][i] = scale * rng.NormFloat64()
			scale *= decay
		}
	}
	return rows
}

// spanDistance returns |(I - U U^T) V|_F. For orthonormal U and V it is at most sqrt(k) times the
// sine of the largest angle between their spans.
func spanDistance(u, v mat.Matrix) float64 {
	var uv, p, r mat.Dense
	uv.Mul(u.T(), v)
	p.Mul(u, &uv)
	r.Sub(v, &p)
	return mat.Norm(&r, 2)
}

// mustStep steps l n times.
func mustStep(t testing.TB, l algorithms.Stepper, n int) {
	t.Helper()
	for i := range n {
		if status := l.Step(); status.Stop() {
			t.Fatalf("step %d: %v: %s", i+1, status.State, status.Reason)
		}
	}
}

func TestSAAAgainstSVD(t *testing.T) {
	for _, test := range []struct {
		name    string
		d, k, n int
		rank    int // of the data
	}{
		{"full rank", 10, 3, 60, 10},
		{"k of 1", 7, 1, 30, 7},
		{"k = d-1", 6, 5, 40, 6},
		{"low rank", 12, 5, 40, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := normalRows(test.n, test.d, 0.7, 10)
			data := mat.NewDense(test.n, test.d, nil)
			for i := range x {
				clear(x[i][test.rank:])
				data.SetRow(i, x[i])
			}
			s := suite.Must(NewSAA(SAAConfig{K: test.k}, &rowSource{test.d, x}))
			var st State
			var compared int
			for n := 1; n <= test.n; n++ {
				mustStep(t, s, 1)
				s.StateTo(&st)
				var svd mat.SVD
				if !svd.Factorize(data.Slice(0, n, 0, test.d), mat.SVDThin) {
					t.Fatal("SVD failed")
				}
				values := append(svd.Values(nil), 0)
				rank := 0
				for rank < test.k && values[rank] > 1e-9*values[0] {
					rank++
				}
				if s.Rank() != rank || len(st.Sigma) != rank {
					t.Fatalf("%d samples: rank %d, state of %d; want %d", n, s.Rank(), len(st.Sigma), rank)
				}
				if gap := values[rank-1] - values[rank]; gap < 1e-3*values[0] {
					continue
				}
				compared++
				var v mat.Dense
				svd.VTo(&v)
				if e := spanDistance(v.Slice(0, test.d, 0, rank), st.U); !(e < 1e-10) {
					t.Errorf("%d samples: the distance of the subspaces is %g", n, e)
				}
			}
			if compared < test.n/2 {
				t.Errorf("only %d of %d prefixes had an eigengap", compared, test.n)
			}
		})
	}
}

// TestSAAGramAgainstDirect checks that an ill-conditioned Gram matrix is not used, and that otherwise
// both methods give the same subspace.
func TestSAAGramAgainstDirect(t *testing.T) {
	const d, k = 30, 4
	for decay, want := range map[float64]bool{0.95: true, 0.05: true, 1e-3: false} {
		s := suite.Must(NewSAA(SAAConfig{K: k}, &rowSource{d, normalRows(d/2, d, decay, 12)}))
		mustStep(t, s, d/2)
		byGram, used := s.leadingByGram()
		if used != want {
			t.Errorf("decay %g: Gram matrix used: %t, want %t", decay, used, want)
		}
		if !used {
			continue
		}
		var gram, direct State
		byGram.stateTo(&gram, k)
		s.leading().stateTo(&direct, k)
		if e := spanDistance(gram.U, direct.U); !(e < 1e-9) {
			t.Errorf("decay %g: the distance of the subspaces is %g", decay, e)
		}
	}
}

// TestSAAParallel checks that the solution has the same bits for any number of processors. The
// matrices are large enough for parallel linear algebra.
func TestSAAParallel(t *testing.T) {
	const d = 160
	rows := normalRows(d, d, 0.98, 15)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{100, d} {
		var want *mat.Dense
		for _, procs := range []int{1, 4, 4} {
			runtime.GOMAXPROCS(procs)
			s := suite.Must(NewSAA(SAAConfig{K: 8}, &rowSource{d, rows}))
			mustStep(t, s, n)
			var st State
			s.StateTo(&st)
			if want == nil {
				want = st.U
			} else if !mat.Equal(want, st.U) {
				t.Errorf("%d samples, %d processors: the solution differs", n, procs)
			}
		}
	}
}

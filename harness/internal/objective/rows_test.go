package objective

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// samples implements Samples with rows x of d features.
type samples struct {
	x     [][]float64
	d     int
	dense bool
}

func (s *samples) Dims() (n, d int) { return len(s.x), s.d }

func (s *samples) Entries(i int, buf []float64) (features []int32, values []float64) {
	if s.dense {
		return nil, append(buf[:0], s.x[i]...)
	}
	for j, v := range s.x[i] {
		if v != 0 {
			features, values = append(features, int32(j)), append(values, v)
		}
	}
	return features, values
}

func (s *samples) moment() *mat.SymDense {
	out := mat.NewSymDense(s.d, nil)
	for _, x := range s.x {
		out.SymRankOne(out, 1/float64(len(s.x)), mat.NewVecDense(s.d, x))
	}
	return out
}

// shapes are the numbers of rows and features, and the rank.
var shapes = []struct {
	n, d, rank int
	dense      bool
}{{1, 7, 1, false}, {3, 40, 3, false}, {40, 12, 40, false}, {60, 60, 5, false}, {25, 90, 25, true}, {90, 25, 3, true}}

// randomSamples returns random rows of a shape, 30 % of whose entries are nonzero.
func randomSamples(rng *rand.Rand, n, d, rank int, dense bool) *samples {
	s := &samples{d: d, dense: dense}
	for i := range n {
		x := make([]float64, d)
		for j := range x {
			if rng.Float64() < 0.3 {
				x[j] = rng.NormFloat64()
			}
		}
		if i >= rank {
			x = s.x[rng.IntN(rank)]
		}
		s.x = append(s.x, x)
	}
	return s
}

func orthonormal(rng *rand.Rand, d, k int) *mat.Dense {
	g := mat.NewDense(d, k, nil)
	for i := range d {
		for j := range k {
			g.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(g)
	var q mat.Dense
	qr.QTo(&q)
	return mat.DenseCopyOf(q.Slice(0, d, 0, k))
}

// A RowMoment captures the same as the d x d second moment.
func TestRowMomentMatchesMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, shape := range shapes {
		s := randomSamples(rng, shape.n, shape.d, shape.rank, shape.dense)
		rows, matrix := NewRowMoment(s), NewMoment(s.moment())
		if a, b := rows.Trace(), matrix.Trace(); math.Abs(a-b) > 1e-13*(1+b) || rows.Dim() != matrix.Dim() {
			t.Errorf("%+v: trace %v of dimension %d, want %v of %d", shape, a, rows.Dim(), b, matrix.Dim())
		}
		for _, k := range []int{1, 4} {
			u := orthonormal(rng, shape.d, k)
			if a, b := rows.Captured(u), matrix.Captured(u); math.Abs(a-b) > 1e-13*(1+b) {
				t.Errorf("%+v: captures %v, want %v", shape, a, b)
			}
		}
		if rows.Captured(nil) != 0 || matrix.Captured(nil) != 0 {
			t.Errorf("%+v: an empty subspace captures something", shape)
		}
	}
}

// The eigenvalues of a RowMoment agree with those of the d x d matrix within their error bounds, also
// beyond the rank.
func TestOptimumOfRowsMatchesMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, shape := range shapes {
		s := randomSamples(rng, shape.n, shape.d, shape.rank, shape.dense)
		want, err := NewMoment(s.moment()).Leading(s.d)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{1, 3, 6} {
			got, err := NewRowMoment(s).Leading(k)
			if err != nil || len(got.Eigenvalues) != k {
				t.Fatalf("%+v, k = %d: %+v, %v", shape, k, got, err)
			}
			for i, v := range got.Eigenvalues {
				if math.Abs(v-want.Eigenvalues[i]) > got.ErrorBound+want.ErrorBound+1e-15 {
					t.Errorf("%+v, k = %d: eigenvalue %d is %v, want %v within %g", shape, k, i+1, v, want.Eigenvalues[i], got.ErrorBound)
				}
			}
		}
	}
}

func TestRowsOfZeros(t *testing.T) {
	s := &samples{x: slices.Repeat([][]float64{{0, 0, 0}}, 5), d: 3}
	got, err := NewRowMoment(s).Leading(2)
	if err != nil || !slices.Equal(got.Eigenvalues, []float64{0, 0}) || got.ErrorBound != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRowsThatAreTooLarge(t *testing.T) {
	s := &samples{x: [][]float64{{1e300, 0, 0}}, d: 3}
	if o, err := NewRowMoment(s).Leading(1); err == nil {
		t.Errorf("the optimum is %+v", o)
	}
}

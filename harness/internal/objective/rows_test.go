package objective

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// samples implements Samples. A row has entries for some of the d features, or for all if it is dense.
type samples struct {
	d        int
	features [][]int32
	values   [][]float64
}

func (s *samples) Dims() (n, d int) { return len(s.values), s.d }

func (s *samples) Entries(i int, buf []float64) ([]int32, []float64) {
	return s.features[i], append(buf[:0], s.values[i]...)
}

// add appends a dense or sparse row.
func (s *samples) add(x []float64, dense bool) {
	var features []int32
	var values []float64
	for j, v := range x {
		if dense || v != 0 {
			features, values = append(features, int32(j)), append(values, v)
		}
	}
	s.features, s.values = append(s.features, features), append(s.values, values)
}

func (s *samples) moment() *mat.SymDense {
	out := mat.NewSymDense(s.d, nil)
	for i := range s.values {
		x := make([]float64, s.d)
		for p, j := range s.features[i] {
			x[j] = s.values[i][p]
		}
		out.SymRankOne(out, 1/float64(len(s.values)), mat.NewVecDense(s.d, x))
	}
	return out
}

// sparseSamples returns n rows of the given rank, where share is the fraction of nonzero entries.
func sparseSamples(rng *rand.Rand, n, d, rank int, share float64, dense bool) *samples {
	s := &samples{d: d}
	var base [][]float64
	for i := range n {
		x := make([]float64, d)
		if i < rank || rank == 0 {
			for j := range x {
				if share > 0 && rng.Float64() < share {
					x[j] = rng.NormFloat64()
				}
			}
			base = append(base, x)
		} else {
			copy(x, base[rng.IntN(rank)])
		}
		s.add(x, dense)
	}
	return s
}

// spectrum returns d rows of d features whose second moment has the given eigenvalues, in a random
// basis or in the standard basis.
func spectrum(rng *rand.Rand, values []float64, random bool) *samples {
	d := len(values)
	u := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			if random {
				u.Set(i, j, rng.NormFloat64())
			} else if i == j {
				u.Set(i, j, 1)
			}
		}
	}
	var qr mat.QR
	qr.Factorize(u)
	qr.QTo(u)
	s := &samples{d: d}
	for i, v := range values {
		x := make([]float64, d)
		for j := range x {
			x[j] = math.Sqrt(v*float64(d)) * u.At(j, i)
		}
		s.add(x, false)
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

var shapes = []struct {
	n, d, rank int
	dense      bool
}{{1, 7, 1, false}, {3, 40, 3, false}, {40, 12, 40, false}, {60, 60, 5, false}, {25, 90, 25, true}, {90, 25, 3, true}}

// A RowMoment captures the same as the d x d second moment.
func TestRowsMeasureAsTheirMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, shape := range shapes {
		s := sparseSamples(rng, shape.n, shape.d, shape.rank, 0.3, shape.dense)
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
func TestOptimumOfRowsIsThatOfTheirMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	tied := []float64{3, 3, 3, 2, 1, 1, 1, 1, 1, 0.5, 0, 0}
	sets := map[string]*samples{
		"tied":            spectrum(rng, tied, true),
		"tied, axes":      spectrum(rng, tied, false),
		"all equal":       spectrum(rng, []float64{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, true),
		"all equal, axes": spectrum(rng, []float64{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, false),
	}
	for _, shape := range shapes {
		sets[fmt.Sprintf("%+v", shape)] = sparseSamples(rng, shape.n, shape.d, shape.rank, 0.3, shape.dense)
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		s := sets[name]
		want, err := NewMoment(s.moment()).Leading(s.d)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{1, 3, 6} {
			got, err := NewRowMoment(s).Leading(k)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for i, v := range got.Eigenvalues {
				if math.Abs(v-want.Eigenvalues[i]) > got.ErrorBound+want.ErrorBound+1e-15 {
					t.Errorf("%s: eigenvalue %d of %d is %v, want %v within %g", name, i+1, k, v, want.Eigenvalues[i], got.ErrorBound)
				}
			}
			if len(got.Eigenvalues) != k {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

func TestRowsWithoutEntries(t *testing.T) {
	s := sparseSamples(nil, 5, 3, 0, 0, false)
	got, err := NewRowMoment(s).Leading(2)
	if err != nil || !slices.Equal(got.Eigenvalues, []float64{0, 0}) || got.ErrorBound != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRowsThatAreTooLarge(t *testing.T) {
	s := &samples{d: 3}
	s.add([]float64{1e300, 0, 0}, false)
	if o, err := NewRowMoment(s).Leading(1); err == nil {
		t.Errorf("the optimum is %+v", o)
	}
}

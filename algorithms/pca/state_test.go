package pca

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// streamRand returns a generator for the given stream.
func streamRand(stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(20130719, stream))
}

// randomState returns a state of dimension d with m decreasing eigenvalues in (0, 1) and a
// smaller bulk.
func randomState(d, m int, rng *rand.Rand) *State {
	st := new(State)
	if m == 0 {
		st.Bulk = rng.Float64()
		return st
	}
	newRandomBasis(d, m, rng).stateTo(st, m)
	top := 1.0
	for j := range st.Sigma {
		top *= 0.5 + rng.Float64()/2
		st.Sigma[j] = top
	}
	if m < d {
		st.Bulk = top * rng.Float64()
	}
	return st
}

// TestStateDense compares Dense with the definition of M, entry by entry.
func TestStateDense(t *testing.T) {
	const d = 6
	rng := streamRand(1)
	for m := range d + 1 {
		st := randomState(d, m, rng)
		got := st.Dense(d)
		for i := range d {
			for j := range d {
				want := 0.0
				if i == j {
					want = st.Bulk
				}
				for l, sigma := range st.Sigma {
					want += (sigma - st.Bulk) * st.U.At(i, l) * st.U.At(j, l)
				}
				if e := math.Abs(got.At(i, j) - want); !(e < 1e-14) {
					t.Errorf("m = %d: entry %d, %d is %v, want %v", m, i, j, got.At(i, j), want)
				}
			}
		}
	}
}

func TestStateTopK(t *testing.T) {
	const d, m = 5, 3
	st := randomState(d, m, streamRand(2))
	for _, k := range []int{1, m, m + 2} {
		if !mat.Equal(st.TopK(k), st.U.Slice(0, d, 0, min(k, m))) {
			t.Errorf("k = %d: not the leading columns of U", k)
		}
	}
	if !(&State{Bulk: 0.5}).TopK(2).IsEmpty() {
		t.Error("without explicit directions: the basis is not empty")
	}
}

func TestOrthonormality(t *testing.T) {
	for _, test := range []struct {
		name string
		u    *mat.Dense
		want float64
	}{
		{"nil", nil, 0},
		{"empty", new(mat.Dense), 0},
		{"norm", mat.NewDense(3, 2, []float64{1, 0, 0, 2, 0, 0}), 3},
		{"angle", mat.NewDense(2, 2, []float64{1, 0.6, 0, 0.8}), 0.6},
		{"NaN", mat.NewDense(2, 2, []float64{1, 0, math.NaN(), 1}), math.NaN()},
		{"view", mat.NewDense(3, 3, []float64{1, 0, 9, 0, 1, 9, 9, 9, 9}).Slice(0, 2, 0, 2).(*mat.Dense), 0},
	} {
		got := Orthonormality(test.u)
		if !(math.Abs(got-test.want) < 1e-15) && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s: %g, want %g", test.name, got, test.want)
		}
	}
}

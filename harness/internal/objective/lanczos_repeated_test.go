package objective

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Repeated eigenvalues end a search early, with what is left of a product near rounding:
// the vectors must stay orthonormal all the same.
func TestLanczosOnRepeatedEigenvalues(t *testing.T) {
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 14))
		values := [][]float64{
			{2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
			{3, 3, 3, 2, 1, 1, 1, 1, 1, 0.5, 0, 0},
			{1, 1, 1, 1, 0, 0, 0, 0, 0},
			{4},
		}[seed%4]
		if seed%4 == 3 {
			for range 19 {
				values = append(values, math.Floor(4*rng.Float64()))
			}
		}
		s := spectrum(rng, values, seed%8 < 4)
		want, err := NewMoment(s.moment()).Optimum()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{1, 3, 6} {
			got, err := solveLanczos(newOperator(s), k, rng)
			if err != nil {
				t.Errorf("seed %d, k = %d: %v", seed, k, err)
				continue
			}
			for i, v := range got.eigenvalues {
				if math.Abs(v-want.Eigenvalues[i]) > got.bound+want.ErrorBound(1)+1e-15 {
					t.Errorf("seed %d, k = %d: eigenvalue %d is %v, want %v", seed, k, i, v, want.Eigenvalues[i])
				}
			}
		}
	}
}

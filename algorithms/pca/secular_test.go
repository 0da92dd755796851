package pca

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The sums of several roots at a time have the bits of the sums of one.
func TestSecularSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for n := 2; n <= 40; n++ {
		pole, weight := make([]float64, n), make([]float64, n)
		for j := range pole {
			pole[j], weight[j] = rng.Float64(), rng.Float64()
		}
		slices.Sort(pole)
		for range 20 {
			var one, all secularSums
			for l := range secularLanes {
				split := 1 + rng.IntN(n-1)
				all.split[l], all.origin[l] = int64(split), pole[split-rng.IntN(2)]
				all.y[l] = (rng.Float64() - 0.5) / float64(n)
			}
			one = all
			for l := range secularLanes {
				one.sum(l, pole, weight)
			}
			if !all.fast(pole, weight) {
				t.Skip("this CPU, or this build, takes the sums of one root at a time")
			}
			if all != one {
				t.Fatalf("n = %d: got %+v, want %+v", n, all, one)
			}
		}
	}
}

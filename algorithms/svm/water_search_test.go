package svm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestWaterFromNear checks searches from the previous levels, along a random walk of the responses,
// against searches from scratch.
func TestWaterFromNear(t *testing.T) {
	t.Parallel()
	const np, n = 300, 1100
	for _, rounded := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(6, 1))
		c := make([]float64, n)
		w := newTwoLevels(c[:np], c[np:])
		var one float64
		volume := 0.0
		for step := range 1500 {
			switch {
			case step%200 == 0:
				volume = 0
			case step%50 == 1:
				volume = math.Ldexp(rng.Float64(), rng.IntN(18)-4)
			}
			tol := 1e-10 * (1 + spread(c))
			one, _ = waterLevel(c, volume, one)
			if want, _ := WaterLevel(c, volume); !closeTo(one, want, tol) {
				t.Fatalf("step %d: level %v, want %v", step, one, want)
			}
			w.search(volume)
			two := w.level
			gamma, b, _ := WaterLevelBias(c[:np], c[np:], volume)
			if !closeTo(two[0], gamma-b, tol) || !closeTo(two[1], gamma+b, tol) {
				t.Fatalf("step %d: levels %v, want %v and %v", step, two, gamma-b, gamma+b)
			}
			d := 2*rng.Float64() - 0.8
			for j := range c {
				if rounded {
					c[j] += float64(rng.IntN(3)) / 4
				} else {
					c[j] += d * rng.Float64()
				}
			}
		}
	}
}

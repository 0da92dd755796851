package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWaterFromNear: along a random walk of the responses the searches that start
// from the last levels find what a search from scratch does.
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
			w.find(volume)
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

// TestWaterDraw: the r-th of a range of heights.
func TestWaterDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 200 {
		c := floors(rng, 1+rng.IntN(40))
		from, to := c[rng.IntN(len(c))], c[rng.IntN(len(c))]
		r := 0
		for i, v := range c {
			if from <= v && v < to {
				if got := nth(c, r, from, to); got != i {
					t.Fatalf("height %d of %v in [%v, %v) is number %d, want %d", r, c, from, to, got, i)
				}
				r++
			}
		}
	}
}

func TestSelectNth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 2000 {
		x := floors(rng, 1+rng.IntN(200))
		sorted := slices.Sorted(slices.Values(x))
		k := rng.IntN(len(x))
		selectNth(x, k)
		if x[k] != sorted[k] || slices.Max(x[:k+1]) != x[k] || slices.Min(x[k:]) != x[k] {
			t.Fatalf("element %d of %v is not in its place", k, x)
		}
		if slices.Sort(x); !slices.Equal(x, sorted) {
			t.Fatal("the elements are not the same")
		}
	}
}

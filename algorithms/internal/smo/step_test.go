package smo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLineMaximise compares the maximum with a grid.
func TestLineMaximise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 2000 {
		a := line{slope: 3 * rng.Float64(), curvature: 2 * rng.Float64(), limit: 2 * rng.Float64(), drop: rng.Float64(), kinks: [2]float64{2 * rng.Float64(), 2 * rng.Float64()}}
		if trial%3 == 0 {
			a.kinks[trial%2] = noKink
		}
		if trial%7 == 0 {
			a.curvature = 0
		}
		value := func(x float64) float64 {
			v := x*a.slope - 0.5*a.curvature*x*x
			for _, k := range a.kinks {
				v -= a.drop * max(0, x-k)
			}
			return v
		}
		at, gain := a.maximise()
		if at < 0 || at > a.limit {
			t.Fatalf("%+v: maximiser %v is out of range", a, at)
		}
		if v := value(at); math.Abs(v-gain) > 1e-12 {
			t.Fatalf("%+v: gain %v at %v, want %v", a, gain, at, v)
		}
		for k := range 201 {
			if v := value(a.limit * float64(k) / 200); v > gain+1e-12 {
				t.Fatalf("%+v: gain %v at %v, but %v at %v", a, gain, at, v, a.limit*float64(k)/200)
			}
		}
	}
}

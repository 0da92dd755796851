package svm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRectangleMatchesActiveSets compares the closed form for two variables with denseQP and with a
// grid.
func TestRectangleMatchesActiveSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for trial := range 3000 {
		p := newDenseQP(2, false)
		randomQP(rng, p, 1+trial%2, 1)
		r := rectangle{
			x:  [2]float64{p.b[0], p.b[1]},
			k:  [3]float64{p.k.Data[0], p.k.Data[1], p.k.Data[3]},
			lo: [2]float64{-p.lo[0], -p.lo[1]},
			hi: [2]float64{p.hi[0], p.hi[1]},
		}
		if trial%7 == 0 {
			r.k, r.x[0] = [3]float64{}, 0
			clear(p.k.Data)
			p.b[0] = 0
		}
		want := p.solve()
		a, b := r.solve()
		if a < -r.lo[0] || a > r.hi[0] || b < -r.lo[1] || b > r.hi[1] {
			t.Fatalf("trial %d: (%g, %g) is outside %+v", trial, a, b, r)
		}
		got := r.gain(a, b)
		if math.Abs(got-want) > 1e-9*max(1, want) {
			t.Fatalf("trial %d: gain %v at (%g, %g), want %v at %v", trial, got, a, b, want, p.z)
		}
		for i := range 11 {
			for j := range 11 {
				p := -r.lo[0] + float64(i)/10*(r.lo[0]+r.hi[0])
				q := -r.lo[1] + float64(j)/10*(r.lo[1]+r.hi[1])
				if g := r.gain(p, q); g > got+1e-9 {
					t.Fatalf("trial %d: gain %v at (%g, %g), but %v at (%g, %g)", trial, got, a, b, g, p, q)
				}
			}
		}
	}
}

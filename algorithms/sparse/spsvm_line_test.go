package sparse

import (
	"math"
	"testing"
)

// TestHingeLine compares the minimum along a line with a search by golden
// section.
func TestHingeLine(t *testing.T) {
	rng := basisRand(14)
	for trial := range 300 {
		n := 1 + rng.IntN(12)
		l := hingeLine{c: math.Pow(10, float64(rng.IntN(5)-2)), curvature: rng.Float64(), slope: rng.NormFloat64(), slack: make([]float64, n), s: make([]float64, n)}
		for i := range n {
			l.slack[i], l.s[i] = 2*rng.NormFloat64(), rng.NormFloat64()
		}
		if trial%7 == 0 {
			l.slope = 0
		}
		plain := func(t float64) float64 {
			f := l.curvature*t*t/2 + l.slope*t
			for i, x := range l.slack {
				r := max(x-t*l.s[i], 0)
				f += l.c / 2 * r * r
			}
			return f
		}
		got, decrease := l.minimise([]float64{0, 1, -3}[trial%3])
		want := goldenSection(plain, -1e4, 1e4)
		if plain(got) > plain(want)+1e-9*(1+math.Abs(plain(want))) {
			t.Fatalf("trial %d: minimum %v at %v, want %v at %v", trial, plain(got), got, plain(want), want)
		}
		if d := plain(0) - plain(got); math.Abs(d-decrease) > 1e-9*(1+math.Abs(plain(0))) {
			t.Fatalf("trial %d: decrease %v, want %v", trial, decrease, d)
		}
		_, first, second := l.at(0.3)
		const h = 1e-6
		if d := (plain(0.3+h) - plain(0.3-h)) / (2 * h); math.Abs(d-first) > 1e-4*(1+math.Abs(d)) {
			t.Fatalf("trial %d: derivative %v, want %v", trial, first, d)
		}
		if d := (plain(0.3+1e-4) - 2*plain(0.3) + plain(0.3-1e-4)) / 1e-8; math.Abs(d-second) > 1e-2*(1+math.Abs(d)) {
			t.Fatalf("trial %d: second derivative %v, want %v", trial, second, d)
		}
	}
	if v, d := (&hingeLine{c: 1, slack: []float64{-1}, s: []float64{1}}).minimise(1); v != 0 || d != 0 {
		t.Errorf("a flat line: %v, %v", v, d)
	}
}

func goldenSection(f func(float64) float64, lo, hi float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	x, y := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	fx, fy := f(x), f(y)
	for range 70 {
		if fx < fy {
			hi, y, fy = y, x, fx
			x = hi - ratio*(hi-lo)
			fx = f(x)
		} else {
			lo, x, fx = x, y, fy
			y = lo + ratio*(hi-lo)
			fy = f(y)
		}
	}
	return (lo + hi) / 2
}

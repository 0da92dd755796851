package sparse

import (
	"math"
	"testing"
)

// TestLineSearch compares the minimum along a line with a search by golden
// section.
func TestLineSearch(t *testing.T) {
	rng := basisRand(14)
	for trial := range 300 {
		n := 1 + rng.IntN(12)
		q := primal{c: math.Pow(10, float64(rng.IntN(5)-2)), margin: make([]float64, n)}
		curvature, slope, s := rng.Float64(), rng.NormFloat64(), make([]float64, n)
		for i := range n {
			q.margin[i], s[i] = 1-2*rng.NormFloat64(), rng.NormFloat64()
		}
		if trial%7 == 0 {
			slope = 0
		}
		plain := func(t float64) float64 {
			f := curvature*t*t/2 + slope*t
			for i, x := range q.margin {
				r := max(1-x-t*s[i], 0)
				f += q.c / 2 * r * r
			}
			return f
		}
		got, decrease := q.lineSearch(s, slope, curvature)
		want := goldenSection(plain, -1e4, 1e4)
		if plain(got) > plain(want)+1e-9*(1+math.Abs(plain(want))) {
			t.Fatalf("trial %d: minimum %v at %v, want %v at %v", trial, plain(got), got, plain(want), want)
		}
		if d := plain(0) - plain(got); math.Abs(d-decrease) > 1e-9*(1+math.Abs(plain(0))) {
			t.Fatalf("trial %d: decrease %v, want %v", trial, decrease, d)
		}
	}
	if v, d := (&primal{c: 1, margin: []float64{2}}).lineSearch([]float64{1}, 0, 0); v != 0 || d != 0 {
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

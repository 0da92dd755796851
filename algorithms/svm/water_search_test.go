package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestWaterSearch: along a random walk of the responses the searches that start
// from the last levels find what a search from scratch does.
func TestWaterSearch(t *testing.T) {
	t.Parallel()
	const np, n, all = 300, 1100, 1200
	for _, bias := range []bool{false, true} {
		for _, rounded := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(6, 1))
			u, v := make([]float64, all), make([]float64, all)
			w := newWater(u[:np], u[np:n], bias)
			row := make([]float32, all)
			naive := make([]float64, all)
			scale, volume := 1.0, 0.0
			for step := range 1500 {
				// The walk dries up, rains, and is scaled now and then.
				switch {
				case step%200 == 0:
					volume = 0
				case step%50 == 1:
					volume = math.Ldexp(rng.Float64(), rng.IntN(18)-4) * scale
				case step%97 == 0:
					for j := range u {
						u[j] *= 0.25
						naive[j] *= 0.25
					}
					w.rescale(0.25)
					scale, volume = scale/4, volume/4
				}
				c := make([]float64, n)
				for i := range c {
					c[i] = u[i]
					if i >= np {
						c[i] = -c[i]
					}
				}
				i := w.sample(volume, rng)
				tol := 1e-10 * (1 + spread(c))
				checkSearch(t, &w, c, volume, i, tol)
				if !slices.Equal(u, naive) {
					t.Fatal("the responses are not the sums of the rows")
				}
				d := scale * (2*rng.Float64() - 0.8)
				near := rng.Float32()
				for j := range row {
					row[j] = near * rng.Float32()
					if rounded {
						d = scale / 4
						row[j] = float32(rng.IntN(3))
					}
					naive[j] += float64(d * float64(row[j]))
				}
				w.rise(u, d, v, 2*d, row, 2)
			}
			for j := range u {
				if !rounded && math.Abs(v[j]) < 1e-300 {
					t.Fatal("the second vector has not moved")
				}
			}
		}
	}
}

// checkSearch checks the levels and the counts of w against the heights c of
// the points, and that point i may be drawn.
func checkSearch(t *testing.T, w *water, c []float64, volume float64, i int, tol float64) {
	t.Helper()
	np := len(w.basins[0].u)
	if i < 0 || i >= len(c) {
		t.Fatalf("point %d of %d drawn", i, len(c))
	}
	if !w.bias {
		want, _ := WaterLevel(c, volume)
		if c[i] > want+tol {
			t.Fatalf("a point of height %g drawn, the level is %g", c[i], want)
		}
		if got := w.basins[0].guess; !closeTo(got, want, tol) {
			t.Fatalf("level %v, want %v", got, want)
		}
		if got, want := w.basins[0].count+w.basins[1].count, countBelow(c, w.basins[0].guess); got != want {
			t.Fatalf("%d points under water, want %d", got, want)
		}
		return
	}
	gamma, b, _ := WaterLevelBias(c[:np], c[np:], volume)
	for k, x := range [][]float64{c[:np], c[np:]} {
		want := gamma - b
		if k == 1 {
			want = gamma + b
		}
		s := &w.basins[k].near
		if !closeTo(s.level, want, tol) {
			t.Fatalf("class %d: level %v, want %v", k, s.level, want)
		}
		touching := 0
		for _, v := range x {
			if v == s.level {
				touching++
			}
		}
		if under := countBelow(x, s.level); s.under != under || s.touching != touching {
			t.Fatalf("class %d: %d points under water and %d at the surface, want %d and %d", k, s.under, s.touching, under, touching)
		}
		if (i >= np) == (k == 1) && c[i] > want+tol {
			t.Fatalf("a point of height %g drawn, the level of its class is %g", c[i], want)
		}
	}
}

// TestWaterSearchBands: the search does not fall back on looking at all heights
// where they change little.
func TestWaterSearchBands(t *testing.T) {
	const np, n = 3000, 9000
	rng := rand.New(rand.NewPCG(7, 1))
	u, v := make([]float64, n), make([]float64, n)
	for j := range u {
		u[j] = rng.NormFloat64()
	}
	w := newWater(u[:np], u[np:], true)
	row := make([]float32, n)
	for step := range 300 {
		w.sample(500, rng)
		for c := range w.basins {
			if s := len(w.basins[c].near.heights); step > 20 && (s == 0 || s > 600) {
				t.Fatalf("step %d: %d heights in the band of class %d", step, s, c)
			}
			w.basins[c].near.heights = w.basins[c].near.heights[:0]
		}
		for j := range row {
			row[j] = rng.Float32()
		}
		w.rise(u, 0.02*rng.NormFloat64(), v, 0, row, 1)
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

package sparse

import (
	"math"
	"slices"
	"testing"
)

// TestDesign compares products with those of the rows, while the matrix grows.
func TestDesign(t *testing.T) {
	rng := basisRand(21)
	for _, n := range []int{1, 255, 256, 257, 700} {
		const most = 41
		r := newDesign(n, most)
		var rows [][]float32
		for m := 1; m <= most; m += 1 + m%4 {
			for len(rows) < m {
				row := make([]float32, n)
				for i := range row {
					row[i] = float32(rng.NormFloat64())
				}
				rows = append(rows, row)
			}
			r.add(rows[r.m:]...)
			if r.stride > padded(most) || r.width() > r.stride || r.m != m {
				t.Fatalf("n = %d: m = %d, width %d, stride %d", n, r.m, r.width(), r.stride)
			}
			x, w := make([]float64, r.width()), make([]float64, n)
			for k := range m {
				x[k] = rng.NormFloat64()
			}
			for i := range w {
				if rng.IntN(3) > 0 {
					w[i] = rng.NormFloat64()
				}
			}
			times, sum := make([]float64, n), make([]float64, r.width())
			r.timesTo(times, x)
			r.sumTo(sum, w)
			normal, on, weights := make([]float64, r.width()), make([]bool, n), make([]float64, n)
			for i, v := range w {
				if on[i] = v > 0; on[i] {
					weights[i] = times[i]
				}
			}
			r.normalTo(normal, x, on)
			again := make([]float64, r.width())
			r.sumTo(again, weights)
			if !slices.Equal(normal, again) {
				t.Fatalf("n = %d, m = %d: R_I R_I'x is %v, want %v", n, m, normal, again)
			}
			for i := range n {
				var want float64
				for k, row := range rows {
					want += x[k] * float64(row[i])
				}
				if math.Abs(times[i]-want) > 1e-12*(1+float64(m)) {
					t.Fatalf("n = %d, m = %d: point %d has %v, want %v", n, m, i, times[i], want)
				}
			}
			for k, got := range sum {
				var want float64
				if k < m {
					for i, v := range w {
						want += v * float64(rows[k][i])
					}
				}
				if math.Abs(got-want) > 1e-12*(1+float64(n)) {
					t.Fatalf("n = %d, m = %d: function %d has %v, want %v", n, m, k, got, want)
				}
			}
		}
	}
}

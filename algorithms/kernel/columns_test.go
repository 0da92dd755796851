package kernel

import (
	"math"
	"runtime"
	"slices"
	"testing"
)

// TestWidePoints checks that the memory and the rows of points do not depend on their largest
// feature.
func TestWidePoints(t *testing.T) {
	const wide = math.MaxInt32
	rng := random(5)
	for name, value := range map[string]func() float64{
		"bits":   func() float64 { return 1 },
		"sparse": rng.NormFloat64,
	} {
		narrow := makeSparse(rng, 40, 30, 6, value)
		stretched := &data{d: wide, values: narrow.values}
		for _, row := range narrow.indices {
			var far []int32
			for _, f := range row {
				far = append(far, wide-1-int32(narrow.d-1-int(f))*1000)
			}
			stretched.indices = append(stretched.indices, far)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := NewPoints(stretched, all(40))
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
			t.Errorf("%s: %d bytes for 40 points", name, taken)
		}
		q, err := NewPoints(narrow, all(40))
		if err != nil {
			t.Fatal(err)
		}
		pool := NewPool(1 << 20)
		got, want := newCache(t, Gaussian{1}, p, 40, pool).Reader(), newCache(t, Gaussian{1}, q, 40, pool).Reader()
		for i := range 40 {
			if !slices.Equal(got.Row(i), want.Row(i)) {
				t.Errorf("%s: row %d differs from the row of narrow points", name, i)
			}
		}
	}
}

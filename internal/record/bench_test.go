package record

import (
	"fmt"
	"math"
	"testing"
)

// wideRun is a run of the size of many experiments: 19 columns of 20 points.
func wideRun(i int) Run {
	r := testRun(i)
	const points = 20
	r.Curve = Curve{Cost: map[string][]int64{}, Metrics: map[string]map[string][]float64{"train": {}, "test": {}}}
	for c := range 19 {
		counts, values := make([]int64, points), make([]float64, points)
		for p := range points {
			counts[p], values[p] = int64((p+1)*(c+7)), 1/math.Sqrt(float64(1+i%1000+p*p+c))
		}
		switch name := fmt.Sprintf("column%d", c); {
		case c == 0:
			r.Curve.Cost[CostIterations] = counts
		case c < 7:
			r.Curve.Cost[name] = counts
		default:
			r.Curve.Metrics[[]string{"train", "test"}[c%2]][name] = values
		}
	}
	return r
}

func BenchmarkReadDir60k(b *testing.B) {
	dir := b.TempDir()
	s := open(b, dir, Options{})
	for i := range 60000 {
		add(b, s, wideRun(i))
	}
	closeStore(b, s)
	b.Run("runs", func(b *testing.B) {
		for b.Loop() {
			if e := readDir(b, dir); len(e.Runs) != 60000 {
				b.Fatalf("%d runs", len(e.Runs))
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			closeStore(b, open(b, dir, Options{}))
		}
	})
}

// BenchmarkAdd counts the time until the runs are in the database.
func BenchmarkAdd(b *testing.B) {
	s := open(b, b.TempDir(), Options{})
	n := 0
	for b.Loop() {
		add(b, s, wideRun(n))
		n++
	}
	closeStore(b, s)
}

package compare

import (
	"math"
	"runtime"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/stats"
)

// A comparison does not keep the curves of a cell in memory.
func TestCurvesAreNotKept(t *testing.T) {
	// With one thread, only reachable memory remains after a collection.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const rows, points, curveBytes = 40, 10_000, 16 * 10_000
	reads, most := 0, uint64(0)
	read := func(place int) observe.Curve {
		c := observe.Curve{Finished: true, Floor: 1e-12, X: make([]float64, points), Y: make([]float64, points)}
		level := 1 + 0.1*math.Sin(float64(place))
		for i := range points {
			c.X[i], c.Y[i] = float64(i+1), level/float64(i+1)
		}
		c.End = points
		if reads++; reads%20 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		return c
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := &cell{pool: stats.PlainPool(rows, rows, true), counters: &counters{}}
	s.eachCurve = func(do func(place int, c observe.Curve)) {
		for place := range 2 * rows {
			do(place, read(place))
		}
	}
	s.measure(Options{Alpha: 0.05, Tolerance: 0.05, At: []float64{10, 100}, Targets: []float64{0.01}})
	if len(s.quantities) != 4 || reads < 4*rows {
		t.Fatalf("%d measures from %d reads", len(s.quantities), reads)
	}
	for i, want := range []float64{1.0 / 10, 1.0 / 100, 100} {
		if got := math.Exp(s.quantities[i].values[0]); !near(got, want) {
			t.Errorf("measure %d of the first run is %v, want %v", i, got, want)
		}
	}
	if kept := (float64(most) - float64(before.HeapAlloc)) / curveBytes; kept > 10 {
		t.Errorf("%.0f of %d curves are in memory", kept, 2*rows)
	}
	runtime.KeepAlive(s)
}

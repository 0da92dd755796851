package plots

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// curveRun returns a run with the metric m on the split "test".
func curveRun(x []int64, y ...float64) record.Run {
	return record.Run{Status: record.StatusFinished, Curve: record.Curve{
		Cost:    map[string][]int64{"iterations": x},
		Metrics: map[string]map[string][]float64{"test": {"m": y}},
	}}
}

func withCost(r record.Run, cost ...int64) record.Run {
	r.Curve.Cost["sum_kt2"] = cost
	return r
}

// averaged returns the mean of runs with the band from minimum to maximum.
func averaged(t *testing.T, x string, runs ...record.Run) (ChartCurve, []string) {
	t.Helper()
	mean, warnings, err := Panel{X: x, Y: "m", Band: BandMinMax}.average(runs, "test")
	if err != nil {
		t.Fatal(err)
	}
	return mean, warnings
}

func equal(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(a)) }

func TestAverageOnTheSameGrid(t *testing.T) {
	t.Parallel()
	x := []int64{1, 10, 100}
	runs := []record.Run{curveRun(x, 1, 4, 0.1), curveRun(x, 3, 2, 0.1), curveRun(x, 2, 9, 0.1)}
	mean, _, err := Panel{X: "iterations", Y: "m", Band: BandQuantiles}.average(runs, "test")
	if err != nil || mean.N != 3 || !slices.Equal(mean.X, []float64{1, 10, 100}) || !slices.Equal(mean.Y, []float64{2, 5, 0.1}) ||
		!slices.Equal(mean.Lo, []float64{1.2, 2.4, 0.1}) || !slices.Equal(mean.Hi, []float64{2.8, 8, 0.1}) {
		t.Errorf("got %+v, %v", mean, err)
	}
	if !slices.Equal(runs[0].Curve.Metrics["test"]["m"], []float64{1, 4, 0.1}) {
		t.Error("average changed the records")
	}
	runs[2].Seed++
	if _, warnings := averaged(t, "iterations", runs...); len(warnings) != 1 {
		t.Errorf("warnings %q", warnings)
	}
}

func TestRunsThatCannotBeAveraged(t *testing.T) {
	t.Parallel()
	for name, runs := range map[string][]record.Run{
		"do not overlap in iterations": {curveRun([]int64{1, 2}, 1, 2), curveRun([]int64{3, 4}, 1, 2)},
		`1 values of "m" and 2 of`:     {curveRun([]int64{1, 2}, 1)},
	} {
		if _, _, err := (Panel{X: "iterations", Y: "m"}).average(runs, "test"); err == nil {
			t.Errorf("no error where runs %s", name)
		}
	}
}

// plainInterpolate interpolates a curve at one point, by search from the end.
func plainInterpolate(x, y []float64, at float64) float64 {
	for i := len(x) - 1; i >= 0; i-- {
		if x[i] == at || (x[i] < at && i == len(x)-1) {
			return y[i]
		}
		if x[i] < at {
			w := (x[i+1] - at) / (x[i+1] - x[i])
			return w*y[i] + (1-w)*y[i+1]
		}
	}
	return math.NaN()
}

func TestAverageAgainstPlain(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var runs []record.Run
		for repeat := range 1 + rng.IntN(6) {
			n := 1 + rng.IntN(30)
			it, cost, y := make([]int64, n), make([]int64, n), make([]float64, n)
			var c int64
			for i := range n {
				it[i] = int64(i + 1)
				c += int64(rng.IntN(5))
				cost[i], y[i] = c, rng.NormFloat64()
			}
			r := withCost(curveRun(it, y...), cost...)
			r.Repeat = repeat
			runs = append(runs, r)
		}
		lo, hi := math.Inf(-1), math.Inf(1)
		shortest, longest := math.MaxInt, 0
		for _, r := range runs {
			c := r.Curve.Cost["sum_kt2"]
			lo, hi = max(lo, float64(c[0])), min(hi, float64(c[len(c)-1]))
			shortest, longest = min(shortest, len(c)), max(longest, len(c))
		}
		if lo > hi {
			continue
		}
		b, warnings := averaged(t, "sum_kt2", runs...)
		if b.N != len(runs) || len(b.X) > max(longest, 2) || (len(warnings) == 1) != (shortest < longest) {
			t.Fatalf("%d runs and %d points of %d and %d, %q", b.N, len(b.X), len(runs), longest, warnings)
		}
		if len(runs) > 1 && (b.X[0] != lo || b.X[len(b.X)-1] != hi) {
			t.Fatalf("grid from %v to %v, want %v to %v", b.X[0], b.X[len(b.X)-1], lo, hi)
		}
		if len(runs) == 1 {
			continue
		}
		for i, at := range b.X {
			if i > 0 && at <= b.X[i-1] {
				t.Fatalf("grid %v does not increase", b.X)
			}
			var v []float64
			var sum float64
			for _, r := range runs {
				x := make([]float64, r.Curve.Len())
				for k, c := range r.Curve.Cost["sum_kt2"] {
					x[k] = float64(c)
				}
				v = append(v, plainInterpolate(x, r.Curve.Metrics["test"]["m"], at))
				sum += v[len(v)-1]
			}
			if !equal(b.Y[i], sum/float64(len(v))) || !equal(b.Lo[i], slices.Min(v)) || !equal(b.Hi[i], slices.Max(v)) {
				t.Fatalf("at %v: got %v in [%v, %v] of %v", at, b.Y[i], b.Lo[i], b.Hi[i], v)
			}
			if !(b.Lo[i] <= b.Y[i] && b.Y[i] <= b.Hi[i]) {
				t.Fatalf("at %v: out of order", at)
			}
		}
	}
}

// A solver that is timed as a whole gives runs of one point each at different costs.
func TestRunsOfOnePointAreDrawnAsPoints(t *testing.T) {
	t.Parallel()
	var runs []record.Run
	for i, x := range []int64{7, 3, 5} {
		r := curveRun([]int64{x}, float64(x)/10)
		r.Repeat, r.Series = i, "solver"
		runs = append(runs, r)
	}
	figure := Figure{ID: "f", Panel: Panel{X: "iterations", Y: "m", Split: "test"}}
	chart, err := Compose(figure, Input{Choice: selection.All(runs)})
	if err != nil {
		t.Fatal(err)
	}
	curves := chart.Panels[0][0].Curves
	if len(chart.Warnings) != 0 || len(curves) != 1 || !chart.Keys[0].PointsOnly {
		t.Fatalf("curves %+v, keys %+v, warnings %q", curves, chart.Keys, chart.Warnings)
	}
	if c := curves[0]; !c.Points || c.N != 1 || !slices.Equal(c.X, []float64{3, 5, 7}) || !slices.Equal(c.Y, []float64{0.3, 0.5, 0.7}) {
		t.Errorf("got %+v", c)
	}
}

package selection

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/stats"
)

// curveRun returns a run with one metric on the split "test".
func curveRun(x []int64, y ...float64) record.Run {
	r := testRun(0)
	r.Curve = record.Curve{
		Cost:    map[string][]int64{"iterations": x},
		Metrics: map[string]map[string][]float64{"test": {"m": y}},
	}
	return r
}

func withCost(r record.Run, cost ...int64) record.Run {
	r.Curve.Cost["sum_kt2"] = cost
	return r
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(a)) }

func TestAggregateSameGrid(t *testing.T) {
	x := []int64{1, 10, 100}
	runs := []record.Run{curveRun(x, 1, 4, 0.1), curveRun(x, 3, 2, 0.1), curveRun(x, 2, 9, 0.1)}
	for i := range runs {
		runs[i].Repeat = i
	}
	b, err := Aggregate(runs, "iterations", "test", "m")
	if err != nil {
		t.Fatal(err)
	}
	want := Band{
		X: []float64{1, 10, 100}, Mean: []float64{2, 5, 0.1},
		Lo: []float64{1.2, 2.4, 0.1}, Hi: []float64{2.8, 8, 0.1},
		Min: []float64{1, 2, 0.1}, Max: []float64{3, 9, 0.1}, N: 3,
	}
	if !reflect.DeepEqual(b, want) {
		t.Errorf("got %+v, want %+v", b, want)
	}
	if !reflect.DeepEqual(runs[0].Curve.Metrics["test"]["m"], []float64{1, 4, 0.1}) {
		t.Error("the records were changed")
	}
}

func TestAggregateLeavesOut(t *testing.T) {
	x := []int64{1, 2}
	bad, worse, other := curveRun(x, math.NaN(), 1), curveRun(nil), curveRun(x, 1, 2)
	bad.Status, bad.Reason, bad.Repeat = record.StatusDiverged, "Inf", 7
	worse.Status, worse.Reason, worse.Repeat = record.StatusFailed, "panic", 8
	other.Curve.Metrics["test"] = map[string][]float64{"n": {1, 2}}
	other.Repeat = 9
	b, err := Aggregate([]record.Run{bad, curveRun(x, 1, 2), worse, other, curveRun(x, 3, 4)}, "iterations", "test", "m")
	if err != nil {
		t.Fatal(err)
	}
	if b.N != 2 || !slices.Equal(b.Mean, []float64{2, 3}) || len(b.Warnings) != 3 {
		t.Errorf("got %+v", b)
	}
	wantWarning(t, b.Warnings, "1 of 5 runs diverged and are left out", "repeat 7")
	wantWarning(t, b.Warnings, "1 of 5 runs failed and are left out", "repeat 8")
	wantWarning(t, b.Warnings, `1 of 5 runs did not record "m" on split "test"`, "repeat 9")
}

func TestAggregateErrors(t *testing.T) {
	x := []int64{1, 2}
	bad := curveRun(x, 1, 2)
	bad.Status = record.StatusDiverged
	ragged := curveRun(x, 1)
	for _, c := range []struct {
		name  string
		runs  []record.Run
		x     string
		split string
		want  string
	}{
		{"none", nil, "iterations", "test", "no runs"},
		{"all diverged", []record.Run{bad}, "iterations", "test", "1 of 1 runs diverged"},
		{"counter", []record.Run{curveRun(x, 1, 2)}, "kernel_evals", "test", `no counter "kernel_evals"; it has "iterations"`},
		{"split", []record.Run{curveRun(x, 1, 2)}, "iterations", "train", `did not record "m" on split "train"`},
		{"disjoint", []record.Run{curveRun([]int64{1, 2}, 1, 2), curveRun([]int64{3, 4}, 1, 2)}, "iterations", "test", "do not overlap in iterations"},
		{"ragged", []record.Run{ragged}, "iterations", "test", `1 values of "m"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Aggregate(c.runs, c.x, c.split, "m")
			wantError(t, err, c.want)
		})
	}
}

func TestAggregateNeverExtrapolates(t *testing.T) {
	b, err := Aggregate([]record.Run{
		curveRun([]int64{1, 2, 4, 8, 16}, 1, 2, 4, 8, 16),
		curveRun([]int64{1, 2, 4, 7}, 1, 2, 4, 7),
		curveRun([]int64{2, 4, 8}, 2, 4, 8),
	}, "iterations", "test", "m")
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{2, 4, 7}; !slices.Equal(b.X, want) || !slices.Equal(b.Mean, want) || !slices.Equal(b.Min, want) || !slices.Equal(b.Max, want) {
		t.Errorf("got %+v", b)
	}
	wantWarning(t, b.Warnings, "runs differ in length", "cut at iterations = 7", "at 16")
}

func TestAggregateInterpolates(t *testing.T) {
	it := []int64{1, 2, 3, 4}
	runs := []record.Run{
		withCost(curveRun(it, 0, 10, 20, 40), 0, 10, 20, 40),
		withCost(curveRun(it, 0, 5, 20, 30), 0, 5, 20, 30),
	}
	b, err := Aggregate(runs, "sum_kt2", "test", "m")
	if err != nil {
		t.Fatal(err)
	}
	// Both curves are the identity.
	if !slices.Equal(b.X, b.Mean) || !slices.Equal(b.X, b.Min) || !slices.Equal(b.X, b.Max) {
		t.Errorf("got %+v", b)
	}
	if b.X[0] != 0 || b.X[len(b.X)-1] != 30 || len(b.X) != 4 || len(b.Warnings) != 0 {
		t.Errorf("grid %v, warnings %q", b.X, b.Warnings)
	}

	// A jump at one x: the last value counts; before it, the line to its foot.
	jump := []record.Run{
		withCost(curveRun(it, 0, 8, 100, 100), 0, 8, 8, 16),
		withCost(curveRun(it, 0, 4, 8, 16), 0, 4, 8, 16),
	}
	if b, err = Aggregate(jump, "sum_kt2", "test", "m"); err != nil {
		t.Fatal(err)
	}
	if want := []float64{0, 4, 100, 100}; !slices.Equal(b.X, []float64{0, 4, 8, 16}) || !slices.Equal(b.Max, want) {
		t.Errorf("got %+v", b)
	}
}

// plainInterpolate is resample for one point, by search from the end.
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

func TestAggregateAgainstPlain(t *testing.T) {
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
		lo, hi, longest := math.Inf(-1), math.Inf(1), 2
		for _, r := range runs {
			c := r.Curve.Cost["sum_kt2"]
			lo, hi = max(lo, float64(c[0])), min(hi, float64(c[len(c)-1]))
			longest = max(longest, len(c))
		}
		b, err := Aggregate(runs, "sum_kt2", "test", "m")
		if lo > hi {
			wantError(t, err, "do not overlap")
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.N != len(runs) || len(b.X) > longest {
			t.Fatalf("%d runs and %d points of %d and %d", b.N, len(b.X), len(runs), longest)
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
			if !near(b.Mean[i], sum/float64(len(v))) || !near(b.Min[i], slices.Min(v)) || !near(b.Max[i], slices.Max(v)) {
				t.Fatalf("at %v: got %v in [%v, %v] of %v", at, b.Mean[i], b.Min[i], b.Max[i], v)
			}
			if !(b.Min[i] <= b.Lo[i] && b.Lo[i] <= b.Hi[i] && b.Hi[i] <= b.Max[i] && b.Min[i] <= b.Mean[i] && b.Mean[i] <= b.Max[i]) {
				t.Fatalf("at %v: out of order", at)
			}
		}
	}
}

func TestQuantile(t *testing.T) {
	v := []float64{1, 2, 4, 8, 16}
	for _, c := range []struct{ level, want float64 }{{0, 1}, {0.25, 2}, {0.5, 4}, {0.1, 1.4}, {0.9, 12.8}, {1, 16}} {
		if got := stats.Quantile(v, c.level); !near(got, c.want) {
			t.Errorf("level %v: got %v, want %v", c.level, got, c.want)
		}
	}
	if got := stats.Quantile([]float64{3}, 0.9); got != 3 {
		t.Errorf("of one value: %v", got)
	}
}

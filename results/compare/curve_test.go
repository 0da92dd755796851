package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/results/record"
)

func made(t *testing.T, xs []int64, ys []float64, reason string) *curve {
	t.Helper()
	r := record.Run{Status: record.StatusFinished, Reason: reason, Curve: record.Curve{
		Cost:    map[string][]int64{"iterations": xs},
		Metrics: map[string]map[string][]float64{"test": {"m": ys}},
	}}
	c, err := newCurve(r, lens{"m", "test", "iterations"})
	if err != nil {
		t.Fatal(err)
	}
	c.clamp(1e-9)
	return &c
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b)) }

func TestCurveValues(t *testing.T) {
	c := made(t, []int64{0, 0, 1, 4, 16}, []float64{9, 8, 4, 2, 1}, "budget")
	if len(c.x) != 4 || c.y[0] != 8 {
		t.Fatalf("points %v %v, want the last of those at one cost", c.x, c.y)
	}
	for x, want := range map[float64]float64{0.5: 8, 1: 4, 2: math.Sqrt(8), 4: 2, 8: math.Sqrt2, 16: 1} {
		if got := math.Exp(c.at(x)); !near(got, want) {
			t.Errorf("value at %v is %v, want %v", x, got, want)
		}
	}
	if c.start() != 1 || c.end() != 16 {
		t.Errorf("covers %v to %v, want 1 to 16", c.start(), c.end())
	}
	// Steps: ln 4 for the quarter up to 4, ln 2 for the next.
	if got, want := c.meanLog(1, 16, false), (math.Log(4)+math.Log(2))/2; !near(got, want) {
		t.Errorf("mean of steps %v, want %v", got, want)
	}
	// Lines: from ln 4 to ln 2 to 0, so ln 2 on average.
	if got, want := c.meanLog(1, 16, true), math.Ln2; !near(got, want) {
		t.Errorf("mean of lines %v, want %v", got, want)
	}
	if got, want := c.meanLog(2, 8, true), (math.Log(8)/2+math.Log(2))/4+(math.Log(2)+math.Log(2)/2)/4; !near(got, want) {
		t.Errorf("mean of lines within %v, want %v", got, want)
	}
	for _, tc := range []struct {
		target, step, line float64
		ok                 bool
	}{{8, 0, 0, true}, {4, 1, 1, true}, {math.Sqrt(8), 4, 2, true}, {1, 16, 16, true}, {0.5, 0, 0, false}} {
		step, ok := c.reaches(tc.target, false)
		line, _ := c.reaches(tc.target, true)
		if ok != tc.ok || step != tc.step || !near(line, tc.line) {
			t.Errorf("target %v: %v by steps, %v by lines, %v; want %+v", tc.target, step, line, ok, tc)
		}
	}
}

func TestConvergedCurvesStay(t *testing.T) {
	c := made(t, []int64{1, 10}, []float64{4, 2}, "converged: the gap is 0")
	if !math.IsInf(c.end(), 1) || !near(c.at(1000), math.Ln2) {
		t.Errorf("ends at %v with %v, want the last value for ever", c.end(), c.at(1000))
	}
	if got, want := c.meanLog(1, 100, false), (math.Log(4)+math.Log(2))/2; !near(got, want) {
		t.Errorf("mean %v, want %v", got, want)
	}
}

// A mean of steps is a Riemann sum, to which a fine one converges.
func TestMeanLogIsAnIntegral(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 20 {
		var xs []int64
		var ys []float64
		for x := int64(1); x < 3000; x += 1 + rng.Int64N(x) {
			xs, ys = append(xs, x), append(ys, math.Exp(rng.NormFloat64()))
		}
		c := made(t, xs, ys, "budget")
		lo, hi := 1.5, float64(xs[len(xs)-1])*0.9
		const n = 50000
		var steps, lines float64
		for i := range n {
			x := lo * math.Pow(hi/lo, (float64(i)+0.5)/n)
			steps += c.logy[c.before(x)] / n
			lines += c.at(x) / n
		}
		if got := c.meanLog(lo, hi, false); math.Abs(got-steps) > 4e-3 {
			t.Errorf("steps: %v, Riemann sum %v", got, steps)
		}
		if got := c.meanLog(lo, hi, true); math.Abs(got-lines) > 4e-3 {
			t.Errorf("lines: %v, Riemann sum %v", got, lines)
		}
	}
}

func TestFloors(t *testing.T) {
	sub := testRun("msg", 0, 3)
	errors := testRun("svm", 0, 1)
	errors.Rows = map[string]int64{"test": 250}
	errors.Curve.Metrics["test"] = map[string][]float64{"error": errors.Curve.Metrics["test"]["suboptimality"]}
	certified := changed([]record.Run{sub}, func(_ int, r *record.Run) {
		r.Curve.Metrics["state"] = r.Curve.Metrics["test"]
		r.Facts = map[string]float64{"reference_primal": 0.5, "reference_dual": 0.499}
	})[0]
	objective := changed([]record.Run{sub}, func(_ int, r *record.Run) {
		r.Curve.Metrics["test"]["objective"] = make([]float64, 10)
		r.Curve.Metrics["test"]["objective"][9] = -20
	})[0]
	for _, c := range []struct {
		name string
		o    Options
		l    lens
		run  record.Run
		want float64
	}{
		{"first value", Options{}, lens{"suboptimality", "test", ""}, sub, 3e-12},
		{"objective", Options{}, lens{"suboptimality", "test", ""}, objective, 20e-12},
		{"half an example", Options{}, lens{"error", "test", ""}, errors, 0.002},
		{"certificate", Options{}, lens{"suboptimality", "state", ""}, certified, 0.5 - 0.499},
		{"asked for", Options{Floor: 0.25}, lens{"error", "test", ""}, errors, 0.25},
	} {
		if got := floorOf(c.o, c.l, []record.Run{c.run}); !near(got, c.want) {
			t.Errorf("%s: floor %v, want %v", c.name, got, c.want)
		}
	}
}

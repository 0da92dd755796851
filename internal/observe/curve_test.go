package observe

import (
	"math"
	"testing"
)

func TestTargets(t *testing.T) {
	curve := Curve{X: []float64{1, 10, 100, 1000}, Y: []float64{0.5, 0.2, 0.3, 0.1}}
	for _, c := range []struct {
		target, at float64
		ok         bool
	}{{0.6, 1, true}, {0.5, 1, true}, {0.4, 10, true}, {0.2, 10, true}, {0.15, 1000, true}, {0.05, 0, false}} {
		if at, ok := curve.FirstAt(c.target); at != c.at || ok != c.ok {
			t.Errorf("FirstAt %v = %v, %v", c.target, at, ok)
		}
	}
	for _, c := range []struct {
		x, y float64
		ok   bool
	}{{math.NaN(), 0, false}, {0.5, 0, false}, {1, 0.5, true}, {9, 0.5, true}, {10, 0.2, true}, {5000, 0.1, true}} {
		if got, ok := curve.ValueAt(c.x); got != c.y || ok != c.ok {
			t.Errorf("ValueAt %v = %v, %v", c.x, got, ok)
		}
	}
}

func TestLineAt(t *testing.T) {
	c := Curve{X: []float64{1, 3, 3, 5}, Y: []float64{4, 2, 1, 0}}
	for x, want := range map[float64]float64{0: 4, 1: 4, 2: 3, 3: 1, 4: 0.5, 5: 0, 9: 0} {
		if got := c.LineAt(x); got != want {
			t.Errorf("at %v: %v, want %v", x, got, want)
		}
	}
}

func TestLogCurve(t *testing.T) {
	c := NewLogCurve(Curve{X: []float64{0, 0, 1, 4, 16}, Y: []float64{9, 8, 4, 2, 1}, Floor: 1e-9})
	if len(c.X) != 4 || c.Y[0] != 8 {
		t.Fatalf("points %v %v, want the last of those at one cost", c.X, c.Y)
	}
	for x, want := range map[float64]float64{0.5: 8, 1: 4, 2: math.Sqrt(8), 4: 2, 8: math.Sqrt2, 16: 1} {
		if got := math.Exp(c.At(x)); !near(got, want) {
			t.Errorf("value at %v is %v, want %v", x, got, want)
		}
	}
	if c.Start() != 1 || c.KnownTo() != 16 {
		t.Errorf("covers %v to %v, want 1 to 16", c.Start(), c.KnownTo())
	}
	// The logarithm decreases linearly from ln 4 to ln 2 to 0, so both means are ln 2.
	if whole, part := c.Mean(1, 16), c.Mean(2, 8); !near(whole, math.Ln2) || !near(part, math.Ln2) {
		t.Errorf("means %v and %v, want ln 2", whole, part)
	}
	for _, tc := range []struct {
		target, at float64
		ok         bool
	}{{8, 0, true}, {4, 1, true}, {math.Sqrt(8), 2, true}, {1, 16, true}, {0.5, 0, false}} {
		if at, ok := c.FirstAt(tc.target); ok != tc.ok || !near(at, tc.at) {
			t.Errorf("target %v: %v, %v; want %+v", tc.target, at, ok, tc)
		}
	}
	// A converged curve keeps its value.
	c = NewLogCurve(Curve{X: []float64{1, 10}, Y: []float64{4, 2}, Floor: 1e-9, Stays: true})
	if !math.IsInf(c.KnownTo(), 1) || !near(c.At(1000), math.Ln2) || !near(c.Mean(1, 100), 1.25*math.Ln2) {
		t.Errorf("ends at %v with %v, mean %v", c.KnownTo(), c.At(1000), c.Mean(1, 100))
	}
}

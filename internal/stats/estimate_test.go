package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestLeastRepeats(t *testing.T) {
	for _, c := range []struct {
		paired bool
		tests  int
		want   int
	}{
		{true, 1, 6},   // 2/2^6 = 0.031
		{true, 2, 7},   // 2/2^7 = 0.016
		{true, 16, 10}, // 2/2^10 = 0.0020
		{true, 30, 11},
		{false, 1, 4},  // 2/C(8, 4) = 0.029
		{false, 16, 6}, // 2/C(12, 6) = 0.0022
	} {
		if got := LeastRepeats(c.paired, 0.05, c.tests); got != c.want {
			t.Errorf("paired %v, %d tests: %d repeats, want %d", c.paired, c.tests, got, c.want)
		}
	}
}

// If the true ratio equals the tolerance, at most a fraction alpha/2 of the samples, one side of the
// interval, is found equivalent.
func TestFalseEquivalence(t *testing.T) {
	t.Parallel()
	o := Settings{Alpha: 0.05, Margin: math.Log1p(0.05)}
	const trials = 400
	for _, n := range []int{3, 6, 10} {
		rng := rand.New(rand.NewPCG(uint64(n), 23))
		equivalent := 0
		for range trials {
			values := make([]float64, 2*n)
			for i := range n {
				values[n+i] = o.Margin + 0.01*rng.NormFloat64()
			}
			o.Stream = fmt.Sprint(rng.Uint64())
			e := PlainPool(n, n, true).Estimate([][]float64{values}, o)[0]
			decision, _, _ := e.Decide(o)
			equivalent += boolean(decision == Equivalent)
		}
		// Two standard errors of 0.008 over 0.025.
		if share := float64(equivalent) / trials; share > 0.04 {
			t.Errorf("%d pairs: %.3f are found equivalent at the tolerance, want at most %v", n, share, o.Alpha/2)
		}
	}
}

// Resamples may select a candidate with an infinite value. Then the approximate interval is infinite,
// without NaN.
func TestBootstrapOfInfiniteValues(t *testing.T) {
	p := &Pool{Candidates: 2, Rows: [2]int{10, 10}, Paired: true, Approximate: true}
	var values []float64
	for row := range 20 {
		second := 0.5
		if row%10 < 4 {
			second = math.Inf(1)
		}
		p.Scores = append(p.Scores, 1, 1.01+0.3*float64(row%3-1))
		values = append(values, 0.01*float64(row%7), second)
	}
	e := p.Estimate([][]float64{values}, Settings{Alpha: 0.05})[0]
	if in := e.Interval(0.05); !math.IsInf(in.Lo, -1) || !math.IsInf(in.Hi, 1) {
		t.Errorf("interval %v", in)
	}
}

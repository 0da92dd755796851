package plots

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestLogAxisIgnoresRoundingErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		values []float64
		least  float64
	}{
		{"positive", []float64{1e-3, 0.5}, 1e-3},
		{"zero", []float64{0, 2e-3, 0.5}, 2e-3},
		{"rounding errors", []float64{-1e-17, 1e-17, 2e-3, 0.5}, 2e-3},
		{"not finite", []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1, 2}, 1},
	} {
		s := newAxis(tt.values, true)
		if n := s.Norm(tt.least); !(n > 0 && n < 0.2) {
			t.Errorf("%s: %g has the position %g", tt.name, tt.least, n)
		}
		for _, v := range tt.values {
			if below := v < tt.least; below != s.Beyond(v) && !math.IsInf(v, 1) || s.Norm(v) < -1-slack {
				t.Errorf("%s: %g has the position %g", tt.name, v, s.Norm(v))
			}
		}
	}
}

func TestLinearAxis(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		values   []float64
		min, max float64
	}{
		{nil, 0, 1},
		{[]float64{3, 10}, 0, 10.4},
		{[]float64{9, 10}, 8.96, 10.04},
		{[]float64{-10, 10}, -10.8, 10.8},
		{[]float64{5}, 4.5, 5.5},
		{[]float64{0}, 0, 0.5},
	} {
		s := newAxis(tt.values, false)
		if math.Abs(s.Min-tt.min) > 1e-9 || math.Abs(s.Max-tt.max) > 1e-9 {
			t.Errorf("%v: range %g to %g, want %g to %g", tt.values, s.Min, s.Max, tt.min, tt.max)
		}
	}
}

// value parses a tick label.
func value(t *testing.T, label string) float64 {
	t.Helper()
	l := strings.ReplaceAll(label, "·10", "e")
	if power, ok := strings.CutPrefix(l, "10"); ok && small.Replace(power) != power {
		l = "1e" + power
	}
	l = strings.ReplaceAll(small.Replace(l), "−", "-")
	v, err := strconv.ParseFloat(l, 64)
	if err != nil {
		t.Fatalf("tick label %q: %v", label, err)
	}
	return v
}

func TestTicks(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		values := []float64{math.Pow(10, 20*rng.Float64()-14), math.Pow(10, 20*rng.Float64()-14)}
		if rng.IntN(3) == 0 { // a narrow range
			values[1] = values[0] * (1 + rng.Float64())
		}
		log := rng.IntN(2) == 0
		s := newAxis(values, log)
		labels := 0
		last := math.Inf(-1)
		for _, k := range s.Ticks() {
			if n := s.Norm(k.Value); n < -1e-6 || n > 1+1e-6 {
				t.Fatalf("%v log=%v: tick %g is off the axis", values, log, k.Value)
			}
			if k.Value <= last {
				t.Fatalf("%v log=%v: ticks not in order at %g", values, log, k.Value)
			}
			last = k.Value
			if k.Label == "" {
				continue
			}
			labels++
			if v := value(t, string(k.Label)); math.Abs(v-k.Value) > 1e-6*math.Max(math.Abs(k.Value), s.Max-s.Min) {
				t.Fatalf("%v log=%v: tick at %g is labelled %q", values, log, k.Value, k.Label)
			}
		}
		if labels < 2 || labels > 10 {
			t.Fatalf("%v log=%v: %d labels", values, log, labels)
		}
	}
}

func TestTickLabels(t *testing.T) {
	t.Parallel()
	text := func(s ChartAxis) string {
		var labels []string
		for _, k := range s.Ticks() {
			if k.Label != "" {
				labels = append(labels, string(k.Label))
			}
		}
		return strings.Join(labels, " ")
	}
	for _, tt := range []struct {
		s    ChartAxis
		want string
	}{
		{ChartAxis{Log: true, Min: 1e-4, Max: 1}, "10⁻⁴ 10⁻³ 10⁻² 10⁻¹ 10⁰"},
		{ChartAxis{Log: true, Min: 0.15, Max: 0.9}, "0.2 0.5"},
		{ChartAxis{Log: true, Min: 1.5, Max: 60}, "2 5 10 20 50"},
		{ChartAxis{Log: true, Min: 0.9, Max: 9000}, "10⁰ 10¹ 10² 10³"},
		{ChartAxis{Log: true, Min: 900, Max: 11000}, "10³ 2·10³ 5·10³ 10⁴"},
		{ChartAxis{Min: 0, Max: 1e6}, "0 2·10⁵ 4·10⁵ 6·10⁵ 8·10⁵ 10⁶"},
		{ChartAxis{Min: -0.02, Max: 1.02}, "0.0 0.2 0.4 0.6 0.8 1.0"},
	} {
		if got := text(tt.s); got != tt.want {
			t.Errorf("%+v: ticks %s, want %s", tt.s, got, tt.want)
		}
	}
}

func TestAxesOfExtremeNumbers(t *testing.T) {
	const most, least = math.MaxFloat64, math.SmallestNonzeroFloat64
	for _, values := range [][]float64{
		{most}, {-most, most}, {least}, {-least, least}, {most, math.Nextafter(most, 0)}, {-most},
	} {
		for _, log := range []bool{false, true} {
			s := newAxis(values, log)
			ticks := linearTicks(s.Min, s.Max, maxLinearTicks)
			if log {
				ticks = logTicks(s.Min, s.Max, 0)
			}
			if !(s.Min < s.Max) || math.IsInf(s.Max-s.Min, 0) || len(ticks) > 100 {
				t.Errorf("%v, log %t: %v to %v with %d ticks", values, log, s.Min, s.Max, len(ticks))
			}
		}
	}
}

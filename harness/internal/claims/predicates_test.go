package claims

import (
	"math"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func TestOrder(t *testing.T) {
	t.Parallel()
	b := made{series: "b", of: noisy(0.05, falling(0.4))}.runs()
	a := func(spread float64, f func(float64) float64) []record.Run {
		return made{series: "a", of: func(x float64, repeat int) float64 {
			// Noise of its own besides what it shares with b.
			return noisy(0.05, f)(x, repeat) * noisy(spread, flat(1))(1, repeat+1)
		}}.runs()
	}
	crossing := func(x float64) float64 { // above b up to 10, below from there
		return 0.4 / math.Sqrt(x) * math.Pow(x/10, -0.3)
	}
	similar := Order{Ratio: 1.25, Least: 0.8}
	for _, tt := range []struct {
		name  string
		order Order
		a     []record.Run
		want  string
	}{
		{"similar", similar, a(0.02, falling(0.4)), Reproduced},
		{"far above", similar, a(0.02, falling(0.7)), NotReproduced},
		{"far below", similar, a(0.02, falling(0.2)), NotReproduced},
		{"about at the lower end", similar, a(0.02, falling(0.32)), Inconclusive},
		{"about at the upper end", similar, a(0.02, falling(0.5)), Inconclusive},
		{"no upper end", Order{Least: 1.05}, a(0.02, falling(200)), Reproduced},
		{"below the lower end", Order{Least: 1.05}, a(0.002, falling(0.404)), NotReproduced},
		{"below", Order{}, a(0.02, falling(0.3)), Reproduced},
		{"above", Order{}, a(0.02, falling(0.5)), NotReproduced},
		{"about equal", Order{}, a(0.2, falling(0.4)), Inconclusive},
		{"a tie", Order{}, a(0, falling(0.4)), Inconclusive},
		{"a tie, at the end", Order{Over: overEnd}, a(0, falling(0.4)), Inconclusive},
		{"a tie is similar", similar, a(0, falling(0.4)), Reproduced},
		{"below, but not by as much", Order{Ratio: 0.5}, a(0.02, falling(0.3)), NotReproduced},
		{"not much above", Order{Ratio: 1.5}, a(0.02, falling(0.5)), Reproduced},
		{"crossing, at the end", Order{Over: overEnd}, a(0.02, crossing), Reproduced},
		{"crossing, early", Order{Range: Range{Until: 5}}, a(0.02, crossing), NotReproduced},
		{"crossing, late", Order{Range: Range{From: 0.3}}, a(0.02, crossing), Reproduced},
		{"crossing, the first pass", Order{Range: Range{Passes: []float64{0, 0.1}}}, a(0.02, crossing), NotReproduced},
		{"crossing, the second pass", Order{Range: Range{Passes: []float64{1, 2}}}, a(0.02, crossing), Reproduced},
		{"kernel evaluations", Order{Curve: Curve{Cost: "kernel_evals"}}, a(0.02, falling(0.3)), Reproduced},
	} {
		v := judgeOne(t, claimOf(orderOf(tt.order)), Input{Choice: selection.All(join(tt.a, b))})
		wantOutcome(t, tt.name, v, tt.want)
	}
}

// The interval is that of Student's t on the logarithms, paired by repeat.
func TestOrderInterval(t *testing.T) {
	t.Parallel()
	ratios := []float64{0.8, 0.9, 0.85}
	a := made{series: "a", repeats: 3, of: func(x float64, repeat int) float64 { return ratios[repeat] * float64(repeat+1) / x }}.runs()
	b := made{series: "b", repeats: 3, of: func(x float64, repeat int) float64 { return float64(repeat+1) / x }}.runs()
	v := judgeOne(t, claimOf(Check{Order: &Order{Series: "a", Below: []string{"b"}}}), Input{Choice: selection.All(join(a, b))})
	e := v.Parts[0].Estimates[0]
	var mean, ss float64
	for _, r := range ratios {
		mean += math.Log(r) / 3
	}
	for _, r := range ratios {
		ss += (math.Log(r) - mean) * (math.Log(r) - mean)
	}
	half := 4.302652729911275 * math.Sqrt(ss/2/3) // t of 0.975 at 2 degrees of freedom
	for _, c := range [][2]float64{{e.Value, math.Exp(mean)}, {e.Lo, math.Exp(mean - half)}, {e.Hi, math.Exp(mean + half)}} {
		if math.Abs(c[0]-c[1]) > 1e-9 {
			t.Errorf("%s: %v, want %v", e, c[0], c[1])
		}
	}
	if e.N != 3 || e.Level != 0.95 || e.Wanted != "below 1" || e.Outcome != Reproduced || e.Name != "a / b, error over iterations" {
		t.Errorf("estimate %+v", e)
	}
}

// The mean weighs costs of equal ratio the same, whatever is recorded.
func TestOrderWeighsByRatio(t *testing.T) {
	t.Parallel()
	fine := made{series: "a", of: func(x float64, _ int) float64 {
		if x <= 10 {
			return 2
		}
		return 0.5
	}, points: []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 100}}.runs()
	b := made{series: "b", of: func(float64, int) float64 { return 1 }, points: []int64{1, 10, 11, 100}}.runs()
	v := judgeOne(t, claimOf(Check{Order: &Order{Series: "a", Below: []string{"b"}}}), Input{Choice: selection.All(join(fine, b))})
	// One decade at 2, one at 1/2, and between 10 and 11 a slope: about 1.
	if e := v.Parts[0].Estimates[0]; math.Abs(e.Value-1) > 0.05 {
		t.Errorf("%+v", e)
	}
}

// The end of the range is read off lines between the records, and the mean off lines in the logarithms of both:
// that of a power of the cost is exact, wherever the records are.
func TestOrderBetweenRecords(t *testing.T) {
	t.Parallel()
	line := func(x float64, _ int) float64 { return 1000 - 5*x }
	a := made{series: "a", of: line, points: []int64{1, 10, 100}}.runs()
	b := made{series: "b", of: func(x float64, r int) float64 { return 2 * line(x, r) }, points: []int64{1, 3, 20, 60, 100}}.runs()
	falling := func(level float64, points ...int64) []record.Run {
		series := map[float64]string{1: "a", 2: "b"}[level]
		return made{series: series, of: func(x float64, _ int) float64 { return level / math.Sqrt(x) }, points: points}.runs()
	}
	power := made{series: "a", of: func(x float64, _ int) float64 { return math.Sqrt(x) }}.runs()
	one := made{series: "b", of: func(float64, int) float64 { return 1 }}.runs()
	for _, tt := range []struct {
		name string
		runs []record.Run
		over string
		want float64
	}{
		{"powers at other costs", join(falling(1, 1, 10, 100), falling(2, 1, 3, 20, 60, 100)), "", 0.5},
		{"linear, end", join(a, b), overEnd, 0.5},
		{"power", join(power, one), "", math.Sqrt(10)},
		{"power, end", join(power, one), overEnd, 10},
	} {
		v := judgeOne(t, claimOf(Check{Order: &Order{Series: "a", Below: []string{"b"}, Over: tt.over}}), Input{Choice: selection.All(tt.runs)})
		if len(v.Parts[0].Estimates) != 1 {
			t.Fatalf("%s: %+v", tt.name, v)
		}
		if e := v.Parts[0].Estimates[0]; math.Abs(e.Value-tt.want) > 1e-9 {
			t.Errorf("%s: %s, want %v", tt.name, e, tt.want)
		}
	}
}

func TestReaches(t *testing.T) {
	t.Parallel()
	// 0.04 at the end, 0.05 at 64
	for _, tt := range []struct {
		name string
		r    Reaches
		want string
	}{
		{"reached", Reaches{Value: is(0.06)}, Reproduced},
		{"not reached", Reaches{Value: is(0.02)}, NotReproduced},
		{"about", Reaches{Value: is(0.04)}, Inconclusive},
		{"not so early", Reaches{Value: is(0.06), Within: isp(10)}, NotReproduced},
		{"early enough", Reaches{Value: is(0.06), Within: isp(70)}, Reproduced},
		{"not yet, and the run is over", Reaches{Value: is(0.02), Within: isp(1000)}, Inconclusive},
		{"none of zero", Reaches{Value: is(0)}, NotReproduced},
		{"a fact", Reaches{Value: Value{Fact: "reference_error", Times: 1.5}}, Reproduced},
		{"a fact, and more", Reaches{Value: Value{Fact: "reference_error", Plus: -0.02}}, NotReproduced},
		{"its own final", Reaches{Value: Value{Of: &Reading{Series: "a"}, Times: 1.1}}, Reproduced},
		{"within what it takes", Reaches{Value: is(0.06), Within: &Value{Of: &Reading{Series: "a", Read: readCostTo, Target: isp(0.06)}}}, Reproduced},
	} {
		tt.r.Series = "a"
		runs := made{series: "a", of: noisy(0.05, falling(0.4)), facts: map[string]float64{"reference_error": 0.04}}.runs()
		wantOutcome(t, tt.name, judgeOne(t, claimOf(Check{Reaches: &tt.r}), Input{Choice: selection.All(runs)}), tt.want)
	}
	// What has converged will not get there.
	done := made{series: "a", of: noisy(0.05, falling(0.4)), reason: "converged: gap 0"}.runs()
	r := &Reaches{Series: "a", Value: is(0.02), Within: isp(1000)}
	wantOutcome(t, "converged", judgeOne(t, claimOf(Check{Reaches: r}), Input{Choice: selection.All(done)}), NotReproduced)
}

func TestStays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		s    Stays
		want string
	}{
		{"above", Stays{Above: is(0.03)}, Reproduced},
		{"not above", Stays{Above: is(0.06)}, NotReproduced},
		{"about", Stays{Above: is(0.04)}, Inconclusive},
		{"above, early", Stays{Above: is(0.06), Range: Range{Until: 16}}, Reproduced},
		{"above zero", Stays{Above: is(0)}, Reproduced},
	} {
		tt.s.Series = "a"
		runs := made{series: "a", of: noisy(0.05, falling(0.4))}.runs()
		wantOutcome(t, tt.name, judgeOne(t, claimOf(Check{Stays: &tt.s}), Input{Choice: selection.All(runs)}), tt.want)
	}
}

func TestRatio(t *testing.T) {
	t.Parallel()
	a := made{series: "a", of: noisy(0.05, falling(0.4)), points: []int64{1, 4, 16, 64}}.runs()
	b := made{series: "b", of: noisy(0.08, falling(0.8))}.runs()
	cost := func(series string, target float64) Reading {
		return Reading{Series: series, Read: readCostTo, Target: isp(target)}
	}
	for _, tt := range []struct {
		name   string
		of, to Reading
		lo, hi *float64
		want   string
	}{
		{"final", Reading{Series: "a"}, Reading{Series: "b"}, ptr(0.5), ptr(0.8), Reproduced},
		{"not", Reading{Series: "a"}, Reading{Series: "b"}, ptr(1), nil, NotReproduced},
		{"about", Reading{Series: "a"}, Reading{Series: "b"}, ptr(0.625), nil, Inconclusive},
		{"costs", Reading{Series: "a", Read: readCost}, Reading{Series: "b", Read: readCost}, ptr(0.64), ptr(0.64), Reproduced},
		{"to a target", cost("a", 0.15), cost("b", 0.15), nil, ptr(0.9), Reproduced},
		{"the other never does", cost("a", 0.06), cost("b", 0.06), nil, ptr(0.9), Reproduced},
		{"the first never does", cost("b", 0.06), cost("a", 0.06), nil, ptr(0.9), NotReproduced},
		{"the first never does, at least", cost("b", 0.06), cost("a", 0.06), ptr(1.1), nil, Reproduced},
		{"the first never does, bounded", cost("b", 0.06), cost("a", 0.06), ptr(1.1), ptr(9), Inconclusive},
		{"none ever does", cost("b", 0.001), cost("a", 0.001), ptr(1.1), nil, Inconclusive},
		{"best of the first half", Reading{Series: "a", Read: readBest, Range: Range{To: 0.5}}, Reading{Series: "a"}, ptr(1.1), nil, Reproduced},
	} {
		v := judgeOne(t, claimOf(Check{Ratio: &Ratio{Of: tt.of, To: tt.to, Between: []*float64{tt.lo, tt.hi}}}), Input{Choice: selection.All(join(a, b))})
		wantOutcome(t, tt.name, v, tt.want)
	}
}

func TestLevel(t *testing.T) {
	t.Parallel()
	runs := made{
		series: "msg", metric: "rank", split: "state", params: record.Params{"k": int64(4)},
		of: func(x float64, repeat int) float64 { return 4 + x/100 + 0.01*float64(repeat) },
	}.runs()
	for _, tt := range []struct {
		name   string
		l      Level
		lo, hi *float64
		want   string
	}{
		{"final", Level{}, ptr(4.9), ptr(5.1), Reproduced},
		{"off", Level{}, nil, ptr(4.9), NotReproduced},
		{"about", Level{}, nil, ptr(5.015), Inconclusive},
		{"per k", Level{Per: "k"}, ptr(1.2), ptr(1.3), Reproduced},
		{"most", Level{Reading: Reading{Read: readMost}}, ptr(4.9), nil, Reproduced},
		{"least", Level{Reading: Reading{Read: readLeast}}, nil, ptr(4.1), Reproduced},
		{"mean over the cost", Level{Reading: Reading{Read: readMean}}, ptr(4.45), ptr(4.55), Reproduced},
		{"late", Level{Reading: Reading{Read: readMean, Range: Range{After: 50, Until: 100}}}, ptr(4.7), ptr(4.8), Reproduced},
	} {
		tt.l.Series, tt.l.Metric, tt.l.Between = "msg", "rank", []*float64{tt.lo, tt.hi}
		wantOutcome(t, tt.name, judgeOne(t, claimOf(Check{Level: &tt.l}), Input{Choice: selection.All(runs)}), tt.want)
	}
	same := made{series: "msg", metric: "rank", split: "state", of: func(float64, int) float64 { return 3 }}.runs()
	v := judgeOne(t, claimOf(Check{Level: &Level{Reading: Reading{Series: "msg", Curve: Curve{Metric: "rank"}}, Between: []*float64{ptr(3), ptr(3)}}}), Input{Choice: selection.All(same)})
	wantOutcome(t, "the same", v, Reproduced)
	if e := v.Parts[0].Estimates[0]; e.Exact != "the same in all 4 repeats" || e.Lo != 3 || e.Hi != 3 {
		t.Errorf("%+v", e)
	}
}

func TestPlateau(t *testing.T) {
	t.Parallel()
	stuck := func(x float64) float64 { return 0.2 + 0.5*math.Exp(-x/5) }
	a := made{series: "a", of: noisy(0.05, stuck)}.runs()
	for _, tt := range []struct {
		name string
		p    Plateau
		want string
	}{
		{"late", Plateau{Falls: 0.9, Range: Range{After: 32}}, Reproduced},
		{"from the beginning", Plateau{Falls: 0.9}, NotReproduced},
		{"and above", Plateau{Falls: 0.9, Range: Range{After: 32}, Above: isp(0.1)}, Reproduced},
		{"and not above", Plateau{Falls: 0.9, Range: Range{After: 32}, Above: isp(0.4)}, NotReproduced},
		{"and about above", Plateau{Falls: 0.9, Range: Range{After: 32}, Above: isp(0.2)}, Inconclusive},
	} {
		tt.p.Series = "a"
		wantOutcome(t, tt.name, judgeOne(t, claimOf(Check{Plateau: &tt.p}), Input{Choice: selection.All(a)}), tt.want)
	}
	// How far it falls differs by repeat.
	unclear := made{series: "a", of: func(x float64, repeat int) float64 { return math.Pow(x, -0.01*float64(repeat)) }}.runs()
	p := &Plateau{Series: "a", Falls: 0.93}
	wantOutcome(t, "unclear", judgeOne(t, claimOf(Check{Plateau: p}), Input{Choice: selection.All(unclear)}), Inconclusive)
}

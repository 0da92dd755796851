package claims

import (
	"cmp"
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
			// Independent noise in addition to the noise shared with b.
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
		{"no upper end", Order{Least: 1.05}, a(0.02, falling(200)), Reproduced},
		{"below", Order{}, a(0.02, falling(0.3)), Reproduced},
		{"above", Order{}, a(0.02, falling(0.5)), NotReproduced},
		{"about equal", Order{}, a(0.2, falling(0.4)), Inconclusive},
		{"a tie", Order{}, a(0, falling(0.4)), Inconclusive},
		{"below, but not by as much", Order{Ratio: 0.5}, a(0.02, falling(0.3)), NotReproduced},
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

// The interval is Student's t interval of the paired logarithms.
func TestOrderInterval(t *testing.T) {
	t.Parallel()
	ratios := []float64{0.8, 0.9, 0.85}
	scaled := func(series string, scale []float64) []record.Run {
		return made{series: series, repeats: 3, of: func(x float64, repeat int) float64 {
			return scale[repeat] * float64(repeat+1) / x
		}}.runs()
	}
	in := Input{Choice: selection.All(join(scaled("a", ratios), scaled("b", []float64{1, 1, 1})))}
	e := judgeOne(t, claimOf(aBelowB), in).Parts[0].Estimates[0]
	mean := (math.Log(0.8) + math.Log(0.9) + math.Log(0.85)) / 3
	var ss float64
	for _, r := range ratios {
		ss += (math.Log(r) - mean) * (math.Log(r) - mean)
	}
	half := 4.302652729911275 * math.Sqrt(ss/2/3) // t of 0.975 at 2 degrees of freedom
	for got, want := range map[float64]float64{e.Value: mean, e.Lo: mean - half, e.Hi: mean + half} {
		if math.Abs(got-math.Exp(want)) > 1e-9 {
			t.Errorf("%s: %v, want %v", e, got, math.Exp(want))
		}
	}
	if e.N != 3 || e.Level != 0.95 || e.Wanted != "below 1" || e.Name != "a / b, error over iterations" {
		t.Errorf("estimate %+v", e)
	}
}

// The mean interpolates in the logarithms of cost and metric, with equal weight for equal ratios of cost.
// It is exact for powers of the cost, for any recorded costs. The value at the end is interpolated between
// records.
func TestOrderBetweenRecords(t *testing.T) {
	t.Parallel()
	curve := func(series string, f func(x float64) float64, points ...int64) []record.Run {
		return made{series: series, of: noisy(0, f), points: points}.runs()
	}
	line := func(x float64) float64 { return 1000 - 5*x }
	twice := func(x float64) float64 { return 2 * line(x) }
	power := join(curve("a", math.Sqrt), curve("b", flat(1)))
	fine := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 100}
	step := func(x float64) float64 { // a decade at 2, one at 1/2, and between 10 and 11 a slope: about 1
		if x <= 10 {
			return 2
		}
		return 0.5
	}
	for _, tt := range []struct {
		name             string
		runs             []record.Run
		over             string
		want, difference float64
	}{
		{"powers", join(curve("a", falling(1), 1, 10, 100), curve("b", falling(2), 1, 20, 100)), "", 0.5, 1e-9},
		{"linear, end", join(curve("a", line, 1, 10, 100), curve("b", twice, 1, 60, 100)), overEnd, 0.5, 1e-9},
		{"power", power, "", math.Sqrt(10), 1e-9},
		{"power, end", power, overEnd, 10, 1e-9},
		{"step", join(curve("a", step, fine...), curve("b", flat(1), 1, 10, 11, 100)), "", 1, 0.05},
	} {
		v := judgeOne(t, claimOf(orderOf(Order{Over: tt.over})), Input{Choice: selection.All(tt.runs)})
		if e := v.Parts[0].Estimates[0]; math.Abs(e.Value-tt.want) > tt.difference {
			t.Errorf("%s: %s, want %v", tt.name, e, tt.want)
		}
	}
}

func TestPredicates(t *testing.T) {
	t.Parallel()
	err := noisy(0.05, falling(0.4)) // 0.05 at 64, 0.04 at the end
	facts := map[string]float64{"reference_error": 0.04}
	in := Input{Choice: selection.All(join(
		made{series: "a", of: err, facts: facts}.runs(),
		made{series: "early", of: err, points: []int64{1, 4, 16, 64}}.runs(),
		made{series: "converged", of: err, reason: "converged: gap 0"}.runs(),
		made{series: "twice", of: noisy(0.08, falling(0.8))}.runs(),
		made{series: "msg", metric: "rank", split: "state", params: record.Params{"k": int64(4)},
			of: func(x float64, repeat int) float64 { return 4 + x/100 + 0.01*float64(repeat) }}.runs(),
	))}
	reaches := func(r Reaches) Check {
		r.Series = cmp.Or(r.Series, "a")
		return Check{Reaches: &r}
	}
	stays := func(s Stays) Check {
		s.Series = "a"
		return Check{Stays: &s}
	}
	early, twice := Reading{Series: "early"}, Reading{Series: "twice"}
	to := func(target float64, r Reading) Reading {
		r.Read, r.Target = readCostTo, isp(target)
		return r
	}
	rank := func(l Level, between ...*float64) Check {
		l.Series, l.Metric, l.Between = "msg", "rank", between
		return Check{Level: &l}
	}
	for _, tt := range []struct {
		name  string
		check Check
		want  string
	}{
		{"reached", reaches(Reaches{Value: is(0.06)}), Reproduced},
		{"not reached", reaches(Reaches{Value: is(0.02)}), NotReproduced},
		{"about reached", reaches(Reaches{Value: is(0.04)}), Inconclusive},
		{"not so early", reaches(Reaches{Value: is(0.06), Within: isp(10)}), NotReproduced},
		{"early enough", reaches(Reaches{Value: is(0.06), Within: isp(70)}), Reproduced},
		{"not yet, and the run is over", reaches(Reaches{Value: is(0.02), Within: isp(1000)}), Inconclusive},
		{"converged", reaches(Reaches{Series: "converged", Value: is(0.02), Within: isp(1000)}), NotReproduced},
		{"none of zero", reaches(Reaches{Value: is(0)}), NotReproduced},
		{"a fact", reaches(Reaches{Value: Value{Fact: "reference_error", Times: 1.5}}), Reproduced},
		{"a fact, and more", reaches(Reaches{Value: Value{Fact: "reference_error", Plus: -0.02}}), NotReproduced},
		{"its own end", reaches(Reaches{Value: Value{Of: &Reading{Series: "a"}, Times: 1.1}}), Reproduced},
		{"stays above", stays(Stays{Above: is(0.03)}), Reproduced},
		{"not above", stays(Stays{Above: is(0.06)}), NotReproduced},
		{"above, early", stays(Stays{Above: is(0.06), Range: Range{Until: 16}}), Reproduced},
		{"above zero", stays(Stays{Above: is(0)}), Reproduced},
		{"ratio", ratioOf(early, twice, ptr(0.5), ptr(0.8)), Reproduced},
		{"ratio, not", ratioOf(early, twice, ptr(1), nil), NotReproduced},
		{"cost to a target", ratioOf(to(0.15, early), to(0.15, twice), nil, ptr(0.9)), Reproduced},
		{"the other never does", ratioOf(to(0.06, early), to(0.06, twice), nil, ptr(0.9)), Reproduced},
		{"the first never does", ratioOf(to(0.06, twice), to(0.06, early), nil, ptr(0.9)), NotReproduced},
		{"the first never does, at least", ratioOf(to(0.06, twice), to(0.06, early), ptr(1.1), nil), Reproduced},
		{"the first never does, bounded", ratioOf(to(0.06, twice), to(0.06, early), ptr(1.1), ptr(9)), Inconclusive},
		{"none ever does", ratioOf(to(0.001, twice), to(0.001, early), ptr(1.1), nil), Inconclusive},
		{"costs", ratioOf(Reading{Series: "early", Read: readCost}, Reading{Series: "twice", Read: readCost},
			ptr(0.64), ptr(0.64)), Reproduced},
		{"least of the first half", ratioOf(Reading{Series: "early", Read: readLeast, Range: Range{To: 0.5}}, early,
			ptr(1.1), nil), Reproduced},
		{"level", rank(Level{}, ptr(4.9), ptr(5.1)), Reproduced},
		{"level off", rank(Level{}, nil, ptr(4.9)), NotReproduced},
		{"about at the level", rank(Level{}, nil, ptr(5.015)), Inconclusive},
		{"per k", rank(Level{Per: "k"}, ptr(1.2), ptr(1.3)), Reproduced},
		{"most", rank(Level{Reading: Reading{Read: readMost}}, ptr(4.9), nil), Reproduced},
		{"least", rank(Level{Reading: Reading{Read: readLeast}}, nil, ptr(4.1)), Reproduced},
		{"mean over the cost", rank(Level{Reading: Reading{Read: readMean}}, ptr(4.45), ptr(4.55)), Reproduced},
		{"late mean", rank(Level{Reading: Reading{Read: readMean, Range: Range{After: 50, Until: 100}}},
			ptr(4.7), ptr(4.8)), Reproduced},
		{"until a cost", rank(Level{Reading: Reading{Range: Range{Until: 50}}}, ptr(4.45), ptr(4.6)), Reproduced},
		{"until another cost", rank(Level{Reading: Reading{Range: Range{Until: 5}}}, ptr(4.45), ptr(4.6)), NotReproduced},
	} {
		wantOutcome(t, tt.name, judgeOne(t, claimOf(tt.check), in), tt.want)
	}
}

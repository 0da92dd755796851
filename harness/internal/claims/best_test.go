package claims

import (
	"math"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// If rivals have trade-offs at different sizes, each counts on its own range.
func TestOrderBelowTheBest(t *testing.T) {
	t.Parallel()
	of := func(repeats int, floor float64) []record.Run {
		return join(sparse("d", "a", repeats, 1, 2000, 1, 0.5, floor), sparse("d", "never", repeats, 4, 2000, 1, 0.9, 0.9),
			sparse("d", "few", repeats, 2, 2000, 1, 0.3, 0.3, 1, 10),
			sparse("d", "many", repeats, 3, 2000, 1, 0.9, 0.15, 10, 1000))
	}
	for _, tt := range []struct {
		name    string
		repeats int
		floor   float64
		o       Order
		want    string
		best    string
	}{
		{"below", 1, 0.02, Order{Range: Range{After: 30, Until: 1000}}, Reproduced, "a / few"},
		{"below, three repeats", 3, 0.02, Order{Range: Range{After: 30, Until: 1000}}, Reproduced, "a / few"},
		{"above where the other is worse", 1, 0.4, Order{}, NotReproduced, "a / few"},
		{"not comparable", 1, 0.4, Order{Ratio: 100, Least: 1.05}, Reproduced, "a / few"},
		{"about equal", 1, 0.212, Order{Range: Range{After: 900, Until: 1000}}, Inconclusive, "a / many"},
	} {
		tt.o.Series, tt.o.Below, tt.o.Best, tt.o.Cost = "a", []string{"never", "few", "many"}, true, observe.CostSupport
		v := judgeOne(t, claimOf(Check{Order: &tt.o}), certain(sizesInput(t, of(tt.repeats, tt.floor))))
		wantOutcome(t, tt.name, v, tt.want, tt.best+", error over support (the best of 3)")
	}
}

// The best rival is a single series: the one with the smallest mean over its common range with the series, even if
// another rival is smaller at some costs.
func TestTheBestIsOneSeries(t *testing.T) {
	t.Parallel()
	series := func(name string, first, last float64) []record.Run {
		of := func(x float64) float64 { return first * math.Pow(last/first, math.Log(x)/math.Log(100)) }
		return made{series: name, of: noisy(0.01, of)}.runs()
	}
	runs := join(series("a", 0.1, 0.1), series("b", 0.1, 0.1), series("c", 0.4, 0.02), series("d", 0.8, 0.4))
	late := made{series: "late", points: []int64{10, 100}, of: noisy(0.01, flat(0.9))}.runs()
	in := Input{Choice: selection.All(join(runs, late))}
	for _, tt := range []struct {
		below []string
		want  string
		ratio float64
	}{
		{[]string{"c", "b", "d", "late"}, "a / c, error over iterations (the best of 4)", math.Sqrt(1 / 0.8)},
		{[]string{"d", "b"}, "a / b, error over iterations (the best of 2)", 1},
	} {
		v := judgeOne(t, claimOf(Check{Order: &Order{Series: "a", Below: tt.below, Best: true}}), in)
		if e := v.Parts[0].Estimates; len(e) != 1 || e[0].Name != tt.want || math.Abs(e[0].Value-tt.ratio) > 1e-9 {
			t.Errorf("%+v, want %s of %v", e, tt.want, tt.ratio)
		}
	}
}

// If candidates are equal, the choice fits its own half better. If there is only one candidate or a clear
// winner, both halves have the same error apart from chance.
func TestTestAboveValidation(t *testing.T) {
	t.Parallel()
	half := func(split string) Reading {
		return Reading{Series: "a", Curve: Curve{Cost: observe.CostSupport, Split: split}, Read: readMean}
	}
	above := claimOf(ratioOf(half(""), half(record.SplitValidation), ptr(1.01), nil))
	grid := func(repeats, values int, worse float64) (runs []record.Run) {
		for eta := range values {
			rate := min(0.3+worse*float64(eta), 1)
			runs = append(runs, sparse("d", "a", repeats, uint64(eta+1), 400, float64(eta+1), rate, rate)...)
		}
		return runs
	}
	for _, tt := range []struct {
		name  string
		runs  []record.Run
		want  string
		parts string
	}{
		{"of thirty equals", grid(1, 30, 0), Reproduced, "mean error / mean validation error"},
		{"of thirty equals, three repeats", grid(3, 30, 0), Reproduced, ""},
		{"of one", grid(1, 1, 0), NotReproduced, "mean error / mean validation error: 1.00 ("},
		{"of four that differ", grid(1, 4, 0.2), NotReproduced, ""},
		{"of two, one better", grid(1, 2, 0.06), Inconclusive, ""},
	} {
		wantOutcome(t, tt.name, judgeOne(t, above, certain(sizesInput(t, tt.runs))), tt.want, tt.parts)
	}
}

func TestMeanOfTradeoff(t *testing.T) {
	t.Parallel()
	l := &line{Curve: observe.Curve{X: []float64{1, 4, 16}, Y: []float64{0.4, 0.1, 0.1}, Stays: true}}
	if got, want := l.mean(span{1, 16}), math.Sqrt(0.2*0.1); math.Abs(got-want) > 1e-15 {
		t.Errorf("mean %v, want %v: 0.2 from 1 to 4, 0.1 from 4 to 16", got, want)
	}
}

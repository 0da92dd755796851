package claims

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

func everyCheck() []Claim {
	return []Claim{
		claimOf(aBelowB),
		claimOf(Check{Reaches: &Reaches{Series: "a", Value: Value{Of: &Reading{Series: "b"}}}}),
		claimOf(Check{Stays: &Stays{Series: "a", Above: is(0.02)}}),
		claimOf(ratioOf(Reading{Series: "a"}, Reading{Series: "b"}, nil, ptr(1))),
		claimOf(Check{Level: &Level{Reading: Reading{Series: "a"}, Per: "k", Between: []*float64{nil, ptr(1)}}}),
	}
}

func TestOrderOfRunsDoesNotMatter(t *testing.T) {
	t.Parallel()
	one, four := record.Params{"k": int64(1)}, record.Params{"k": int64(4)}
	runs := join(below("d", one, yes), below("d", four, no), below("e", four, open))
	runs[3].Status = record.StatusFailed
	in := Input{Origin: Origin{Profile: "quick", Missing: []observe.Missing{{Runs: 2}}}, Choice: selection.All(runs)}
	want := Judge(everyCheck(), in)
	rng := rand.New(rand.NewPCG(5, 7))
	for range 4 { // in the first round nothing is moved
		if got := Judge(everyCheck(), in); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nwant %+v", got, want)
		}
		all := in.Choice.Runs()
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
}

// Ratios do not depend on the units of the metric and of the cost.
func TestScaling(t *testing.T) {
	t.Parallel()
	in := func(unit, steps float64, points ...int64) Input {
		curve := func(series string, scale float64) []record.Run {
			of := func(x float64) float64 { return unit * scale / math.Sqrt(x/steps) }
			return made{series: series, points: points, of: noisy(0.02*scale, of)}.runs()
		}
		return Input{Choice: selection.All(join(curve("a", 0.24), curve("b", 0.3)))}
	}
	// Powers of two avoid rounding.
	first, scaled := in(1, 1, 1, 5, 20, 100), in(8, 4, 4, 20, 80, 400)
	for _, check := range []Check{
		aBelowB,
		ratioOf(Reading{Series: "a"}, Reading{Series: "b"}, nil, ptr(1)),
	} {
		a, b := judgeOne(t, claimOf(check), first), judgeOne(t, claimOf(check), scaled)
		e, f := a.Parts[0].Estimates[0], b.Parts[0].Estimates[0]
		same := func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*x }
		if a.Outcome != b.Outcome || !same(e.Value, f.Value) || !same(e.Lo, f.Lo) || !same(e.Hi, f.Hi) {
			t.Errorf("%s of %+v, scaled %s of %+v", a.Outcome, e, b.Outcome, f)
		}
	}
}

// Verdicts with extreme numbers can be written.
func TestExtremeNumbers(t *testing.T) {
	t.Parallel()
	tiny, huge := math.SmallestNonzeroFloat64, math.MaxFloat64
	shown := Curve{Metric: "objective"}
	a, b := Reading{Series: "a", Curve: shown}, Reading{Series: "b", Curve: shown}
	for _, values := range [][2][]float64{
		{{huge, huge / 2}, {tiny, 1}}, {{tiny, 2 * tiny}, {huge, huge / 2}},
		{{huge, -huge}, {1, 2}}, {{huge, huge}, {tiny, tiny}}, {{1, 2}, {1, 2}},
	} {
		var runs []record.Run
		for i, series := range []string{"a", "b"} {
			of := func(_ float64, repeat int) float64 { return values[i][repeat] }
			runs = append(runs, made{series: series, metric: "objective", split: "train", repeats: 2, of: of}.runs()...)
		}
		for _, check := range []Check{
			orderOver(shown),
			ratioOf(a, b, nil, ptr(1)),
			levelOf(a, nil, ptr(1)),
			{Stays: &Stays{Series: "a", Curve: shown, Above: Value{Of: &b, Times: 4}}},
			{Reaches: &Reaches{Series: "a", Curve: shown, Value: is(-huge)}},
		} {
			judgeOne(t, claimOf(check), Input{Choice: selection.All(runs)})
		}
	}
}

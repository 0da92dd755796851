package claims

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// somewhat is an input with all sorts of parts.
func somewhat() Input {
	runs := join(below("d", record.Params{"k": int64(1)}, yes), below("d", record.Params{"k": int64(4)}, no), below("e", record.Params{"k": int64(4)}, open))
	runs[3].Status = record.StatusFailed
	return Input{Origin: Origin{Missing: []observe.Missing{{Runs: 2}}}, Choice: selection.All(runs)}
}

func everyCheck() []Claim {
	return []Claim{
		claimOf(aBelowB),
		claimOf(Check{Reaches: &Reaches{Series: "a", Value: Value{Of: &Reading{Series: "b"}}}}),
		claimOf(Check{Stays: &Stays{Series: "a", Above: is(0.02)}}),
		claimOf(Check{Ratio: &Ratio{Of: Reading{Series: "a"}, To: Reading{Series: "b"}, Between: []*float64{nil, ptr(1)}}}),
		claimOf(Check{Level: &Level{Reading: Reading{Series: "a"}, Per: "k", Between: []*float64{nil, ptr(1)}}}),
		claimOf(Check{Plateau: &Plateau{Series: "a", Falls: 0.5}}),
	}
}

func TestOrderOfRunsDoesNotMatter(t *testing.T) {
	t.Parallel()
	in := somewhat()
	in.Profile = "quick"
	want := Judge(everyCheck(), in)
	rng := rand.New(rand.NewPCG(5, 7))
	for range 4 {
		rng.Shuffle(len(in.Choice.Runs()), func(i, j int) { in.Choice.Runs()[i], in.Choice.Runs()[j] = in.Choice.Runs()[j], in.Choice.Runs()[i] })
		if got := Judge(everyCheck(), in); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nwant %+v", got, want)
		}
	}
	// Nor does judging change anything.
	if got := Judge(everyCheck(), in); !reflect.DeepEqual(got, want) {
		t.Error("judging again says something else")
	}
}

// Ratios do not depend on the units of the metric and of the cost.
func TestScaling(t *testing.T) {
	t.Parallel()
	scaled := somewhat()
	scaled.Choice = selection.All(slices.Clone(scaled.Choice.Runs()))
	for i := range scaled.Choice.Runs() {
		r := &scaled.Choice.Runs()[i]
		// By a power of two, so that nothing rounds.
		y := slices.Clone(r.Curve.Metrics["test"]["error"])
		for j := range y {
			y[j] *= 8
		}
		x := slices.Clone(r.Curve.Cost["iterations"])
		for j := range x {
			x[j] *= 4
		}
		r.Curve.Metrics = map[string]map[string][]float64{"test": {"error": y}}
		r.Curve.Cost = map[string][]int64{"iterations": x}
	}
	for _, check := range []Check{
		aBelowB,
		{Ratio: &Ratio{Of: Reading{Series: "a"}, To: Reading{Series: "b"}, Between: []*float64{nil, ptr(1)}}},
		{Plateau: &Plateau{Series: "a", Falls: 0.5}},
	} {
		a, b := judgeOne(t, claimOf(check), somewhat()), judgeOne(t, claimOf(check), scaled)
		if a.Outcome != b.Outcome || len(a.Parts) != len(b.Parts) {
			t.Fatalf("%s, scaled %s", a.Outcome, b.Outcome)
		}
		for i := range a.Parts {
			for j, e := range a.Parts[i].Estimates {
				f := b.Parts[i].Estimates[j]
				if math.Abs(e.Value-f.Value) > 1e-12*e.Value || math.Abs(e.Lo-f.Lo) > 1e-12*e.Lo || math.Abs(e.Hi-f.Hi) > 1e-12*e.Hi {
					t.Errorf("%+v, scaled %+v", e, f)
				}
			}
		}
	}
}

func TestVerdictsAreJSON(t *testing.T) {
	t.Parallel()
	var text [2]bytes.Buffer
	for i := range text {
		if err := json.NewEncoder(&text[i]).Encode(Judge(everyCheck(), somewhat())); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(text[0].Bytes(), text[1].Bytes()) {
		t.Error("the same input gives other bytes")
	}
	var back []Verdict
	if err := json.Unmarshal(text[0].Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	// What they say is all that is recorded of caveats, and reads back as what they are.
	again, err := json.Marshal(back)
	if err != nil || !bytes.Equal(again, bytes.TrimSpace(text[0].Bytes())) {
		t.Errorf("read back they are\n%s\nand not\n%s, %v", again, text[0].Bytes(), err)
	}
}

// Numbers at the ends of the range of floats do not keep verdicts from being written.
func TestExtremeNumbersAreJSON(t *testing.T) {
	t.Parallel()
	tiny, huge := math.SmallestNonzeroFloat64, math.MaxFloat64
	series := func(name string, of ...float64) []record.Run {
		return made{series: name, metric: "objective", split: "train", repeats: len(of), of: func(_ float64, repeat int) float64 { return of[repeat] }}.runs()
	}
	final := func(name string) Reading { return Reading{Series: name, Curve: Curve{Metric: "objective"}} }
	for _, values := range [][2][]float64{
		{{huge, huge / 2}, {tiny, 1}}, {{tiny, 2 * tiny}, {huge, huge / 2}}, {{huge, -huge}, {1, 2}}, {{huge, huge}, {tiny, tiny}}, {{1, 2}, {1, 2}},
	} {
		in := Input{Choice: selection.All(join(series("a", values[0]...), series("b", values[1]...)))}
		for _, check := range []Check{
			{Order: &Order{Series: "a", Below: []string{"b"}, Curve: Curve{Metric: "objective"}}},
			{Ratio: &Ratio{Of: final("a"), To: final("b"), Between: []*float64{nil, ptr(1)}}},
			{Level: &Level{Reading: final("a"), Between: []*float64{nil, ptr(1)}}},
			{Stays: &Stays{Series: "a", Curve: Curve{Metric: "objective"}, Above: Value{Of: &Reading{Series: "b", Curve: Curve{Metric: "objective"}}, Times: 4}}},
			{Reaches: &Reaches{Series: "a", Curve: Curve{Metric: "objective"}, Value: is(-huge)}},
			{Plateau: &Plateau{Series: "a", Curve: Curve{Metric: "objective"}, Falls: 0.5, Above: &Value{Of: &Reading{Series: "b", Curve: Curve{Metric: "objective"}}, Times: 1e10}}},
		} {
			v := judgeOne(t, claimOf(check), in)
			if _, err := json.Marshal(v); err != nil {
				t.Errorf("%+v of %v: %v", check, values, err)
			}
		}
	}
}

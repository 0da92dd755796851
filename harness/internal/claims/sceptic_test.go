package claims

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// What is equal is not below: of a tie neither series can be said to be.
func TestTie(t *testing.T) {
	t.Parallel()
	runs := join(made{series: "a", of: noisy(0.1, falling(0.3))}.runs(), made{series: "b", of: noisy(0.1, falling(0.3))}.runs())
	for _, over := range []string{"", overEnd} {
		for _, s := range [][2]string{{"a", "b"}, {"b", "a"}} {
			c := claimOf(Check{Order: &Order{Series: s[0], Below: []string{s[1]}, Over: over}})
			wantOutcome(t, over+", "+s[0], judgeOne(t, c, Input{Choice: selection.All(runs)}), Inconclusive, "no difference")
		}
	}
	similar := claimOf(Check{Order: &Order{Series: "a", Below: []string{"b"}, Ratio: 1.1, Least: 0.9}})
	wantOutcome(t, "similar", judgeOne(t, similar, Input{Choice: selection.All(runs)}), Reproduced)
}

// A single run of a method with randomness is one repeat, however many others have.
func TestSingleRunWithRandomness(t *testing.T) {
	t.Parallel()
	for name, scale := range map[string]float64{"below": yes, "above": no} {
		for _, single := range []string{"a", "b"} {
			runs := slices.DeleteFunc(below("d", nil, scale), func(r record.Run) bool { return r.Series == single && r.Repeat > 0 })
			v := judgeOne(t, claimOf(aBelowB), Input{Choice: selection.All(runs)})
			wantOutcome(t, name, v, NotRun, "the series have 1 repeat in common")
			v = judgeOne(t, claimOf(aBelowB), Input{Choice: selection.All(runs), Deterministic: []Cell{{"d", single}}})
			if v.Outcome == Inconclusive || v.Outcome == NotRun {
				t.Errorf("%s, without randomness: %s, caveats %q", name, v.Outcome, v.Caveats)
			}
		}
	}
}

// The time of a method without randomness varies: a run alone decides nothing,
// and beside repeats of others it is said that it was timed once.
func TestSingleRunInSeconds(t *testing.T) {
	t.Parallel()
	timed := func(runs []record.Run) []record.Run {
		var all []record.Run
		for _, r := range runs {
			seconds := make([]float64, r.Curve.Len())
			for i, n := range r.Curve.Cost["iterations"] {
				seconds[i] = 1e-3 * float64(n)
			}
			all = append(all, r.Timed(record.Timing{CPUSeconds: seconds, Jobs: 1}))
		}
		return all
	}
	cells := []Cell{{"d", "a"}, {"d", "b"}}
	alone := slices.DeleteFunc(below("d", nil, yes), func(r record.Run) bool { return r.Repeat > 0 })
	seconds := Check{Order: &Order{Series: "a", Below: []string{"b"}, Curve: Curve{Cost: record.CostCPUSeconds}}}
	within := Check{Reaches: &Reaches{Series: "a", Value: is(0.5), Within: &Value{Of: &Reading{Series: "b", Read: readCost, Curve: Curve{Cost: record.CostCPUSeconds}}}, Curve: Curve{Cost: record.CostCPUSeconds}}}
	for name, check := range map[string]Check{"order": seconds, "reaches": within} {
		in := Input{Choice: selection.All(timed(alone)), Deterministic: cells}
		wantOutcome(t, name, judgeOne(t, claimOf(check), in), Inconclusive, "one repeat", "seconds are processor time")
	}
	wantOutcome(t, "iterations", judgeOne(t, claimOf(aBelowB), Input{Choice: selection.All(alone), Deterministic: cells}), Reproduced)
	runs := slices.DeleteFunc(below("d", nil, yes), func(r record.Run) bool { return r.Series == "b" && r.Repeat > 0 })
	v := judgeOne(t, claimOf(seconds), Input{Choice: selection.All(timed(runs)), Deterministic: cells[1:]})
	wantOutcome(t, "beside repeats", v, Reproduced, "b was timed once")
}

// Several series, each of which refutes a claim, are several tries at it.
func TestSeveralTriesRefuteLess(t *testing.T) {
	t.Parallel()
	a := made{series: "a", repeats: 3, of: noisy(0.03, falling(0.335))}.runs()
	order := &Order{Series: "a"}
	runs := a
	outcomes := make(map[int]string)
	for n, name := range []string{"b", "c", "e", "f", "g", "h"} {
		runs = join(runs, made{series: name, repeats: 3, of: func(x float64, _ int) float64 { return 0.3 / math.Sqrt(x) }}.runs())
		order.Below = append(slices.Clone(order.Below), name)
		outcomes[n+1] = judgeOne(t, claimOf(Check{Order: order}), Input{Choice: selection.All(runs)}).Outcome
	}
	if outcomes[1] != NotReproduced || outcomes[6] != Inconclusive {
		t.Errorf("outcomes %v: that of one is to be %q, that of six %q", outcomes, NotReproduced, Inconclusive)
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

// A restriction that leaves no runs is named.
func TestNothingWhere(t *testing.T) {
	t.Parallel()
	with := func(k int64) []record.Run { return below("d", record.Params{"k": k}, yes) }
	c := claimOf(aBelowB)
	c.Where = map[string]any{"k": []any{16, 32}}
	v := judgeOne(t, c, Input{Choice: selection.All(join(with(2), with(4)))})
	wantOutcome(t, "neither", v, NotRun, "no runs of series a or b where k = 16 or 32")
	runs := slices.DeleteFunc(join(with(4), with(16)), func(r record.Run) bool { return r.Series == "b" && r.Params["k"] == int64(16) })
	v = judgeOne(t, c, Input{Choice: selection.All(runs)})
	wantOutcome(t, "one", v, NotRun, "no runs of series b where k = 16 or 32")
}

// Of passes that another series does not get to, it is not the first that is short.
func TestPassesOfAnother(t *testing.T) {
	t.Parallel()
	runs := join(made{series: "a", of: noisy(0.02, falling(0.3))}.runs(), made{series: "b", points: []int64{1, 2, 4, 8}, of: noisy(0.02, falling(0.3))}.runs())
	c := claimOf(Check{Order: &Order{Series: "a", Below: []string{"b"}, Range: Range{Passes: []float64{1, 2}}}})
	wantOutcome(t, "b is short", judgeOne(t, c, Input{Choice: selection.All(runs)}), NotRun, "the runs cover 1 to 8 iterations, outside the range")
}

// What is left of several repeats is not taken for a method without randomness.
func TestOneRepeatInCommon(t *testing.T) {
	t.Parallel()
	runs := below("d", nil, yes)
	for i := range runs {
		if r := &runs[i]; r.Series == "b" && r.Repeat > 0 {
			r.Repeat += 10
		}
	}
	runs = join(runs, made{series: "c", of: noisy(0.02, falling(0.4))}.runs())
	to := func(series string) Reading {
		return Reading{Series: series, Read: readCostTo, Target: &Value{Of: &Reading{Series: "b"}, Times: 2}}
	}
	for name, check := range map[string]Check{
		"order":   aBelowB,
		"best":    {Order: &Order{Series: "a", Below: []string{"b", "c"}, Best: true}},
		"cost-to": {Ratio: &Ratio{Of: to("a"), To: Reading{Series: "c", Read: readCost}, Between: []*float64{nil, ptr(10)}}},
	} {
		wantOutcome(t, name, judgeOne(t, claimOf(check), Input{Choice: selection.All(runs)}), NotRun, "the series have 1 repeat in common")
	}
}

// Few repeats that are the same say so.
func TestFewThatAreTheSame(t *testing.T) {
	t.Parallel()
	level := claimOf(Check{Level: &Level{Reading: Reading{Series: "a"}, Between: []*float64{nil, ptr(1)}}})
	for repeats, want := range map[int][]string{2: {"the same in all 2 repeats, too few to show a spread"}, 5: {"the same in all 5 repeats, too few to show a spread"}, 6: nil} {
		v := judgeOne(t, level, Input{Choice: selection.All(made{series: "a", repeats: repeats, of: func(float64, int) float64 { return 0.5 }}.runs())})
		if v.Outcome != Reproduced || !slices.Equal(Texts(v.Caveats), want) {
			t.Errorf("%d: %s, caveats %q, want %q", repeats, v.Outcome, v.Caveats, want)
		}
	}
}

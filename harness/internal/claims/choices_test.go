package claims

import (
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// chosenFrom selects by the mean over the curve on the split test, as specs do.
func chosenFrom(t *testing.T, all []record.Run) Input {
	t.Helper()
	sel, err := selection.Choose(all, selection.Rule{
		By: selection.ByOracle, Metric: "error", Over: selection.OverCurve, Tune: []string{"step.c"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return Input{Origin: Origin{Metric: "error"}, Choice: sel}
}

// two makes runs of a series with two steps: b is scored tilt less than a at the beginning, and
// ends with last times as much.
func two(series string, repeats int, tilt, last float64, noise func(step string, repeat int) float64) []record.Run {
	curve := func(step string, early, end float64) []record.Run {
		return made{series: series, params: record.Params{"step.c": step}, repeats: repeats, points: []int64{1, 50, 100},
			of: func(x float64, repeat int) float64 {
				if x == 100 {
					return end
				}
				return early + noise(step, repeat)
			}}.runs()
	}
	return join(curve("a", 1, 0.1), curve("b", 1-tilt, 0.1*last))
}

// stepNoise is noise that decides which of the steps a and b is chosen.
func stepNoise(seed uint64, repeats int) func(step string, repeat int) float64 {
	rng := rand.New(rand.NewPCG(seed, seed+1))
	noise := make(map[string][]float64)
	for _, step := range []string{"a", "b"} {
		for range repeats {
			noise[step] = append(noise[step], 0.1*rng.NormFloat64())
		}
	}
	return func(step string, repeat int) float64 { return noise[step][repeat] }
}

func TestIntervalsAccountForTheChoice(t *testing.T) {
	// A tie: noise decides which step is chosen, and the end is a tenth or five times it.
	quiet := func(string, int) float64 { return 0 }
	level := claimOf(Check{Level: &Level{Reading: Reading{Series: "msg"}, Between: []*float64{nil, ptr(0.2)}}})

	tie := chosenFrom(t, two("msg", 5, 0, 5, stepNoise(1, 5)))
	v := judgeOne(t, level, tie)
	e := v.Parts[0].Estimates[0]
	if v.Outcome != Inconclusive || e.Lo != 0.1 || e.Hi != 0.5 || e.Exact != "" {
		t.Errorf("a tie of steps: %s, %s", v.Outcome, e)
	}
	fixed := tie
	fixed.Choice = selection.All(tie.Choice.Runs())
	if v := judgeOne(t, level, fixed); v.Outcome == Inconclusive {
		t.Errorf("without the choice it should be decided: %s", v.Reason)
	}

	// A step that is clearly ahead is chosen by all resamples: nothing moves.
	clear := chosenFrom(t, two("msg", 5, 0.9, 5, quiet))
	v = judgeOne(t, claimOf(Check{Level: &Level{Reading: Reading{Series: "msg"}, Between: []*float64{ptr(0.4), nil}}}), clear)
	if e := v.Parts[0].Estimates[0]; v.Outcome != Reproduced || e.Lo != 0.5 || e.Hi != 0.5 || e.Exact == "" {
		t.Errorf("a clear choice: %s, %s", v.Outcome, e)
	}
}

func TestChoicesAreMadeJointly(t *testing.T) {
	// Two series with the same curves choose the same in each resample, as the repeats drawn
	// are the same: their ratio is 1 whatever is chosen.
	noise := stepNoise(3, 6)
	in := chosenFrom(t, join(two("msg", 6, 0, 5, noise), two("sbp", 6, 0, 5, noise)))
	v := judgeOne(t, claimOf(Check{Ratio: &Ratio{Of: Reading{Series: "msg"}, To: Reading{Series: "sbp"}, Between: []*float64{ptr(0.9), ptr(1.1)}}}), in)
	if e := v.Parts[0].Estimates[0]; v.Outcome != Reproduced || e.Lo != 1 || e.Hi != 1 {
		t.Errorf("%s, %s", v.Outcome, e)
	}
}

// A caveat says that what is judged also chose the parameters, which decides nothing: where it did, and only there.
func TestCriterionOfClaims(t *testing.T) {
	in := chosenFrom(t, join(two("msg", 5, 0, 5, stepNoise(1, 5)), made{series: "sbp", repeats: 5, points: []int64{1, 50, 100}, of: noisy(0.1, flat(1))}.runs()))
	in.Rule = in.Choice.Rule
	for series, reads := range map[string][]Reading{
		"msg": {{Series: "msg"}, {Series: "msg", Read: readCost}, {Series: "msg", Curve: Curve{Split: record.SplitTrain}}}, "sbp": {{Series: "sbp"}},
	} {
		for i, r := range reads {
			v := judgeOne(t, claimOf(Check{Level: &Level{Reading: r, Between: []*float64{nil, ptr(200)}}}), in)
			flagged := slices.Contains(Texts(v.Caveats), "oracle selection: the parameters were chosen by the error shown")
			if flagged != (series == "msg" && i == 0) || flagged && v.Doubtful {
				t.Errorf("%+v: caveats %q, doubtful %t", r, v.Caveats, v.Doubtful)
			}
		}
	}
}

func TestChoicesWithoutAReading(t *testing.T) {
	// With the other step the metric is 0 at the end, where ratios say nothing: it may be
	// anything.
	step := map[string][]float64{"a": {0.10, -0.12, 0.05, 0.01, -0.08}, "b": {-0.02, 0.11, -0.06, 0.07, -0.07}}
	in := chosenFrom(t, join(two("msg", 5, -0.03, 0, func(s string, repeat int) float64 { return step[s][repeat] }),
		made{series: "sbp", repeats: 5, points: []int64{1, 50, 100}, of: noisy(0.1, flat(1))}.runs()))
	if !slices.ContainsFunc(in.Choice.Runs(), func(r record.Run) bool { return r.Params["step.c"] == "a" }) {
		t.Fatal("the other step is chosen")
	}
	v := judgeOne(t, claimOf(Check{Ratio: &Ratio{Of: Reading{Series: "msg"}, To: Reading{Series: "sbp"}, Between: []*float64{nil, ptr(1)}}}), in)
	wantOutcome(t, "unknown", v, Inconclusive, "the value is unknown for the parameters that other repeats would choose")
	if !v.Doubtful {
		t.Error("a verdict that another choice may change is not doubtful")
	}
}

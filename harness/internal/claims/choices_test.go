package claims

import (
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// chosenFrom selects by the mean over the curve on the test split.
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

// two returns runs of a series with two step sizes, a and b. At the beginning the score of b is lower by
// tilt. At the end its metric is last times that of a.
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

// stepNoise returns noise that decides which of the steps a and b is chosen.
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
	// A tie: noise decides which step is chosen, and the final value is a tenth or five times the other.
	quiet := func(string, int) float64 { return 0 }
	level := claimOf(levelOf(Reading{Series: "msg"}, nil, ptr(0.2)))

	tie := chosenFrom(t, two("msg", 5, 0, 5, stepNoise(1, 5)))
	v := judgeOne(t, level, tie)
	e := v.Parts[0].Estimates[0]
	if v.Outcome != Inconclusive || e.Lo != 0.1 || e.Hi != 0.5 || e.Exact != "" {
		t.Errorf("a tie of steps: %s, %s", v.Outcome, e)
	}
	fixed := tie
	fixed.Choice = selection.All(tie.Choice.Runs())
	if v := judgeOne(t, level, fixed); v.Outcome == Inconclusive {
		t.Errorf("without selection the claim is not decided: %s", v.Reason)
	}

	// A clearly better step is chosen in all resamples, and the interval does not change.
	clear := chosenFrom(t, two("msg", 5, 0.9, 5, quiet))
	v = judgeOne(t, claimOf(levelOf(Reading{Series: "msg"}, ptr(0.4), nil)), clear)
	if e := v.Parts[0].Estimates[0]; v.Outcome != Reproduced || e.Lo != 0.5 || e.Hi != 0.5 || e.Exact == "" {
		t.Errorf("a clear choice: %s, %s", v.Outcome, e)
	}
}

func TestChoicesAreMadeJointly(t *testing.T) {
	// Two series with equal curves choose the same step in each resample, because the resampled repeats are the
	// same. Their ratio is always 1.
	noise := stepNoise(3, 6)
	in := chosenFrom(t, join(two("msg", 6, 0, 5, noise), two("sbp", 6, 0, 5, noise)))
	v := judgeOne(t, claimOf(ratioOf(Reading{Series: "msg"}, Reading{Series: "sbp"}, ptr(0.9), ptr(1.1))), in)
	if e := v.Parts[0].Estimates[0]; v.Outcome != Reproduced || e.Lo != 1 || e.Hi != 1 {
		t.Errorf("%s, %s", v.Outcome, e)
	}
}

// There is a caveat exactly if the judged metric was also the selection metric. It does not change the outcome.
func TestCriterion(t *testing.T) {
	t.Parallel()
	chosen := func(by, split, metric string, runs []record.Run) Input {
		for i := range runs {
			shown := runs[i].Curve.Metrics[record.SplitTest]
			runs[i].Curve.Metrics = map[string]map[string][]float64{split: shown, record.SplitTrain: shown}
		}
		rule := selection.Rule{By: by, Metric: metric, Over: selection.OverFinal, Tune: []string{"step.c"}}
		sel, err := selection.Choose(runs, rule)
		if err != nil {
			t.Fatal(err)
		}
		return Input{Origin: Origin{Metric: metric}, Choice: sel}
	}
	runs := func(repeats int) []record.Run {
		return join(two("msg", repeats, 0, 5, stepNoise(1, 5)),
			made{series: "sbp", repeats: repeats, points: []int64{1, 50, 100}, of: noisy(0.1, flat(1))}.runs())
	}
	oracle := chosen(selection.ByOracle, record.SplitTest, "error", runs(5))
	oneRepeat := chosen(selection.ByOracle, record.SplitTest, "error", runs(1))
	validation := chosen(selection.ByValidation, record.SplitValidation, "error", runs(5))
	sizes := sizesInput(t, sparse("d", "msg", 3, 1, 1000, 1, 0.3, 0.05))
	sizes.Choice.Metric = "error"
	steps := two("msg", 4, 0.5, 1, func(string, int) float64 { return 0 })
	for _, r := range steps {
		r.Curve.Metrics[record.SplitTest]["suboptimality"] = r.Curve.Metrics[record.SplitTest]["error"]
	}
	population := chosen(selection.ByOracle, "population", "suboptimality", steps)
	tuned, other := Reading{Series: "msg"}, Reading{Series: "sbp"}
	cost, train := tuned, tuned
	cost.Read, train.Split = readCost, record.SplitTrain
	ratio := func(of, to Reading) Check {
		return ratioOf(of, to, nil, ptr(200))
	}
	level := func(split string) Check {
		read := Reading{Series: "msg", Curve: Curve{Cost: "support", Split: split}}
		return levelOf(read, nil, ptr(1))
	}
	for _, tt := range []struct {
		name    string
		check   Check
		in      Input
		flagged bool
	}{
		{"oracle", ratio(tuned, other), oracle, true},
		{"oracle, one repeat", ratio(tuned, other), oneRepeat, true},
		{"a cost", ratio(other, cost), oracle, false},
		{"training data", ratio(train, other), oracle, false},
		{"validation", ratio(tuned, other), validation, true},
		{"trade-off on validation rows", level("validation"), sizes, true},
		{"trade-off on test rows", level(""), sizes, false},
		{"bound of a curve", Check{Bound: &Bound{Name: "plateau", Series: "msg"}}, population, true},
	} {
		v := judgeOne(t, claimOf(tt.check), tt.in)
		is := func(c Caveat) bool { return c.Kind == observe.Criterion }
		if v.Outcome == NotRun || slices.ContainsFunc(v.Caveats, is) != tt.flagged {
			t.Errorf("%s: %s, %s, caveats %q", tt.name, v.Outcome, v.Reason, v.Caveats)
		}
	}
}

func TestChoicesWithoutAReading(t *testing.T) {
	// With the other step the metric is 0 at the end, so the ratio is unknown and the claim inconclusive.
	step := map[string][]float64{"a": {0.10, -0.12, 0.05, 0.01, -0.08}, "b": {-0.02, 0.11, -0.06, 0.07, -0.07}}
	in := chosenFrom(t, join(two("msg", 5, -0.03, 0, func(s string, repeat int) float64 { return step[s][repeat] }),
		made{series: "sbp", repeats: 5, points: []int64{1, 50, 100}, of: noisy(0.1, flat(1))}.runs()))
	if !slices.ContainsFunc(in.Choice.Runs(), func(r record.Run) bool { return r.Params["step.c"] == "a" }) {
		t.Fatal("the other step is chosen")
	}
	v := judgeOne(t, claimOf(ratioOf(Reading{Series: "msg"}, Reading{Series: "sbp"}, nil, ptr(1))), in)
	wantOutcome(t, "unknown", v, Inconclusive, "the value is unknown for the parameters that other repeats would choose")
	if !v.Doubtful {
		t.Error("the verdict is not doubtful, although another choice may change it")
	}
}

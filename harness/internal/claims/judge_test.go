package claims

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// below returns runs of a and b. The metric of a is scale times that of b.
func below(dataset string, params record.Params, scale float64) []record.Run {
	spread := 0.02
	if scale == 1 {
		spread = 0.2
	}
	return join(
		made{dataset: dataset, series: "a", params: params, of: noisy(spread, falling(0.3*scale))}.runs(),
		made{dataset: dataset, series: "b", params: params, of: noisy(0, falling(0.3))}.runs())
}

const (
	yes  = 0.8
	no   = 1.25
	open = 1.0
)

// without returns the runs that do not satisfy a condition.
func without(runs []record.Run, has func(r record.Run) bool) []record.Run {
	return slices.DeleteFunc(slices.Clone(runs), has)
}

// timed adds times to runs. An iteration of b takes a tenth of the time of an iteration of a.
func timed(runs []record.Run) []record.Run {
	out := slices.Clone(runs)
	for j, r := range out {
		pace := map[string]float64{"a": 1e-2, "b": 1e-3}[r.Series]
		seconds := make([]float64, r.Curve.Len())
		for i, n := range r.Curve.Cost["iterations"] {
			seconds[i] = pace * float64(n)
		}
		out[j] = r.WithTiming(record.Timing{Seconds: seconds, CPUSeconds: seconds, Jobs: 2})
	}
	return out
}

func TestParts(t *testing.T) {
	t.Parallel()
	type setting struct {
		dataset string
		k       int64
		scale   float64
	}
	for _, tt := range []struct {
		name  string
		parts []setting
		holds string
		want  string
	}{
		{"one is not", []setting{{"d", 1, yes}, {"d", 4, no}, {"e", 1, open}}, "all", NotReproduced},
		{"one is open", []setting{{"d", 1, yes}, {"d", 4, yes}, {"e", 1, open}}, "all", Inconclusive},
		{"most", []setting{{"d", 1, yes}, {"d", 4, no}, {"e", 1, yes}}, "most", Reproduced},
		{"half", []setting{{"d", 1, yes}, {"d", 4, no}}, "most", NotReproduced},
		{"most may be", []setting{{"d", 1, yes}, {"d", 4, no}, {"e", 1, open}}, "most", Inconclusive},
		{"any may be", []setting{{"d", 1, no}, {"d", 4, open}}, "any", Inconclusive},
	} {
		var runs []record.Run
		for _, s := range tt.parts {
			runs = append(runs, below(s.dataset, record.Params{"k": s.k, "step.c": s.scale * float64(s.k)}, s.scale)...)
		}
		c := claimOf(aBelowB)
		c.Holds = tt.holds
		v := judgeOne(t, c, Input{Choice: selection.All(runs)})
		wantOutcome(t, tt.name, v, tt.want)
		if len(v.Parts) != len(tt.parts) {
			t.Fatalf("%s: parts %+v", tt.name, v.Parts)
		}
		for i, s := range tt.parts {
			want := map[float64]string{yes: Reproduced, no: NotReproduced, open: Inconclusive}[s.scale]
			if p := v.Parts[i]; p.Dataset != s.dataset || p.Setting != fmt.Sprint("k=", s.k) || p.Outcome != want {
				t.Errorf("%s: part %+v, want %s of %+v", tt.name, p, want, s)
			}
		}
	}
}

// Parts are distinguished by parameters that the series share.
func TestSettings(t *testing.T) {
	t.Parallel()
	a := func(params record.Params) []record.Run {
		return made{series: "a", params: params, of: noisy(0.02, falling(1))}.runs()
	}
	b := func(params record.Params) []record.Run {
		return made{series: "b", params: params, of: noisy(0.02, falling(2))}.runs()
	}
	k := func(k int64) record.Params { return record.Params{"k": k} }
	capped := func(of int64) record.Params { return record.Params{"k": int64(1), "cap": of} }
	step := func(c float64) record.Params { return record.Params{"k": int64(1), "step.c": c} }
	start := func(from string) record.Params { return record.Params{"start": from} }
	radius := func(r, c float64) record.Params { return record.Params{"radius": r, "step.c": c} }
	twoCaps := join(a(capped(2)), a(capped(3)), b(k(1)))
	for _, tt := range []struct {
		name  string
		runs  []record.Run
		where map[string]any
		want  string
		parts []string
		text  string
	}{
		{"steps of their own", join(a(step(0.5)), b(step(2))), nil, Reproduced, []string{""}, ""},
		{"numbers in order", join(a(k(2)), b(k(2)), a(k(16)), b(k(16))), nil, Reproduced, []string{"k=2", "k=16"}, ""},
		{"restricted", join(a(k(2)), b(k(2)), b(k(16))), map[string]any{"k": 2}, Reproduced, []string{""}, ""},
		{"several of one", twoCaps, nil, NotRun, []string{""}, "series a has several settings of cap: choose one with where"},
		{"one of several", twoCaps, map[string]any{"cap": 3}, Reproduced, []string{""}, ""},
		{"starts of their own", join(a(start("zero")), a(start("one")), b(start("random"))), nil, NotRun, []string{""},
			"series a has several settings of start"},
		{"steps name no setting", join(a(radius(2, 1)), a(radius(4, 2)), b(radius(2, 1)), b(radius(4, 2))), nil,
			Reproduced, []string{"radius=2", "radius=4"}, ""},
		{"none of the other", join(a(k(1)), a(k(4)), b(k(1))), nil, Inconclusive, []string{"k=1", "k=4"},
			"k=4: not judged: no runs of series b"},
		{"nothing", nil, nil, NotRun, nil, "no runs of series a or b"},
		{"nothing where", join(a(k(1)), b(k(1))), map[string]any{"k": []any{16, 32}}, NotRun, nil,
			"no runs of series a or b where k = 16 or 32"},
		{"one series where", join(a(k(4)), a(k(16)), b(k(4))), map[string]any{"k": 16}, NotRun, []string{""},
			"no runs of series b where k = 16"},
		{"twice", join(a(k(1)), a(k(1)), b(k(1))), nil, NotRun, []string{""}, "series a has runs of different experiments"},
	} {
		c := claimOf(aBelowB)
		c.Where = tt.where
		v := judgeOne(t, c, Input{Choice: selection.All(tt.runs)})
		var parts []string
		for _, p := range v.Parts {
			parts = append(parts, p.Setting)
		}
		wantOutcome(t, tt.name, v, tt.want, tt.text)
		if !slices.Equal(parts, tt.parts) {
			t.Errorf("%s: parts %q, want %q", tt.name, parts, tt.parts)
		}
	}
}

func TestDatasets(t *testing.T) {
	t.Parallel()
	c := claimOf(aBelowB)
	c.Datasets = []string{"e", "d", "f"}
	runs := join(below("d", nil, yes), below("e", nil, yes), below("g", nil, no))
	v := judgeOne(t, c, Input{Choice: selection.All(runs)})
	wantOutcome(t, "one of three has no runs", v, Inconclusive, "f: not judged: no runs of series a")
	if len(v.Parts) != 3 || v.Parts[0].Dataset != "e" || v.Parts[1].Dataset != "d" || v.Parts[2].Outcome != NotRun {
		t.Errorf("parts %+v", v.Parts)
	}
	none := judgeOne(t, c, Input{Choice: selection.All(below("g", nil, yes))})
	wantOutcome(t, "none has runs", none, NotRun, "e, d, f: no runs of series a")
}

// Series are compared repeat by repeat. A single deterministic run decides and is paired with each repeat
// of another series, but times are never deterministic.
func TestRepeats(t *testing.T) {
	t.Parallel()
	one, all := []int{0}, []int{0, 1, 2, 3}
	aOnly, bOnly, both := []DatasetSeries{{"d", "a"}}, []DatasetSeries{{"d", "b"}}, []DatasetSeries{{"d", "a"}, {"d", "b"}}
	level := func(most float64) Check { return levelOf(Reading{Series: "a"}, nil, ptr(most)) }
	processor := Curve{Cost: record.CostCPUSeconds}
	secondsOfB := &Value{Of: &Reading{Series: "b", Read: readCost, Curve: processor}}
	within := &Reaches{Series: "a", Value: is(0.5), Within: secondsOfB, Curve: processor}
	costTo := Reading{Series: "a", Read: readCostTo, Target: &Value{Of: &Reading{Series: "b"}, Times: 2}}
	toCost := ratioOf(costTo, Reading{Series: "a", Read: readCost}, nil, ptr(10))
	for _, tt := range []struct {
		name          string
		check         Check
		a, b          []int
		deterministic []DatasetSeries
		want          string
		n             int
		text          string
	}{
		{"one", aBelowB, one, one, nil, Inconclusive, 1, "one repeat"},
		{"one, level", level(0.1), one, nil, nil, Inconclusive, 1, "one repeat"},
		{"no randomness", level(0.1), one, nil, aOnly, Reproduced, 1, ""},
		{"no randomness, above", level(0.001), one, nil, aOnly, NotReproduced, 1, ""},
		{"no randomness elsewhere", level(0.1), one, nil, []DatasetSeries{{"e", "a"}, {"d", "b"}}, Inconclusive, 1, "one repeat"},
		{"deterministic and random", aBelowB, one, one, aOnly, Inconclusive, 1, "one repeat"},
		{"one of b", aBelowB, all, one, bOnly, Reproduced, 4, ""},
		{"one of a", aBelowB, one, all, aOnly, Reproduced, 4, ""},
		{"one random of b", aBelowB, all, one, nil, NotRun, 0, "the series have 1 repeat in common"},
		{"one random of a", aBelowB, one, all, nil, NotRun, 0, "the series have 1 repeat in common"},
		{"b lacks one", aBelowB, all, []int{0, 1, 3}, nil, Reproduced, 3, "only repeats that all series have are used"},
		{"one in common", aBelowB, []int{0, 1, 2}, []int{0, 3}, nil, NotRun, 0, "the series have 1 repeat in common"},
		{"one in common, cost", toCost, []int{0, 1, 2}, []int{0, 3}, nil, NotRun, 0, "1 repeat in common"},
		{"times of one", orderOver(processor), one, one, both, Inconclusive, 1, "one repeat"},
		{"within the time of one", Check{Reaches: within}, one, one, both, Inconclusive, 1, "one repeat"},
		{"iterations of one", aBelowB, one, one, both, Reproduced, 1, ""},
		{"one time and several repeats", orderOver(processor), all, one, bOnly, NotReproduced, 4, "b was timed once"},
		{"times", orderOver(processor), all, all, nil, NotReproduced, 4, "seconds are processor time"},
		{"times side by side", orderOver(processor), all, all, nil, NotReproduced, 4, "measured with 2 runs in parallel"},
	} {
		runs := without(timed(below("d", nil, yes)), func(r record.Run) bool {
			return !slices.Contains(map[string][]int{"a": tt.a, "b": tt.b}[r.Series], r.Repeat)
		})
		v := judgeOne(t, claimOf(tt.check), Input{Choice: selection.All(runs), Deterministic: tt.deterministic})
		wantOutcome(t, tt.name, v, tt.want, tt.text)
		if tt.want == NotRun {
			continue
		}
		e := v.Parts[0].Estimates[0]
		if e.N != tt.n || tt.n == 1 && e.Lo < e.Hi || (e.Level == 0) != (tt.text == "one repeat") {
			t.Errorf("%s: %+v", tt.name, e)
		}
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	runs := below("d", nil, yes)
	for _, tt := range []struct{ profile, from, want string }{
		{"smoke", "", NotRun}, {"quick", "", Reproduced}, {"paper", "", Reproduced},
		{"smoke", "smoke", Reproduced}, {"quick", "paper", NotRun}, {"paper", "paper", Reproduced},
		{"mine", "paper", Reproduced}, {"", "paper", Reproduced},
	} {
		c := claimOf(aBelowB)
		c.From = tt.from
		in := Input{Origin: Origin{Profile: tt.profile}, Choice: selection.All(runs)}
		if v := Judge([]Claim{c}, in)[0]; v.Outcome != tt.want {
			t.Errorf("%+v: %s (%s)", tt, v.Outcome, v.Reason)
		}
	}
}

func TestStandIn(t *testing.T) {
	t.Parallel()
	runs := join(below("d", nil, yes), below("e", nil, yes))
	standIns := func(datasets ...string) Input {
		of := slices.Clone(runs)
		for i := range of {
			of[i].StandIn = slices.Contains(datasets, of[i].Dataset)
		}
		return Input{Choice: selection.All(of)}
	}
	c := claimOf(aBelowB)
	wantOutcome(t, "any data", judgeOne(t, c, standIns("e")), Reproduced, "e: stand-in data")
	c.Data = dataReal
	wantOutcome(t, "real data of one", judgeOne(t, c, standIns("e")), Reproduced, "e: not judged: stand-in data")
	v := judgeOne(t, c, standIns("d", "e"))
	wantOutcome(t, "no real data", v, NotRun, "stand-in data")
	if len(v.Parts) != 2 || !v.Parts[0].StandIn {
		t.Errorf("parts %+v", v.Parts)
	}
}

// Runs below the scale of the thesis and missing runs are reported if they belong to the claim's series.
func TestOriginOfRuns(t *testing.T) {
	t.Parallel()
	c := claimOf(aBelowB)
	c.Datasets = []string{"d", "e"}
	in := Input{Choice: selection.All(join(below("d", nil, yes), below("e", nil, yes), below("f", nil, yes)))}
	in.Shortfalls = []Shortfall{
		{Text: "4 of 10 repeats"}, {Dataset: "d", Text: "50 of 100 training rows"},
		{Dataset: "f", Text: "1 of 100 training rows"}, {Dataset: "e", Text: "50 of 100 training rows"},
		{Series: "c", Text: "8 steps"}, {Series: "b", Text: "9 steps"},
	}
	want := []string{"4 of 10 repeats", "d, e: 50 of 100 training rows", "b: 9 steps"}
	v := judgeOne(t, c, in)
	if !slices.Equal(Texts(v.Caveats), want) || v.Doubtful {
		t.Errorf("doubtful %v, caveats %q, want %q", v.Doubtful, v.Caveats, want)
	}
	in.Missing = []observe.Missing{
		{Dataset: "d", Series: "b", Runs: 1}, {Dataset: "d", Series: "c", Runs: 2},
		{Dataset: "f", Series: "b", Runs: 4}, {Dataset: "e", Series: "a", Runs: 8},
	}
	v = judgeOne(t, c, in)
	wantOutcome(t, "missing", v, Reproduced, "not on record: 9 runs that the claim is about")
	if !v.Doubtful {
		t.Error("missing runs do not make a verdict doubtful")
	}
}

func TestLostRuns(t *testing.T) {
	t.Parallel()
	lose := func(series, status string, repeats ...int) []record.Run {
		runs := below("d", nil, yes)
		for i := range runs {
			if r := &runs[i]; r.Series == series && slices.Contains(repeats, r.Repeat) {
				r.Status, r.Reason = status, "so it was"
				if status != record.StatusOutOfTime { // which counts as far as it got
					r.Curve = record.Curve{}
				}
			}
		}
		return runs
	}
	onlyOne := without(lose("a", record.StatusDiverged, 0), func(r record.Run) bool { return r.Repeat > 0 })
	for _, tt := range []struct {
		name string
		runs []record.Run
		want string
		text string
	}{
		{"failed", lose("a", record.StatusFailed, 1), Reproduced, "1 of 4 runs of a left out: 1 failed"},
		{"diverged", lose("a", record.StatusDiverged, 1), Inconclusive, "1 of 4 runs of a left out: 1 diverged"},
		{"of b diverged", lose("b", record.StatusDiverged, 1), Reproduced, "1 of 4 runs of b left out: 1 diverged"},
		{"all diverged", lose("a", record.StatusDiverged, 0, 1, 2, 3), NotReproduced,
			"none of the 4 runs of a has a result: 4 diverged"},
		{"all of b diverged", lose("b", record.StatusDiverged, 0, 1, 2, 3), NotRun,
			"none of the 4 runs of b has a result: 4 diverged"},
		{"the only one diverged", onlyOne, NotRun, "none of the 1 run of a has a result"},
		{"all skipped", lose("b", record.StatusSkipped, 0, 1, 2, 3), NotRun, "4 skipped"},
		{"empty curves", lose("a", record.StatusFinished, 0, 1, 2, 3), NotRun, "4 with an empty curve"},
		{"out of time", lose("a", record.StatusOutOfTime, 0), Reproduced, "1 run of a out of time"},
	} {
		wantOutcome(t, tt.name, judgeOne(t, claimOf(aBelowB), Input{Choice: selection.All(tt.runs)}), tt.want, tt.text)
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	runs := below("d", nil, yes)
	with := func(change func(r *record.Run)) []record.Run {
		runs := below("d", nil, yes)
		for i := range runs {
			change(&runs[i])
		}
		return runs
	}
	zero := with(func(r *record.Run) { r.Curve.Metrics["test"]["gain"] = make([]float64, r.Curve.Len()) })
	free := with(func(r *record.Run) { clear(r.Curve.Cost["kernel_evals"]) })
	rowless := with(func(r *record.Run) { r.Rows = nil })
	short := join(made{series: "a", of: noisy(0.02, falling(0.3))}.runs(),
		made{series: "b", points: []int64{1, 2, 4, 8}, of: noisy(0.02, falling(0.3))}.runs())
	passes := func(from, to float64) Check { return orderOf(Order{Range: Range{Passes: []float64{from, to}}}) }
	for _, tt := range []struct {
		runs  []record.Run
		check Check
		text  string
	}{
		{runs, orderOver(Curve{Metric: "hinge"}), "a: no record of hinge"},
		{runs, orderOver(Curve{Split: "train"}), "a: no record of train error"},
		{runs, orderOver(Curve{Cost: "cpu_seconds"}), "a: no record of cpu_seconds"},
		{runs, orderOver(Curve{Cost: "support"}), "a: no record of support"},
		{free, orderOver(Curve{Cost: "kernel_evals"}), "a: kernel_evals does not apply"},
		{zero, orderOver(Curve{Metric: "gain"}), "gain is not positive"},
		{runs, Check{Reaches: &Reaches{Series: "a", Value: Value{Fact: "R"}}}, "a has no fact or parameter R"},
		{runs, orderOf(Order{Range: Range{After: 1000}}), "the runs cover 1 to 100 iterations"},
		{runs, passes(2, 3), "the runs of a end after 2.00 passes"},
		{short, passes(1, 2), "the runs cover 1 to 8 iterations, outside the range"}, // which b does not get to
		{rowless, passes(0, 1), "the passes of a over the training data are not on record"},
	} {
		v := judgeOne(t, claimOf(tt.check), Input{Choice: selection.All(tt.runs)})
		wantOutcome(t, fmt.Sprintf("%+v", tt.check), v, NotRun, tt.text)
	}
}

// Values below the floor count as equal.
func TestFloors(t *testing.T) {
	t.Parallel()
	sub := func(series string, end, gap float64) []record.Run {
		return made{
			series: series, metric: "suboptimality", split: "train",
			facts: map[string]float64{"reference_primal": gap, "reference_dual": 0},
			of:    noisy(0, func(x float64) float64 { return end + max(0, 1/x-0.1) }),
		}.runs()
	}
	for _, tt := range []struct {
		name string
		runs []record.Run
		over string
		want string
		text string
	}{
		{"both within the gap", join(sub("a", 1e-9, 1e-6), sub("b", 1e-7, 1e-6)), overEnd, NotReproduced, "1.00"},
		{"a smaller gap", join(sub("a", 1e-9, 1e-12), sub("b", 1e-7, 1e-12)), overEnd, Reproduced, "0.01"},
		{"none at all", join(sub("a", -1e-15, 0), sub("b", 0, 0)), "", NotReproduced, ""},
	} {
		in := Input{Origin: Origin{Metric: "suboptimality"}, Choice: selection.All(tt.runs)}
		wantOutcome(t, tt.name, judgeOne(t, claimOf(orderOf(Order{Ratio: 0.9, Over: tt.over})), in), tt.want, tt.text)
	}
	zero := join(made{series: "a", of: noisy(0, flat(0))}.runs(), made{series: "b", of: noisy(0, flat(0.001))}.runs())
	v := judgeOne(t, claimOf(aBelowB), Input{Choice: selection.All(zero)})
	if e := v.Parts[0].Estimates[0]; math.Abs(e.Value-0.5) > 1e-12 { // half an example of 1000
		t.Errorf("%+v", e)
	}
}

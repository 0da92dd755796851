package claims

import (
	"math"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

var aBelowB = Check{Order: &Order{Series: "a", Below: []string{"b"}}}

// below makes runs of a and b such that a is below b, above it, or neither.
func below(dataset string, params record.Params, scale float64) []record.Run {
	spread := 0.02
	if scale == 1 {
		spread = 0.2
	}
	return join(
		made{dataset: dataset, series: "a", params: params, of: noisy(spread, falling(0.3*scale))}.runs(),
		made{dataset: dataset, series: "b", params: params, of: func(x float64, _ int) float64 { return 0.3 / math.Sqrt(x) }}.runs())
}

const (
	yes  = 0.8
	no   = 1.25
	open = 1.0
)

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
		{"all", []setting{{"d", 1, yes}, {"d", 4, yes}, {"e", 1, yes}}, "", Reproduced},
		{"one is not", []setting{{"d", 1, yes}, {"d", 4, no}, {"e", 1, open}}, "all", NotReproduced},
		{"one is open", []setting{{"d", 1, yes}, {"d", 4, yes}, {"e", 1, open}}, "all", Inconclusive},
		{"most", []setting{{"d", 1, yes}, {"d", 4, no}, {"e", 1, yes}}, "most", Reproduced},
		{"half", []setting{{"d", 1, yes}, {"d", 4, no}}, "most", NotReproduced},
		{"most may be", []setting{{"d", 1, yes}, {"d", 4, no}, {"e", 1, open}}, "most", Inconclusive},
		{"most cannot be", []setting{{"d", 1, open}, {"d", 4, no}, {"e", 1, no}}, "most", NotReproduced},
		{"any", []setting{{"d", 1, no}, {"d", 4, open}, {"e", 1, yes}}, "any", Reproduced},
		{"any may be", []setting{{"d", 1, no}, {"d", 4, open}}, "any", Inconclusive},
		{"none is", []setting{{"d", 1, no}, {"d", 4, no}}, "any", NotReproduced},
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
			t.Errorf("%s: parts %+v", tt.name, v.Parts)
			continue
		}
		for i, s := range tt.parts {
			want := map[float64]string{yes: Reproduced, no: NotReproduced, open: Inconclusive}[s.scale]
			if p := v.Parts[i]; p.Dataset != s.dataset || p.Setting != record.Params(record.Params{"k": s.k}).String() || p.Outcome != want {
				t.Errorf("%s: part %+v, want %s of %+v", tt.name, p, want, s)
			}
		}
	}
}

// The parameters that tell parts apart are those that the series share.
func TestSettings(t *testing.T) {
	t.Parallel()
	with := func(series string, params record.Params, scale float64) []record.Run {
		return made{series: series, params: params, of: noisy(0.02, falling(scale))}.runs()
	}
	k := func(k int, more ...any) record.Params {
		p := record.Params{"k": int64(k)}
		for i := 0; i < len(more); i += 2 {
			p[more[i].(string)] = more[i+1]
		}
		return p
	}
	for _, tt := range []struct {
		name  string
		runs  []record.Run
		where map[string]any
		want  string
		parts []string
		text  string
	}{
		{"one setting", join(with("a", k(1), 1), with("b", k(1), 2)), nil, Reproduced, []string{""}, ""},
		{"step sizes of their own", join(with("a", k(1, "step.c", 0.5), 1), with("b", k(1, "step.c", 2.0), 2)), nil, Reproduced, []string{""}, ""},
		{"numbers in order", join(with("a", k(2), 1), with("b", k(2), 2), with("a", k(16), 1), with("b", k(16), 2)), nil, Reproduced, []string{"k=2", "k=16"}, ""},
		{"restricted", join(with("a", k(2), 1), with("b", k(2), 2), with("a", k(16), 3), with("b", k(16), 2)), map[string]any{"k": 2}, Reproduced, []string{""}, ""},
		{"several of one", join(with("a", k(1, "cap", int64(2)), 1), with("a", k(1, "cap", int64(3)), 1), with("b", k(1), 2)), nil, NotRun, []string{""}, "series a has several settings of cap: choose one with where"},
		{"one of several", join(with("a", k(1, "cap", int64(2)), 1), with("a", k(1, "cap", int64(3)), 1), with("b", k(1), 2)), map[string]any{"cap": 3}, Reproduced, []string{""}, ""},
		{"a start of its own", join(with("a", k(1, "start", "zero"), 1), with("b", k(1, "start", "random"), 2)), nil, Reproduced, []string{""}, ""},
		{"starts of its own", join(with("a", k(1, "start", "zero"), 1), with("a", k(1, "start", "one"), 1), with("b", k(1, "start", "random"), 2)), nil, NotRun, []string{""}, "series a has several settings of start"},
		{"step sizes name no setting", join(
			with("a", k(1, "radius", 2.0, "step.c", 1.0), 1), with("a", k(1, "radius", 4.0, "step.c", 2.0), 1),
			with("b", k(1, "radius", 2.0, "step.c", 1.0), 2), with("b", k(1, "radius", 4.0, "step.c", 2.0), 2)), nil, Reproduced, []string{"radius=2", "radius=4"}, ""},
		{"none of the other", join(with("a", k(1), 1), with("a", k(4), 1), with("b", k(1), 2)), nil, Inconclusive, []string{"k=1", "k=4"}, "k=4: not judged: no runs of series b"},
		{"none at all", with("a", k(1), 1), nil, NotRun, []string{""}, "no runs of series b"},
		{"nothing", nil, nil, NotRun, nil, "no runs of series a or b"},
		{"nothing there", join(with("a", k(1), 1), with("b", k(1), 2)), map[string]any{"k": 3}, NotRun, nil, "no runs of series a or b"},
		{"twice", join(with("a", k(1), 1), with("a", k(1), 1), with("b", k(1), 2)), nil, NotRun, []string{""}, "series a has runs of different experiments"},
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
	v := judgeOne(t, c, Input{Choice: selection.All(join(below("d", nil, yes), below("e", nil, yes), below("g", nil, no)))})
	wantOutcome(t, "one of three has no runs", v, Inconclusive, "f: not judged: no runs of series a")
	none := judgeOne(t, c, Input{Choice: selection.All(below("g", nil, yes))})
	wantOutcome(t, "none has runs", none, NotRun, "e, d, f: no runs of series a")
	if len(v.Parts) != 3 || v.Parts[0].Dataset != "e" || v.Parts[1].Dataset != "d" || v.Parts[2].Outcome != NotRun {
		t.Errorf("parts %+v", v.Parts)
	}
}

func TestOneRepeat(t *testing.T) {
	t.Parallel()
	first := func(runs []record.Run) []record.Run {
		return slices.DeleteFunc(runs, func(r record.Run) bool { return r.Repeat > 0 })
	}
	one := first(below("d", record.Params{"k": int64(4)}, 0.1))
	for i := range one {
		one[i].Curve.Metrics["state"] = map[string][]float64{"rank": one[i].Curve.Metrics["test"]["error"]}
	}
	for name, check := range map[string]Check{
		"order":   aBelowB,
		"reaches": {Reaches: &Reaches{Series: "a", Value: is(0.5)}},
		"stays":   {Stays: &Stays{Series: "a", Above: is(0)}},
		"ratio":   {Ratio: &Ratio{Of: Reading{Series: "a"}, To: Reading{Series: "b"}, Between: []*float64{nil, ptr(1)}}},
		"level":   {Level: &Level{Reading: Reading{Series: "a"}, Between: []*float64{nil, ptr(1)}}},
		"plateau": {Plateau: &Plateau{Series: "a", Falls: 0.01}},
	} {
		v := judgeOne(t, claimOf(check), Input{Choice: selection.All(one)})
		wantOutcome(t, name, v, Inconclusive, "one repeat")
		for _, e := range v.Parts[0].Estimates {
			if e.N != 1 || e.Level != 0 || e.Lo != e.Value || e.Hi != e.Value {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}

// Where no randomness is involved there is nothing to repeat; wall times vary all the same.
func TestOneRunWithoutRandomness(t *testing.T) {
	t.Parallel()
	one := made{series: "smo", repeats: 1, of: func(x float64, _ int) float64 { return 1 / x }}.runs()
	level := func(most float64) Claim {
		return claimOf(Check{Level: &Level{Reading: Reading{Series: "smo"}, Between: []*float64{nil, ptr(most)}}})
	}
	known := Input{Choice: selection.All(one), Deterministic: []Cell{{"d", "smo"}}}
	v := judgeOne(t, level(0.1), known)
	wantOutcome(t, "holds", v, Reproduced, "")
	if e := v.Parts[0].Estimates[0]; e.N != 1 || e.Exact == "" || slices.Contains(Texts(v.Caveats), "one repeat") {
		t.Errorf("%+v, caveats %q", e, v.Caveats)
	}
	wantOutcome(t, "does not hold", judgeOne(t, level(0.001), known), NotReproduced, "")
	elsewhere := known
	elsewhere.Deterministic = []Cell{{"e", "smo"}, {"d", "sbp"}}
	wantOutcome(t, "another series", judgeOne(t, level(0.1), elsewhere), Inconclusive, "one repeat")
	random := made{series: "a", repeats: 1, of: func(x float64, _ int) float64 { return 2 / x }}.runs()
	known.Choice = selection.All(join(one, random))
	order := claimOf(Check{Order: &Order{Series: "smo", Below: []string{"a"}}})
	wantOutcome(t, "beside one with randomness", judgeOne(t, order, known), Inconclusive, "one repeat")
}

// One run of a method without randomness goes with each repeat of another.
func TestSingleRun(t *testing.T) {
	t.Parallel()
	runs := slices.DeleteFunc(below("d", nil, yes), func(r record.Run) bool { return r.Series == "b" && r.Repeat > 0 })
	v := judgeOne(t, claimOf(aBelowB), Input{Choice: selection.All(runs), Deterministic: []Cell{{"d", "b"}}})
	wantOutcome(t, "b has one", v, Reproduced)
	if e := v.Parts[0].Estimates[0]; e.N != 4 {
		t.Errorf("%+v", e)
	}
	runs = slices.DeleteFunc(below("d", nil, yes), func(r record.Run) bool { return r.Series == "b" && r.Repeat == 2 })
	v = judgeOne(t, claimOf(aBelowB), Input{Origin: Origin{Missing: []observe.Missing{{Dataset: "d", Series: "b", Runs: 1}, {Dataset: "d", Series: "c", Runs: 2}}}, Choice: selection.All(runs)})
	wantOutcome(t, "b lacks one", v, Reproduced, "only repeats that all series have are used", "not on record: 1 run that the claim is about")
	if e := v.Parts[0].Estimates[0]; e.N != 3 {
		t.Errorf("%+v", e)
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	runs := below("d", nil, yes)
	for _, tt := range []struct{ profile, from, want string }{
		{"smoke", "", NotRun}, {"quick", "", Reproduced}, {"paper", "", Reproduced},
		{"smoke", "smoke", Reproduced}, {"quick", "paper", NotRun}, {"paper", "paper", Reproduced},
		{"mine", "paper", Reproduced},
	} {
		c := claimOf(aBelowB)
		c.From = tt.from
		v := judgeOne(t, c, Input{Origin: Origin{Profile: tt.profile}, Choice: selection.All(runs)})
		if v.Outcome != tt.want || tt.want == NotRun && !strings.HasPrefix(v.Reason, "needs profile ") {
			t.Errorf("%+v: %s (%s)", tt, v.Outcome, v.Reason)
		}
	}
	c := claimOf(aBelowB)
	c.From = "paper"
	if v := Judge([]Claim{c}, Input{Choice: selection.All(runs)}, nil)[0]; v.Outcome != Reproduced {
		t.Errorf("without profiles: %s (%s)", v.Outcome, v.Reason)
	}
}

func TestStandIn(t *testing.T) {
	t.Parallel()
	runs := join(below("d", nil, yes), below("e", nil, yes))
	made := slices.Clone(runs)
	for i := range made {
		made[i].StandIn = made[i].Dataset == "e"
	}
	wantOutcome(t, "any data", judgeOne(t, claimOf(aBelowB), Input{Choice: selection.All(made)}), Reproduced, "e: stand-in data")
	c := claimOf(aBelowB)
	c.Data = dataReal
	v := judgeOne(t, c, Input{Choice: selection.All(made)})
	wantOutcome(t, "real data of one", v, Reproduced, "e: not judged: stand-in data")
	for i := range made {
		made[i].StandIn = true
	}
	v = judgeOne(t, c, Input{Choice: selection.All(made)})
	wantOutcome(t, "no real data", v, NotRun, "stand-in data")
	if len(v.Parts) != 2 || !v.Parts[0].StandIn {
		t.Errorf("parts %+v", v.Parts)
	}
}

func TestShortfalls(t *testing.T) {
	t.Parallel()
	c := claimOf(aBelowB)
	c.Datasets = []string{"d", "e"}
	v := judgeOne(t, c, Input{Choice: selection.All(join(below("d", nil, yes), below("e", nil, yes), below("f", nil, yes))), Origin: Origin{Shortfalls: []Shortfall{
		{Text: "4 of 10 repeats"}, {Dataset: "d", Text: "50 of 100 training rows"}, {Dataset: "f", Text: "1 of 100 training rows"},
		{Dataset: "e", Text: "50 of 100 training rows"}, {Series: "c", Text: "8 steps"}, {Series: "b", Text: "9 steps"},
	}}})
	want := []string{"4 of 10 repeats", "d, e: 50 of 100 training rows", "b: 9 steps"}
	if !slices.Equal(Texts(v.Caveats), want) {
		t.Errorf("caveats %q, want %q", v.Caveats, want)
	}
	if v.Doubtful {
		t.Error("less than the thesis's scale makes a verdict doubtful")
	}
}

func TestLostRuns(t *testing.T) {
	t.Parallel()
	lose := func(series, status string, repeats ...int) []record.Run {
		runs := below("d", nil, yes)
		for i := range runs {
			if r := &runs[i]; r.Series == series && slices.Contains(repeats, r.Repeat) {
				r.Status, r.Reason = status, "so it was"
				r.Curve = record.Curve{}
			}
		}
		return runs
	}
	for _, tt := range []struct {
		name string
		runs []record.Run
		want string
		text string
	}{
		{"one failed", lose("a", record.StatusFailed, 1), Reproduced, "1 of 4 runs of a left out: 1 failed"},
		{"one diverged", lose("a", record.StatusDiverged, 1), Inconclusive, "1 of 4 runs of a left out: 1 diverged"},
		{"one of the other diverged", lose("b", record.StatusDiverged, 1), Reproduced, "1 of 4 runs of b left out: 1 diverged"},
		{"all diverged", lose("a", record.StatusDiverged, 0, 1, 2, 3), NotReproduced, "none of the 4 runs of a has a result: 4 diverged"},
		{"all of the other diverged", lose("b", record.StatusDiverged, 0, 1, 2, 3), NotRun, "none of the 4 runs of b has a result: 4 diverged"},
		{"the only one diverged", slices.DeleteFunc(lose("a", record.StatusDiverged, 0), func(r record.Run) bool { return r.Repeat > 0 }), NotRun, "none of the 1 run of a has a result"},
		{"all skipped", lose("b", record.StatusSkipped, 0, 1, 2, 3), NotRun, "4 skipped"},
		{"all out of memory", lose("a", record.StatusOutOfMemory, 0, 1, 2, 3), NotRun, "4 out of memory"},
		{"empty curves", lose("a", record.StatusFinished, 0, 1, 2, 3), NotRun, "4 with an empty curve"},
	} {
		wantOutcome(t, tt.name, judgeOne(t, claimOf(aBelowB), Input{Choice: selection.All(tt.runs)}), tt.want, tt.text)
	}
	// A run that ran out of time counts as far as it got.
	runs := below("d", nil, yes)
	runs[0].Status, runs[0].Reason = record.StatusOutOfTime, "10 s"
	wantOutcome(t, "out of time", judgeOne(t, claimOf(aBelowB), Input{Choice: selection.All(runs)}), Reproduced, "1 run of a out of time")
}

func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	of := func(change func(r *record.Run)) []record.Run {
		runs := below("d", nil, yes)
		for i := range runs {
			change(&runs[i])
		}
		return runs
	}
	for _, tt := range []struct {
		name  string
		runs  []record.Run
		check Check
		text  string
	}{
		{"no metric", below("d", nil, yes), Check{Order: &Order{Series: "a", Below: []string{"b"}, Curve: Curve{Metric: "hinge"}}}, "a: no record of hinge"},
		{"no split", below("d", nil, yes), Check{Order: &Order{Series: "a", Below: []string{"b"}, Curve: Curve{Split: "train"}}}, "a: no record of train error"},
		{"a cost must be positive", below("d", nil, yes), Check{Order: &Order{Series: "a", Below: []string{"b"}, Curve: Curve{Cost: "sum_kt2"}}}, "a: no record of sum_kt2"},
		{"no time", below("d", nil, yes), Check{Order: &Order{Series: "a", Below: []string{"b"}, Curve: Curve{Cost: "cpu_seconds"}}}, "a: no record of cpu_seconds"},
		{"no trade-off", below("d", nil, yes), Check{Order: &Order{Series: "a", Below: []string{"b"}, Curve: Curve{Cost: "support"}}}, "a: no record of support"},
		{"NaN", of(func(r *record.Run) { r.Curve.Metrics["test"]["error"][3] = math.NaN() }), aBelowB, "a: error is not finite in repeat 0"},
		{"a cost that does not count", of(func(r *record.Run) { clear(r.Curve.Cost["kernel_evals"]) }), Check{Order: &Order{Series: "a", Below: []string{"b"}, Curve: Curve{Cost: "kernel_evals"}}}, "a: kernel_evals does not apply"},
		{"not positive", of(func(r *record.Run) { r.Curve.Metrics["test"] = map[string][]float64{"gain": make([]float64, 8)} }), Check{Order: &Order{Series: "a", Below: []string{"b"}, Curve: Curve{Metric: "gain"}}}, "gain is not positive"},
		{"no fact", below("d", nil, yes), Check{Reaches: &Reaches{Series: "a", Value: Value{Fact: "R"}}}, "a has no fact or parameter R"},
		{"too short", below("d", nil, yes), Check{Order: &Order{Series: "a", Below: []string{"b"}, Range: Range{After: 1000}}}, "the runs cover 1 to 100 iterations"},
		{"too few passes", below("d", nil, yes), Check{Order: &Order{Series: "a", Below: []string{"b"}, Range: Range{Passes: []float64{2, 3}}}}, "the runs of a end after 2.00 passes"},
		{"no passes", of(func(r *record.Run) { r.Rows = nil }), Check{Order: &Order{Series: "a", Below: []string{"b"}, Range: Range{Passes: []float64{0, 1}}}}, "the passes of a over the training data are not on record"},
		{"no table", below("d", nil, yes), Check{Exponent: &Exponent{Series: "a", Table: "t", Column: "c", Between: []*float64{nil, ptr(1)}}}, "no table t"},
	} {
		wantOutcome(t, tt.name, judgeOne(t, claimOf(tt.check), Input{Choice: selection.All(tt.runs)}), NotRun, tt.text)
	}
}

// A claim may be about one cost, between recorded points too; at another it is false.
func TestAtOneCost(t *testing.T) {
	t.Parallel()
	runs := made{series: "a", metric: "error", split: "test", of: func(x float64, _ int) float64 {
		if x < 10 {
			return 0.5
		}
		return 0.1
	}}.runs()
	for _, tt := range []struct {
		at   float64
		want string
	}{{5, NotReproduced}, {50, Reproduced}, {1000, NotRun}} {
		check := Check{Level: &Level{Reading: Reading{Series: "a", Range: Range{At: tt.at}}, Between: []*float64{nil, ptr(0.2)}}}
		wantOutcome(t, "at", judgeOne(t, claimOf(check), Input{Choice: selection.All(runs)}), tt.want, "")
	}
	if err := (Claim{ID: "a", Says: "so", Check: Check{Stays: &Stays{Series: "a", Range: Range{At: 5, Until: 9}, Above: Value{Is: ptr(0)}}}}).Validate(); err == nil || err.Path[len(err.Path)-1] != "at" {
		t.Errorf("at and until: %v", err)
	}
}

// A value that is not told from 0 is no less than another.
func TestFloors(t *testing.T) {
	t.Parallel()
	sub := func(series string, v float64, gap float64) []record.Run {
		return made{series: series, metric: "suboptimality", split: "train", facts: map[string]float64{"reference_primal": gap, "reference_dual": 0}, of: func(x float64, _ int) float64 {
			if x < 10 {
				return 1 / x
			}
			return v
		}}.runs()
	}
	order := func(over string) Check {
		return Check{Order: &Order{Series: "a", Below: []string{"b"}, Ratio: 0.9, Over: over}}
	}
	in := Input{Origin: Origin{Metric: "suboptimality"}, Choice: selection.All(join(sub("a", 1e-9, 1e-6), sub("b", 1e-7, 1e-6)))}
	wantOutcome(t, "both within the gap", judgeOne(t, claimOf(order(overEnd)), in), NotReproduced, "1.00")
	in.Choice = selection.All(join(sub("a", 1e-9, 1e-12), sub("b", 1e-7, 1e-12)))
	wantOutcome(t, "a smaller gap", judgeOne(t, claimOf(order(overEnd)), in), Reproduced, "0.01")
	in.Choice = selection.All(join(sub("a", -1e-15, 0), sub("b", 0, 0)))
	wantOutcome(t, "none at all", judgeOne(t, claimOf(order("")), in), NotReproduced)
	zero := join(made{series: "a", of: func(float64, int) float64 { return 0 }}.runs(), made{series: "b", of: func(float64, int) float64 { return 0.001 }}.runs())
	v := judgeOne(t, claimOf(Check{Order: &Order{Series: "a", Below: []string{"b"}}}), Input{Choice: selection.All(zero)})
	if e := v.Parts[0].Estimates[0]; math.Abs(e.Value-0.5) > 1e-12 { // half an example of 1000
		t.Errorf("%+v", e)
	}
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	runs := below("d", nil, no)
	for j, r := range runs {
		pace := 1e-3
		if r.Series == "b" {
			pace = 1e-2 // ten times slower: b is above at equal time
		}
		seconds := make([]float64, r.Curve.Len())
		for i, n := range r.Curve.Cost["iterations"] {
			seconds[i] = pace * float64(n)
		}
		runs[j] = r.Timed(record.Timing{Seconds: seconds, CPUSeconds: seconds, Jobs: 2})
	}
	in := Input{Choice: selection.All(runs)}
	wantOutcome(t, "iterations", judgeOne(t, claimOf(aBelowB), in), NotReproduced)
	over := func(cost string) Claim {
		return claimOf(Check{Order: &Order{Series: "a", Below: []string{"b"}, Curve: Curve{Cost: cost}}})
	}
	wantOutcome(t, "processor", judgeOne(t, over("cpu_seconds"), in), Reproduced, "seconds are processor time", "measured with 2 runs in parallel")
	for i := range runs {
		timing, _ := runs[i].Timing()
		timing.CPUSeconds = nil
		runs[i] = runs[i].Timed(timing)
	}
	wantOutcome(t, "old records", judgeOne(t, over("cpu_seconds"), in), NotRun, "a: no record of cpu_seconds")
}

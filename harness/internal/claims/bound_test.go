package claims

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// withBound adds a bound of 2/sqrt(t) on the error for the length of a test.
func withBound(t *testing.T, form form) Check {
	t.Helper()
	boundsSVM["of-the-test"] = bound{task: record.TaskSVM, judged: "what is judged / bound", form: form, at: func(p *point) (value, limit float64) {
		_, lacks := p.run.Facts["lacks"]
		p.require(!lacks, "no fact or parameter u_norm")
		return p.metric("test", "error"), 2 / math.Sqrt(p.steps)
	}}
	t.Cleanup(func() { delete(boundsSVM, "of-the-test") })
	return Check{Bound: &Bound{Name: "of-the-test", Series: "a"}}
}

// evaluated is what a bound says along a run.
func evaluated(b bound, r *record.Run) (at []int, value, limit []float64, err error) {
	points, err := b.along(r)
	for _, q := range points {
		at, value, limit = append(at, q.index), append(value, q.value), append(limit, q.limit)
	}
	return at, value, limit, err
}

func TestBoundOfEveryRun(t *testing.T) {
	check := withBound(t, everyRun)
	broken := func(repeats int, which int, by float64) []record.Run {
		return made{series: "a", repeats: repeats, of: func(x float64, repeat int) float64 {
			if repeat == which && x == 16 {
				return by
			}
			return 1 / math.Sqrt(x)
		}}.runs()
	}
	for _, tt := range []struct {
		name string
		runs []record.Run
		want string
		text string
	}{
		{"holds", broken(4, -1, 0), Reproduced, "0.500"},
		{"holds in one run", broken(1, -1, 0), Reproduced, "0.500"},
		{"holds with equality", broken(4, 2, 0.5), Reproduced, "1.00"},
		{"broken once", broken(4, 2, 0.6), NotReproduced, "1.20"},
		{"broken in the only run", broken(1, 0, 0.6), NotReproduced, "1.20"},
	} {
		wantOutcome(t, tt.name, judgeOne(t, claimOf(check), Input{Choice: selection.All(tt.runs)}), tt.want, tt.text)
	}
	// All settings are of one part, and each run counts.
	var runs []record.Run
	for _, eta := range []float64{1, 2} {
		of := made{series: "a", params: record.Params{"eta": eta}, of: func(x float64, _ int) float64 { return eta * 1.1 / math.Sqrt(x) }}
		runs = append(runs, of.runs()...)
	}
	v := judgeOne(t, claimOf(check), Input{Choice: selection.All(runs)})
	wantOutcome(t, "broken at one setting", v, NotReproduced)
	if len(v.Parts) != 1 || v.Parts[0].Estimates[0].N != 8 || !strings.Contains(v.Parts[0].Reason, "holds in 4 of 8 runs; the worst run is repeat 0, eta=2") {
		t.Errorf("parts %+v", v.Parts)
	}
}

func TestBoundOnAverage(t *testing.T) {
	check := withBound(t, onAverage)
	of := func(scale, spread float64) []record.Run {
		return made{series: "a", of: noisy(spread, func(x float64) float64 { return scale / math.Sqrt(x) })}.runs()
	}
	wantOutcome(t, "holds", judgeOne(t, claimOf(check), Input{Choice: selection.All(of(1, 0.1))}), Reproduced, "a, what is judged / bound at ")
	wantOutcome(t, "broken", judgeOne(t, claimOf(check), Input{Choice: selection.All(of(3, 0.1))}), NotReproduced)
	wantOutcome(t, "about", judgeOne(t, claimOf(check), Input{Choice: selection.All(of(2, 0.1))}), Inconclusive)
	// One run beyond it does not break it, if the others are below.
	one := made{series: "a", repeats: 6, of: func(x float64, repeat int) float64 { return []float64{2.1, 1, 1, 1, 1, 1}[repeat] / math.Sqrt(x) }}.runs()
	wantOutcome(t, "one beyond", judgeOne(t, claimOf(check), Input{Choice: selection.All(one)}), Reproduced)
	wantOutcome(t, "one repeat", judgeOne(t, claimOf(check), Input{Choice: selection.All(one[1:2])}), Inconclusive, "one repeat")
}

// Of a bound at many points only that which is shown has caveats, and all must hold.
func TestBoundAtManyPoints(t *testing.T) {
	of := noisy(0.1, func(x float64) float64 { return 2.4 / math.Sqrt(x) })
	c := claimOf(withBound(t, onAverage))
	v := judgeOne(t, c, Input{Choice: selection.All(made{series: "a", of: of}.runs())})
	wantOutcome(t, "broken at 95 %", v, Inconclusive, v.Parts[0].Estimates[0].Name+" is decided at 95 %, but not at the level")
	if len(v.Caveats) != 1 {
		t.Errorf("caveats %q", v.Caveats)
	}
	var points []observe.Quantity // the second has the lower end, and scatters more
	for i, half := range []float64{0.02, 0.6} {
		q := observe.Quantity{Key: fmt.Sprint(i), Name: fmt.Sprint(i), Statistic: observe.Mean, Between: observe.AtMost(1), Alike: true}
		for j := range 10 {
			q.Add(j, observe.Value{Number: []float64{0.94, 0.5}[i] + half*float64(j%2) - half/2})
		}
		points = append(points, q)
	}
	decide := func(q ...observe.Quantity) Verdict {
		return Decide([]Claim{c}, Origin{}, []observe.Table{{Claim: c.ID, Quantities: q, Flags: observe.Flags{Worst: true}}})[0]
	}
	both, second := decide(points...), decide(points[1])
	wantOutcome(t, "holds", both, Reproduced, "0: 0.940")
	if both.P != second.P || both.P <= decide(points[0]).P {
		t.Errorf("p-value %v, want %v", both.P, second.P)
	}
}

func TestBoundInProbability(t *testing.T) {
	check := withBound(t, inProbability)
	of := func(n, beyond int) []record.Run {
		return made{series: "a", repeats: n, of: func(x float64, repeat int) float64 {
			if repeat < beyond {
				return 3 / math.Sqrt(x)
			}
			return 1 / math.Sqrt(x)
		}}.runs()
	}
	wantOutcome(t, "never", judgeOne(t, claimOf(check), Input{Choice: selection.All(of(40, 0))}), Reproduced, "0 [0, 0.0881]")
	wantOutcome(t, "always", judgeOne(t, claimOf(check), Input{Choice: selection.All(of(20, 20))}), NotReproduced)
	wantOutcome(t, "half", judgeOne(t, claimOf(check), Input{Choice: selection.All(of(20, 2))}), Inconclusive)
	wantOutcome(t, "too few", judgeOne(t, claimOf(check), Input{Choice: selection.All(of(3, 0))}), Inconclusive)
}

func TestBoundThatCannotBeEvaluated(t *testing.T) {
	check := withBound(t, everyRun)
	runs := made{series: "a", of: noisy(0, flat(1)), facts: map[string]float64{"lacks": 1}}.runs()
	wantOutcome(t, "no fact", judgeOne(t, claimOf(check), Input{Choice: selection.All(runs)}), NotRun, "a, repeat 0: no fact or parameter u_norm")
	nan := made{series: "a", of: func(float64, int) float64 { return math.NaN() }}.runs()
	wantOutcome(t, "NaN", judgeOne(t, claimOf(check), Input{Choice: selection.All(nan)}), NotRun, "is NaN")
	c := claimOf(check)
	c.Datasets = []string{"d"}
	wantOutcome(t, "no runs", judgeOne(t, c, Input{}), NotRun, "no runs of series a")
	lost := made{series: "a", status: record.StatusDiverged, points: []int64{}, of: noisy(0, flat(1))}.runs()
	wantOutcome(t, "all diverged", judgeOne(t, c, Input{Choice: selection.All(lost)}), NotReproduced, "4 diverged")
}

func TestBoundsAreTold(t *testing.T) {
	t.Parallel()
	names := Bounds()
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("bounds %q", names)
	}
	for name, b := range bounds() {
		if !regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`).MatchString(name) || b.doc == "" || b.judged == "" || b.at == nil {
			t.Errorf("bound %+v", fmt.Sprint(name, b.doc))
		}
	}
	if _, ok := bounds()["no-such"]; ok {
		t.Error("there is no such bound")
	}
}

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

// withBound adds a bound of 2/sqrt(t) on the error for the duration of a test.
func withBound(t *testing.T, form form) Claim {
	t.Helper()
	boundsSVM["of-the-test"] = bound{
		task: record.TaskSVM, judged: "what is judged / bound", form: form,
		at: func(p *point) (value, limit float64) {
			_, lacks := p.run.Facts["lacks"]
			p.require(!lacks, "no fact or parameter u_norm")
			return p.metric("test", "error"), 2 / math.Sqrt(p.steps)
		},
	}
	t.Cleanup(func() { delete(boundsSVM, "of-the-test") })
	return claimOf(Check{Bound: &Bound{Name: "of-the-test", Series: "a"}})
}

func TestBound(t *testing.T) {
	of := func(factors ...float64) []record.Run { // the error by repeat is a factor over sqrt(t)
		return made{series: "a", repeats: len(factors), of: func(x float64, repeat int) float64 {
			return factors[repeat] / math.Sqrt(x)
		}}.runs()
	}
	atOnePoint, lacks, lost := of(1), of(1), of(1, 1, 1, 1)
	atOnePoint[0].Curve.Metrics["test"]["error"][4] = 0.6
	lacks[0].Facts = map[string]float64{"lacks": 1}
	for i := range lost {
		lost[i].Status, lost[i].Curve = record.StatusDiverged, record.Curve{}
	}
	repeated := func(factor float64, n int) []float64 { return slices.Repeat([]float64{factor}, n) }
	for _, tt := range []struct {
		name string
		form form
		runs []record.Run
		want string
		text string
	}{
		{"only run", everyRun, of(1), Reproduced, "0.500"},
		{"with equality", everyRun, of(1, 1, 2, 1), Reproduced, "1.00"},
		{"beyond in one run", everyRun, of(1, 1, 2.4, 1), NotReproduced, "1.20"},
		{"beyond at one point", everyRun, atOnePoint, NotReproduced, "1.20"},
		{"average", onAverage, of(1.05, 0.9, 1.1, 0.95), Reproduced, "a, what is judged / bound at "},
		{"average beyond", onAverage, of(3.05, 2.9, 3.1, 2.95), NotReproduced, ""},
		{"average about", onAverage, of(2.05, 1.9, 2.1, 1.95), Inconclusive, ""},
		{"average with one beyond", onAverage, of(2.1, 1, 1, 1, 1, 1), Reproduced, ""},
		{"average of one repeat", onAverage, of(1), Inconclusive, "one repeat"},
		{"never beyond", inProbability, of(repeated(1, 40)...), Reproduced, "0 [0, 0.0881]"},
		{"always beyond", inProbability, of(repeated(3, 20)...), NotReproduced, ""},
		{"at times beyond", inProbability, of(append(repeated(1, 18), 3, 3)...), Inconclusive, ""},
		{"too few", inProbability, of(1, 1, 1), Inconclusive, ""},
		{"no fact", everyRun, lacks, NotRun, "a, repeat 0: no fact or parameter u_norm"},
		{"NaN", everyRun, of(math.NaN()), NotRun, "is NaN"},
		{"no runs", everyRun, nil, NotRun, "no runs of series a"},
		{"all diverged", everyRun, lost, NotReproduced, "4 diverged"},
	} {
		c := withBound(t, tt.form)
		c.Datasets = []string{"d"}
		wantOutcome(t, tt.name, judgeOne(t, c, Input{Choice: selection.All(tt.runs)}), tt.want, tt.text)
	}
	// All settings belong to one part, and each run counts.
	var runs []record.Run
	for _, eta := range []float64{2, 3} { // the bound is 2/sqrt(t)
		runs = append(runs, made{series: "a", params: record.Params{"eta": eta}, of: noisy(0, falling(eta))}.runs()...)
	}
	v := judgeOne(t, withBound(t, everyRun), Input{Choice: selection.All(runs)})
	wantOutcome(t, "at one setting", v, NotReproduced)
	const reason = "holds in 4 of 8 runs; the worst run is repeat 0, eta=3"
	if len(v.Parts) != 1 || v.Parts[0].Estimates[0].N != 8 || !strings.Contains(v.Parts[0].Reason, reason) {
		t.Errorf("parts %+v", v.Parts)
	}
}

// A bound at many points must hold at all of them. Only the point that is shown has caveats.
func TestBoundAtManyPoints(t *testing.T) {
	of := noisy(0.1, func(x float64) float64 { return 2.4 / math.Sqrt(x) })
	c := withBound(t, onAverage)
	v := judgeOne(t, c, Input{Choice: selection.All(made{series: "a", of: of}.runs())})
	text := v.Parts[0].Estimates[0].Name + " is decided at 95 %, but not at the level"
	wantOutcome(t, "beyond at 95 %", v, Inconclusive, text)
	if len(v.Caveats) != 1 {
		t.Errorf("caveats %q", v.Caveats)
	}
	points := []observe.Quantity{ // the second has the lower end, and scatters more
		ratios("0", slices.Repeat([]float64{0.93, 0.95}, 5)...), ratios("1", slices.Repeat([]float64{0.2, 0.8}, 5)...),
	}
	decided := func(of ...observe.Quantity) Verdict {
		for i := range of {
			of[i].Statistic = observe.Mean
		}
		worst := table("d", of...)
		worst.Worst = true
		return decide("", worst)
	}
	both, first, second := decided(points...), decided(points[0]), decided(points[1])
	wantOutcome(t, "holds", both, Reproduced, "0: 0.940")
	if both.P != second.P || both.P <= first.P {
		t.Errorf("p-value %v, want %v", both.P, second.P)
	}
}

// Every bound is documented, and bounds reject runs that they do not apply to.
func TestBoundFits(t *testing.T) {
	t.Parallel()
	for name, b := range bounds() {
		of, ok := BoundFits(name, "no task", "msg")
		if ok || b.task == "" || of != "the task "+b.task || b.doc == "" || b.judged == "" {
			t.Errorf("%s is about another task: %q, %v; or has no text", name, of, ok)
		}
	}
	const all = "sparsify or sparsify-aggressive or sparsify-smooth"
	for _, tt := range []struct{ name, task, algorithm, of string }{
		{"sparsify-steps", "svm-sparse", "rsvm", all}, {"sparsify-steps", "svm-sparse", "sparsify-smooth", ""},
		{"plateau", "pca", "anything", ""}, {"unknown", "pca", "msg", ""}, // which is reported elsewhere
	} {
		if of, ok := BoundFits(tt.name, tt.task, tt.algorithm); of != tt.of || ok != (tt.of == "") {
			t.Errorf("%+v: is about %q, %v", tt, of, ok)
		}
	}
}

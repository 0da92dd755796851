package plots

import (
	"math"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

// timed returns a run with points at 1, 2 and 8 seconds.
func timed(series string, repeat int, errors ...float64) (record.Run, record.Timing) {
	r, tm := svmSynth{series: series, dataset: "adult", repeat: repeat, start: 0.5, floor: 0.1, rate: 0.5, perStep: 10}.run()
	r.Curve = record.Curve{
		Cost:    map[string][]int64{"iterations": {1, 2, 8}},
		Metrics: map[string]map[string][]float64{"test": {"error": errors}},
	}
	tm.Seconds, tm.StepSeconds = []float64{1, 2, 8}, 8
	return r, tm
}

func TestTimeToError(t *testing.T) {
	t.Parallel()
	ref, refTime := libsvmRun("adult", 100, 0.15)
	in := inputOf(ref.WithTiming(refTime))
	add := func(r record.Run, tm record.Timing) {
		in.Choice = selection.All(append(in.Choice.Runs(), r.WithTiming(tm)))
	}
	add(timed("sbp", 0, 0.4, 0.15, 0.14))
	add(timed("sbp", 1, 0.15, 0.2, 0.13))
	add(timed("sbp", 2, 0.3, 0.2, 0.16))
	add(timed("pegasos", 0, 0.4, 0.3, 0.2))
	add(timed("pegasos", 1, 0.4, 0.3, 0.1))
	add(timed("sdca", 0, 0.15, 0.3, 0.1))
	for repeat, status := range []string{record.StatusDiverged, record.StatusFailed, record.StatusSkipped} {
		r, tm := timed("sdca", 1+repeat, 0.15, 0.3, 0.1)
		r.Status, r.Reason = status, "boom"
		add(r, tm)
	}
	for repeat, status := range []string{record.StatusFinished, record.StatusFinished, record.StatusDiverged} {
		r, tm := timed("perceptron", repeat, 0.4, 0.15, 0.1)
		r.Status = status
		add(r, tm)
	}
	for repeat, status := range []string{record.StatusFinished, record.StatusDiverged} {
		r, tm := timed("decomposition", repeat, 0.4, 0.3, 0.2)
		r.Status = status
		add(r, tm)
	}
	failed, _ := timed("smo", 0, 0.4, 0.3, 0.1)
	failed.Status, failed.Reason = record.StatusFailed, "boom"
	in.Choice = selection.All(append(in.Choice.Runs(), failed))

	tab := Table{ID: "tab-libsvm", Kind: KindTimeToError}
	g := build(t, tab, in)
	if len(g.Rows) != 6 {
		t.Fatalf("%d rows", len(g.Rows))
	}
	sbp := rowOf(t, g, "SBP")
	for id, want := range map[string]string{
		"dataset": "adult", "reference_seconds": "100", "reference_error": "15.00 %", "target": "15.00 %",
		"seconds": "2 (2 of 3 runs)", "ratio": "50", "setup_seconds": "0.250", "ratio_with_setup": "44.4",
	} {
		if sbp[id].Text != want {
			t.Errorf("%s is %q, want %q", id, sbp[id].Text, want)
		}
	}
	// A quarter of 100 s is past the end of all runs.
	if got := parsed(t, sbp["quarter_error"].Value); math.Abs(got-(0.14+0.13+0.16)/3) > 1e-12 {
		t.Errorf("error at a quarter %v", got)
	}
	if p := rowOf(t, g, "Pegasos"); p["seconds"].Text != "> 8" || p["seconds"].Value != "" || p["ratio"] != missing {
		t.Errorf("not reached: %+v", p)
	}
	// Runs that diverged or failed miss the target; skipped runs do not count.
	for series, want := range map[string]Cell{
		"sdca":          {Text: "- (1 of 3 runs)"},
		"perceptron":    {Text: "2 (2 of 3 runs)", Value: "2"},
		"decomposition": {Text: "> 8 (0 of 2 runs)"},
	} {
		s := rowOf(t, g, listed.Name(series))
		if s["seconds"] != want || (s["ratio"] == missing) != (want.Value == "") {
			t.Errorf("%s: %+v, speed-up %+v", series, s["seconds"], s["ratio"])
		}
	}
	if s := rowOf(t, g, "SMO"); s["seconds"] != missing || s["quarter_error"] != missing {
		t.Errorf("failed: %+v", s)
	}

	// A quarter of the time of the reference is now 1.5 s.
	refTime.StepSeconds = 6
	in.Choice.Runs()[0] = ref.WithTiming(refTime)
	if s := rowOf(t, build(t, tab, in), "Pegasos"); s["quarter_error"].Text != "40.00 ± 0.00 %" {
		t.Errorf("at a quarter: %+v", s["quarter_error"])
	}
}

// Runs of a series on several problems have separate rows, and are compared with the reference of the same problem.
func TestTimeToErrorOfSeveralProblems(t *testing.T) {
	t.Parallel()
	problem := func(bias bool, c float64) record.Params {
		return record.Params{"C": c, "kernel": "gaussian", "sigma2": 10.0, "bias": bias}
	}
	in := Input{Catalog: listed}
	add := func(r record.Run, tm record.Timing, p record.Params) {
		r.Params = p
		r.Key = record.Key(map[string]any{"s": r.Series, "p": p, "r": r.Repeat})
		in.Choice = selection.All(append(in.Choice.Runs(), r.WithTiming(tm)))
	}
	both := func(series string, repeat int, p record.Params, errors ...float64) {
		r, tm := timed(series, repeat, errors...)
		add(r, tm, p)
	}
	ref, refTime := libsvmRun("adult", 100, 0.15)
	add(ref, refTime, problem(true, 1))
	both("sbp", 0, problem(true, 1), 0.4, 0.15, 0.14)
	both("smo", 0, problem(true, 1), 0.4, 0.3, 0.1)
	both("smo", 1, problem(false, 1), 0.15, 0.3, 0.1)
	// A method without regularisation has no C.
	both("perceptron", 0, record.Params{"kernel": "gaussian", "sigma2": 10.0, "bias": true}, 0.4, 0.3, 0.1)
	g := build(t, Table{ID: "t", Kind: KindTimeToError}, in)
	if len(g.Rows) != 4 {
		t.Fatalf("%d rows", len(g.Rows))
	}
	for name, want := range map[string]Cell{"SMO, bias = true": {"12.5", "12.5", ""}, "SMO, bias = false": missing} {
		if s := rowOf(t, g, name); s["ratio"] != want {
			t.Errorf("%s: %+v", name, s)
		}
	}
	other, otherTime := libsvmRun("adult", 10, 0.3)
	add(other, otherTime, problem(false, 1))
	g = build(t, Table{ID: "t", Kind: KindTimeToError}, in)
	if s := rowOf(t, g, "SMO, bias = false"); s["reference_seconds"].Text != "10" || s["target"].Text != "30.00 %" {
		t.Errorf("%+v", s)
	}
}

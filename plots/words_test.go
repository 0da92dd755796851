package plots

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"stochopt/internal/record"
	"stochopt/internal/selection"
)

var update = flag.Bool("update", false, "write testdata/words.golden")

// wording collects the texts of figures and tables for the golden file.
type wording struct {
	*testing.T
	bytes.Buffer
}

func (w *wording) figure(name string, fig Figure, in Input) {
	w.Helper()
	c := composed(w.T, fig, in)
	checkLayout(w.T, c)
	fmt.Fprintf(w, "== %s\n%s\n", name, c.Caption)
	for _, p := range slices.Concat(c.Panels...) {
		if p.Empty != "" {
			fmt.Fprintf(w, "empty: %s\n", p.Empty)
		}
	}
	for _, text := range c.Warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
}

func (w *wording) table(name string, table Table, in Input) {
	g := Build(table, in)
	fmt.Fprintf(w, "== %s\n%s, %d rows\n", name, g.Title, len(g.Rows))
	for _, text := range g.Remarks {
		fmt.Fprintf(w, "remark: %s\n", text)
	}
	for _, text := range g.Notes {
		fmt.Fprintf(w, "note: %s\n", text)
	}
}

// tradeoffs writes the texts of the figure and both tables of trade-offs.
func (w *wording) tradeoffs(name string, in Input) {
	w.figure(name+", figure", figTradeoff, in)
	w.table(name+", table", Table{ID: "tab", Kind: KindTradeoff, Sizes: []int{10, 100}}, in)
	w.table(name+", costs", Table{ID: "cost", Kind: KindSparsification, Sizes: []int{10, 100}}, in)
}

// changed returns the input with changed copies of its runs.
func changed(in Input, change func(r *record.Run)) Input {
	out := in
	out.Choice = selection.All(slices.Clone(in.Choice.Runs()))
	for i := range out.Choice.Runs() {
		r := &out.Choice.Runs()[i]
		r.Params, r.Facts = maps.Clone(r.Params), maps.Clone(r.Facts)
		change(r)
	}
	out.Choice = chooseBySize(out.Choice.Runs(), 3, "eta", "basis")
	return out
}

// TestWords compares the texts of figures and tables with the golden file.
func TestWords(t *testing.T) {
	w := &wording{T: t}
	w.emptyPanels()
	w.sparse()
	w.outliers()
	w.times()
	w.others()
	w.lost()
	zeros := inputOf(withZeros(realData(1, false))...)
	w.figure("values of zero", Figure{ID: "f", Panel: Panel{Log: []string{"y"}, Where: map[string]any{"k": 4}}}, zeros)
	standIn := Input{Catalog: listed, Choice: selection.All(realData(1, true)), Profile: "quick", Notes: []string{"PARTIAL: 18 of 56 runs"}}
	w.figure("stand-in data", figReal, standIn)
	w.table("stand-in data, table", Table{ID: "t", Title: "T", Columns: []string{"runs"}}, standIn)
	mixed := inputOf(append(realData(1, false), simulated(1)...)...)
	theory := map[string]map[string]string{"msg": {"rate": "r"}}
	w.table("no records", Table{ID: "t", Theory: theory, Columns: []string{"rate", "k", "runs"}}, Input{Catalog: listed})
	w.table("several data sets", Table{ID: "t", Columns: []string{"final_suboptimality"}}, mixed)
	w.figure("repeats", figEfficiency, Input{Catalog: listed, Choice: selection.All(efficiency(16, false)), Profile: "quick"})
	golden := "testdata/words.golden"
	if *update {
		if err := os.WriteFile(golden, w.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, lines := bytes.Split(w.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range min(len(got), len(lines)) {
		if !bytes.Equal(got[i], lines[i]) {
			t.Fatalf("line %d is\n%s\nwant\n%s", i+1, got[i], lines[i])
		}
	}
	if len(got) != len(lines) {
		t.Errorf("%d lines, want %d", len(got), len(lines))
	}
}

func (w *wording) emptyPanels() {
	one := map[string]any{"k": 1}
	failed, diverged := realData(1, false), realData(2, false)
	for i := range failed {
		failed[i].Status, failed[i].Reason = record.StatusFailed, "not finite"
	}
	for i := range diverged {
		if r := &diverged[i]; r.Series == "msg" && r.Repeat == 0 {
			r.Status, r.Reason = record.StatusDiverged, "not finite"
		}
	}
	for _, c := range []struct {
		name  string
		panel Panel
		runs  []record.Run
	}{
		{"no runs", Panel{}, nil},
		{"no match", Panel{Where: map[string]any{"k": 3}}, realData(1, false)},
		{"no metric", Panel{Y: "objective", Where: one}, realData(1, false)},
		{"no split", Panel{Split: "validation", Where: one}, realData(1, false)},
		{"no spectrum", Panel{Y: "spectrum", Where: one}, realData(1, false)},
		{"all failed", Panel{Where: one}, failed},
		{"one diverged", Panel{Where: one}, diverged},
		{"missing series", Panel{Where: one, Series: []string{"msg", "msg2"}}, realData(1, false)},
	} {
		w.figure(c.name, Figure{ID: "f", Panel: c.panel}, inputOf(c.runs...))
	}
}

func (w *wording) lost() {
	const finished, late, large = record.StatusFinished, record.StatusOutOfTime, record.StatusOutOfMemory
	run := func(ratio float64, status, reason string) record.Run {
		return record.Run{Dataset: "forest", Series: "cpsp", Params: record.Params{"ratio": ratio}, Status: status, Reason: reason}
	}
	in := Input{Catalog: listed, Choice: &selection.Choice{Rule: selection.Rule{Tune: []string{"ratio"}}}}
	for _, runs := range [][]record.Run{
		{run(0.5, finished, "")},
		{run(0.5, late, "600 s"), run(1, late, "600 s")},
		{run(0.5, late, "600 s"), run(1, large, "6 GB")},
		{run(0.25, finished, ""), run(0.5, large, "needs 3 GB"), run(1, large, "needs 6 GB")},
	} {
		fmt.Fprintf(w, "== lost runs\n%q\n", in.unfinishedNotes(runs))
	}
}

func (w *wording) sparse() {
	in := sparseInput(5, sparseMethods[0], sparseMethods[3], sparseMethods[4])
	w.figure("trade-offs with runs that are lost", figTradeoff, in)
	in = sparseInput(1, sparseMethods[0], sparseMethods[5], sparseMethods[6])
	w.tradeoffs("some without a bias", changed(in, func(r *record.Run) { r.Params["bias"] = r.Series == "sparsify-aggressive" }))
	w.figure("all without a bias", figTradeoff, changed(in, func(r *record.Run) { r.Params["bias"] = false }))
	w.tradeoffs("test rows of one class", changed(sparseInput(2, sparseMethods[0]), func(r *record.Run) {
		r.Facts[record.FactConstantError] = map[string]float64{"adult": 0, "ijcnn": 0.095}[r.Dataset]
	}))
	in = sparseInput(1, sparseMethods[0], sparseMethods[4])
	fig := figTradeoff
	fig.Series = []string{"sparsify-aggressive"}
	w.figure("one tuned parameter is shown", fig, in)
	in.Choice = chooseBySize(filter(in.Choice.Runs(), func(r *record.Run) bool { return r.Params["eta"] == 1.0 }), 3, "eta")
	w.figure("no tuned parameter is shown", figTradeoff, in)
	in.Choice = selection.All(in.Choice.Runs())
	w.figure("trade-offs without a choice", figTradeoff, in)
}

func (w *wording) outliers() {
	in := sparseInput(1, sparseMethods[0])
	// A note names a finished run without support vectors.
	bare := in.Choice.Runs()[0]
	bare.Series, bare.Algorithm, bare.Key = "rbp", "rbp", "bare"
	bare.Curve.Metrics = map[string]map[string][]float64{"test": bare.Curve.Metrics["test"], "state": {"support": make([]float64, bare.Curve.Len())}}
	one := inputOf(in.Choice.Runs()[0], bare)
	one.Choice = chooseBySize(one.Choice.Runs(), 2, "eta")
	w.figure("no classifier to show", figTradeoff, one)

	// A curve far above the others does not change the axis, and a note names it.
	far := in.Choice.Runs()[0]
	far.Series, far.Algorithm, far.Key = "rbp", "rbp", "far"
	far.Curve.Mistakes = slices.Clone(far.Curve.Mistakes)
	for i := range far.Curve.Mistakes {
		far.Curve.Mistakes[i] = record.IndexSet{}
		for j := range sparseTestRows * 9 / 10 {
			far.Curve.Mistakes[i] = append(far.Curve.Mistakes[i], int32(j))
		}
	}
	one.Choice.Runs()[1] = far
	one = changed(one, func(r *record.Run) { r.Facts[record.FactConstantError] = 0.24 })
	one.Choice = chooseBySize(one.Choice.Runs(), 2, "eta")
	w.figure("outside its panel", figTradeoff, one)
}

func (w *wording) others() {
	water := waterRun(false)
	w.figure("water", figWater, inputOf(water))
	w.figure("water of two classes", figBias, inputOf(waterRun(true)))
	w.figure("water without a bias", figBias, inputOf(water))
	second := water
	second.Series, second.Algorithm = "smo", "smo"
	w.figure("water of two methods", figWater, inputOf(water, second))
	plain, _ := svmSynth{series: "sbp", dataset: "adult", start: 0.5, floor: 0.1, rate: 0.5, perStep: 1}.run()
	w.figure("no vectors", figLosses, inputOf(plain))
	laws := powerLaw{"sbp", 2, 1, 1, 0}.runs()
	w.table("exponents", boundsTable(), inputOf(laws...))
	tab := boundsTable()
	for i := range tab.Exponents {
		tab.Exponents[i].Targets = []float64{1e-12, 1e-13}
	}
	w.table("exponents, not reached", tab, inputOf(laws...))
	unknown := boundsTable()
	unknown.Exponents[1].ID, unknown.Exponents[1].Over = "exponent_u_norm", "margin"
	w.table("exponents of unrecorded facts", unknown, inputOf(laws...))
	few := slices.DeleteFunc(laws, func(r record.Run) bool { return r.Rows["train"] == 400 })
	w.table("exponents at the edge of a grid", boundsTable(), inputOf(few...))
	w.table("data sets", Table{ID: "t", Kind: KindDatasets, Columns: []string{"train_rows", "reference_error"}}, sparseInput(2, sparseMethods[0]))
	skipped, _ := libsvmRun("adult", 1, 0.1)
	skipped.Status, skipped.Reason, skipped.Curve = record.StatusSkipped, "svm-train is not installed", record.Curve{}
	w.table("times: no reference", Table{ID: "t", Kind: KindTimeToError}, inputOf(plain))
	w.table("times: a skipped reference", Table{ID: "t", Kind: KindTimeToError}, inputOf(plain, skipped))
}

func (w *wording) times() {
	for _, c := range []struct {
		name  string
		alone bool
		jobs  int
	}{{"times, not known how", false, 0}, {"times side by side", false, 3}, {"times of runs alone", true, 1}} {
		in := Input{Catalog: listed}
		for _, series := range []string{"libsvm", "sbp", "smo"} {
			r, tm := timed(series, 0, 0.4, 0.15, 0.14)
			if series != "libsvm" {
				r.Curve.Cost["kernel_evals"] = []int64{10, 20, 80}
			}
			if c.alone {
				r.Extent += record.ExtentAlone
			}
			tm.Jobs = c.jobs
			in.Choice = selection.All(append(in.Choice.Runs(), r.WithTiming(tm)))
		}
		w.figure(c.name, Figure{ID: "f", Panel: Panel{X: record.CostSeconds, Y: record.MetricError}}, in)
		w.table(c.name+", table", Table{ID: "t", Kind: KindTimeToError}, in)
	}
	w.table("no times", Table{ID: "t", Columns: []string{"kernel_evals"}}, inputOf(svmInput(1).Choice.Runs()[:1]...))
	in := svmInput(2)
	skipped, _ := libsvmRun("adult", 1, 0.1)
	skipped.Status, skipped.Reason, skipped.Curve = record.StatusSkipped, "svm-train is not installed", record.Curve{}
	in.Choice = selection.All(append(in.Choice.Runs(), skipped))
	fig := figKernel
	fig.Series = nil
	w.figure("a subsample and a skipped run", fig, in)
	in = svmInput(1)
	for i, r := range in.Choice.Runs() {
		in.Choice.Runs()[i] = r.WithTiming(record.Timing{})
	}
	w.figure("seconds without times", figSeconds, in)
}

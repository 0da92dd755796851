package plots

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/results"
)

func build(t *testing.T, tab Table, in Input) *Grid {
	t.Helper()
	g, err := Build(tab, in)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range g.Rows {
		if len(row) != len(g.Columns) || len(g.StandIn) != len(g.Rows) {
			t.Fatalf("row %d has %d cells for %d columns", i, len(row), len(g.Columns))
		}
	}
	return g
}

// rowOf returns the cells of the first row with these texts, by column.
func rowOf(t *testing.T, g *Grid, texts ...string) map[string]Cell {
	t.Helper()
	for _, row := range g.Rows {
		have := make(map[string]bool)
		cells := make(map[string]Cell)
		for j, c := range row {
			have[c.Text] = true
			cells[g.Columns[j].ID] = c
		}
		if !slices.ContainsFunc(texts, func(s string) bool { return !have[s] }) {
			return cells
		}
	}
	t.Fatalf("no row with %q", texts)
	return nil
}

func parsed(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSVMMeasurements(t *testing.T) {
	in := svmInput(3)
	g := build(t, Table{ID: "t", Columns: []string{"final_error", "best_error", "support", "norm", "seconds", "kernel_evals", "runs"}}, in)
	row := rowOf(t, g, "SBP", "adult")
	var finals, bests, seconds []float64
	for _, r := range in.Runs {
		if r.Series != "sbp" || r.Dataset != "adult" {
			continue
		}
		e := r.Curve.Metrics["test"]["error"]
		finals, bests = append(finals, e[len(e)-1]), append(bests, slices.Min(e))
		tm, _ := in.Timings.Of(r)
		seconds = append(seconds, tm.StepSeconds)
	}
	for _, c := range []struct {
		id     string
		values []float64
	}{{"final_error", finals}, {"best_error", bests}, {"seconds", seconds}, {"kernel_evals", []float64{1e7, 1e7, 1e7}}, {"norm", []float64{100, 100, 100}}} {
		m := mean(c.values)
		sd := math.Sqrt(variance(c.values, m))
		if got := row[c.id]; math.Abs(parsed(t, got.Value)-m) > 1e-12*m || math.Abs(parsed(t, got.Spread)-sd) > 1e-9*m {
			t.Errorf("%s is %+v, want %v ± %v", c.id, got, m, sd)
		}
	}
	if want := fmt.Sprintf("%.2f ± %.2f %%", 100*mean(finals), 100*math.Sqrt(variance(finals, mean(finals)))); row["final_error"].Text != want {
		t.Errorf("error %q, want %q", row["final_error"].Text, want)
	}
	var b bytes.Buffer
	if err := g.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(records[0], "final_error_sd") || slices.Contains(records[0], "final_error_se") {
		t.Errorf("header %q", records[0])
	}
	if !slices.Contains(g.Remarks, "SUBSAMPLE of adult: 1000 of 32561 training rows") {
		t.Errorf("remarks %q", g.Remarks)
	}
	if none := (measures{}).timings; len(each(in.Runs, measures{none}.stepSeconds)) != 0 {
		t.Error("there are seconds without timings")
	}
}

func TestTableOfDatasets(t *testing.T) {
	in := svmInput(2)
	for i := range in.Runs {
		r := &in.Runs[i]
		if r.Dataset == "mnist-8" {
			r.Params = results.Params{"C": 1000.0, "bias": true, "kernel": "gaussian", "sigma2": 25.0}
			r.Facts = map[string]float64{"C": 1000, "lambda": 1e-6, "nu": 6.42e-11}
			r.StandIn = true
		}
		if r.Series == "rff" { // knows its lambda only
			delete(r.Facts, "nu")
		}
	}
	tab := Table{ID: "tab-datasets", Kind: KindDatasets,
		Columns: []string{"train_rows", "test_rows", "sigma2", "lambda", "nu", "R", "thesis"},
		Theory:  map[string]map[string]string{"adult": {"thesis": "1.10e-2"}, "forest": {"thesis": "7.62e-10"}},
	}
	g := build(t, tab, in)
	if len(g.Rows) != 3 {
		t.Fatalf("%d rows", len(g.Rows))
	}
	row := rowOf(t, g, "adult")
	for id, want := range map[string]string{"train_rows": "1000 of 32561", "test_rows": "500", "sigma2": "10", "lambda": "1/n", "nu": "0.0123", "R": "10", "thesis": "1.10e-2"} {
		if row[id].Text != want {
			t.Errorf("%s is %q, want %q", id, row[id].Text, want)
		}
	}
	row = rowOf(t, g, "mnist-8 (stand-in)")
	for id, want := range map[string]string{"lambda": "1/(1000n)", "nu": "6.42e-11", "R": "-", "thesis": "-"} {
		if row[id].Text != want {
			t.Errorf("%s is %q, want %q", id, row[id].Text, want)
		}
	}
	if row = rowOf(t, g, "forest"); row["nu"].Text != "-" || row["thesis"].Text != "7.62e-10" {
		t.Errorf("row %v", row)
	}
	if !strings.Contains(g.Title, "STAND-IN") {
		t.Errorf("title %q", g.Title)
	}
	// Two problems on one data set are two rows.
	in.Runs[0].Params = results.Params{"C": 1.0, "kernel": "gaussian", "sigma2": 100.0, "bias": true}
	if g = build(t, tab, in); len(g.Rows) != 4 {
		t.Errorf("%d rows", len(g.Rows))
	}
}

// timed is a run of three points at 1, 2 and 8 seconds.
func timed(series string, repeat int, errors ...float64) (results.Run, results.Timing) {
	r, tm := svmSynth{series: series, dataset: "adult", repeat: repeat, start: 0.5, floor: 0.1, rate: 0.5, perStep: 10}.run()
	r.Curve = results.Curve{
		Cost:    map[string][]int64{"iterations": {1, 2, 8}},
		Metrics: map[string]map[string][]float64{"test": {"error": errors}},
	}
	tm.Seconds, tm.StepSeconds = []float64{1, 2, 8}, 8
	return r, tm
}

func TestTimeToError(t *testing.T) {
	ref, refTime := libsvmRun("adult", 100, 0.15)
	in := Input{Runs: []results.Run{ref}}
	timings := []results.Timing{refTime}
	add := func(r results.Run, tm results.Timing) {
		in.Runs, timings = append(in.Runs, r), append(timings, tm)
	}
	add(timed("sbp", 0, 0.4, 0.15, 0.14))
	add(timed("sbp", 1, 0.15, 0.2, 0.13))
	add(timed("sbp", 2, 0.3, 0.2, 0.16))
	add(timed("pegasos", 0, 0.4, 0.3, 0.2))
	add(timed("pegasos", 1, 0.4, 0.3, 0.1))
	failed, _ := timed("smo", 0, 0.4, 0.3, 0.1)
	failed.Status, failed.Reason = results.StatusFailed, "boom"
	in.Runs = append(in.Runs, failed)
	in.Timings = results.NewTimings(timings...)

	tab := Table{ID: "tab-libsvm", Kind: KindTimeToError}
	g := build(t, tab, in)
	if len(g.Rows) != 3 {
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
	if s := rowOf(t, g, "SMO"); s["seconds"] != missing || s["quarter_error"] != missing {
		t.Errorf("failed: %+v", s)
	}

	tab.Targets = map[string]float64{"adult": 0.2}
	if s := rowOf(t, build(t, tab, in), "SBP"); s["target"].Text != "20.00 %" || s["seconds"].Text != "2" {
		t.Errorf("with a target: %+v", s)
	}
	// At 4 times its own time the reference would have 1 s left.
	in.Timings = results.NewTimings(append(timings, func() results.Timing { refTime.StepSeconds = 6; return refTime }())...)
	if s := rowOf(t, build(t, tab, in), "Pegasos"); s["quarter_error"].Text != "40.00 ± 0.00 %" {
		t.Errorf("at a quarter: %+v", s["quarter_error"])
	}
	in.Runs[0].Status, in.Runs[0].Reason = results.StatusSkipped, "svm-train is not installed"
	if g = build(t, tab, in); !slices.Contains(g.Remarks, "1 of 1 runs of LIBSVM were skipped: svm-train is not installed") {
		t.Errorf("remarks %q", g.Remarks)
	}
	in.Runs = in.Runs[1:]
	g = build(t, Table{ID: "t", Kind: KindTimeToError}, in)
	if s := rowOf(t, g, "SBP"); s["seconds"] != missing || s["ratio"] != missing {
		t.Errorf("without a reference: %+v", s)
	}
	if !slices.ContainsFunc(g.Warnings, func(w string) bool { return strings.Contains(w, "no runs of LIBSVM on adult") }) {
		t.Errorf("warnings %q", g.Warnings)
	}
}

// family makes runs whose error is cR^p / cost^(1/q) above l_star, so that the
// cost of an excess epsilon is (cR^p/epsilon)^q.
func family(series string, q, p float64, repeats int) []results.Run {
	rng := rand.New(rand.NewPCG(11, 12))
	var runs []results.Run
	for _, radius := range []float64{2, 4, 8} {
		for repeat := range repeats {
			r, _ := svmSynth{series: series, dataset: fmt.Sprint("margin-", radius), repeat: repeat, start: 0.5, floor: 0.1, rate: 0.5, perStep: 10}.run()
			r.Facts = map[string]float64{"R": radius, "l_star": 0.05}
			var iterations, cost []int64
			var excess []float64
			factor := math.Exp(0.02 * rng.NormFloat64())
			for i := range 4000 {
				c := int64(math.Pow(1.01, float64(i))) * 10
				if i > 0 && c <= cost[len(cost)-1] {
					continue
				}
				iterations, cost = append(iterations, int64(i)), append(cost, c)
				excess = append(excess, 0.05+factor*math.Pow(radius, p)*math.Pow(float64(c), -1/q))
				if c > 1<<40 {
					break
				}
			}
			r.Curve = results.Curve{
				Cost:    map[string][]int64{"iterations": iterations, "kernel_evals": cost},
				Metrics: map[string]map[string][]float64{"test": {"error": excess}},
			}
			runs = append(runs, r)
		}
	}
	return runs
}

func TestTableOfExponents(t *testing.T) {
	// cost = (R/epsilon)^2 for the first, (R^2/epsilon)^3 for the second.
	in := Input{Runs: append(family("sbp", 2, 1, 4), family("sgd", 3, 2, 4)...)}
	tab := Table{
		ID: "tab-bounds", Kind: KindExponents, Columns: []string{"bound", "exponent_epsilon", "in_R", "runs"},
		Theory: map[string]map[string]string{"sbp": {"bound": "(R/ε)^2"}, "sgd": {"bound": "(R^2/ε)^3"}, "rff": {"bound": "d R^4/ε^3"}},
		Exponents: []Exponent{
			{Over: OverEpsilon, Targets: []float64{0.1, 0.05, 0.02, 0.01}},
			{ID: "in_R", Over: "R", Targets: []float64{0.05, 0.02}},
		},
	}
	g := build(t, tab, in)
	if len(g.Rows) != 3 {
		t.Fatalf("%d rows", len(g.Rows))
	}
	for name, want := range map[string][2]float64{"SBP": {2, 2}, "SGD": {3, 6}} {
		row := rowOf(t, g, name)
		for i, id := range []string{"exponent_epsilon", "in_R"} {
			if got := parsed(t, row[id].Value); math.Abs(got-want[i]) > 0.05 {
				t.Errorf("%s: %s is %v, want %v", name, id, got, want[i])
			}
			var slope, lo, hi float64
			if _, err := fmt.Sscanf(row[id].Text, "%f [%f, %f]", &slope, &lo, &hi); err != nil || lo > slope || slope > hi || hi-lo > 0.3 {
				t.Errorf("%s: %s is %q", name, id, row[id].Text)
			}
		}
		if row["runs"].Text != "12" {
			t.Errorf("runs %+v", row["runs"])
		}
	}
	if row := rowOf(t, g, "Fourier features"); row["bound"].Text != "d R^4/ε^3" || row["in_R"] != missing {
		t.Errorf("theory alone: %+v", row)
	}
	if g.Columns[2].Title != "Measured exponent of 1/ε" || g.Columns[3].Title != "Measured exponent of R" {
		t.Errorf("columns %+v", g.Columns)
	}

	// What some repeat did not reach is left out and counted.
	tab.Exponents[0].Targets = append(tab.Exponents[0].Targets, 1e-12)
	if row := rowOf(t, build(t, tab, in), "SBP"); !strings.HasSuffix(row["exponent_epsilon"].Text, "(3 of 15 not reached)") {
		t.Errorf("censored: %q", row["exponent_epsilon"].Text)
	}
	tab.Exponents[0].Targets = []float64{1e-12, 1e-13}
	g = build(t, tab, in)
	if row := rowOf(t, g, "SBP"); row["exponent_epsilon"].Text != "- (6 of 6 not reached)" || row["exponent_epsilon"].Value != "" {
		t.Errorf("censored: %+v", row["exponent_epsilon"])
	}
	if !slices.ContainsFunc(g.Warnings, func(w string) bool {
		return strings.Contains(w, "no setting tells the exponent of 1/ε (6 of 6 not reached)")
	}) {
		t.Errorf("warnings %q", g.Warnings)
	}
	// What was reached when it was first recorded tells nothing.
	tab.Exponents[0].Targets = []float64{0.9, 0.1, 0.05}
	if row := rowOf(t, build(t, tab, in), "SBP"); !strings.HasSuffix(row["exponent_epsilon"].Text, "(1 of 9 reached at once)") {
		t.Errorf("early: %q", row["exponent_epsilon"].Text)
	}
	// What is given goes before what is recorded.
	tab.Exponents[1].Values = map[string]float64{"margin-2": 4, "margin-4": 16, "margin-8": 64}
	tab.Exponents[1].Floor = map[string]float64{"margin-2": 0.05}
	if row := rowOf(t, build(t, tab, in), "SBP"); math.Abs(parsed(t, row["in_R"].Value)-1) > 0.05 {
		t.Errorf("over R squared: %+v", row["in_R"])
	}
	tab.Exponents[1].Values, tab.Exponents[1].Over = nil, "margin"
	g = build(t, tab, in)
	if row := rowOf(t, g, "SBP"); row["in_R"] != missing || !slices.ContainsFunc(g.Warnings, func(w string) bool { return strings.Contains(w, "have no record of margin") }) {
		t.Errorf("unknown: %+v, %q", row["in_R"], g.Warnings)
	}
	tab.Exponents[1].Over = "R"
	// R does not vary in one data set.
	tab.Exponents[1].Where = map[string]any{"dataset": "margin-4"}
	g = build(t, tab, in)
	if row := rowOf(t, g, "SBP"); row["in_R"].Text != "-" || !slices.ContainsFunc(g.Warnings, func(w string) bool { return strings.Contains(w, "more than one value of x") }) {
		t.Errorf("no variation: %+v, %q", row["in_R"], g.Warnings)
	}
}

func TestExponentOverRows(t *testing.T) {
	e := Exponent{Over: OverN, Targets: []float64{0.1}}.withDefaults()
	var runs []results.Run
	for i, n := range []int64{1000, 2000, 4000, 8000} {
		r := family("sbp", 2, 1, 1)[0]
		r.Key, r.Dataset, r.Rows = fmt.Sprint(i), fmt.Sprint("n-", n), map[string]int64{"train": n}
		for j := range r.Curve.Cost["kernel_evals"] {
			r.Curve.Cost["kernel_evals"][j] *= n / 1000
		}
		runs = append(runs, r)
	}
	c, warning := e.cell(tableRow{runs: runs})
	if got := parsed(t, c.Value); warning != "" || math.Abs(got-1) > 0.01 {
		t.Errorf("exponent of n %+v, %q", c, warning)
	}
}

func TestBadTables(t *testing.T) {
	good := Exponent{Over: OverEpsilon, Targets: []float64{0.1, 0.2}}
	for _, c := range []struct {
		name string
		tab  Table
		want string
	}{
		{"kind", Table{ID: "t", Kind: "data"}, `kind "data" is none of datasets, time-to-error, exponents`},
		{"targets elsewhere", Table{ID: "t", Targets: map[string]float64{"a": 0.1}, Columns: []string{"runs"}}, "reference and targets are for tables of the kind time-to-error"},
		{"exponents elsewhere", Table{ID: "t", Exponents: []Exponent{good}, Columns: []string{"runs"}}, "exponents are for"},
		{"datasets without columns", Table{ID: "t", Kind: KindDatasets}, "no columns"},
		{"measurement of a data set", Table{ID: "t", Kind: KindDatasets, Columns: []string{"final_error"}}, `column "final_error" is neither`},
		{"columns of times", Table{ID: "t", Kind: KindTimeToError, Columns: []string{"seconds"}}, "columns of its own"},
		{"theory of times", Table{ID: "t", Kind: KindTimeToError, Theory: map[string]map[string]string{"a": {"b": "c"}}}, "no place for theory"},
		{"target", Table{ID: "t", Kind: KindTimeToError, Targets: map[string]float64{"adult": 15}}, "the target of adult is 15"},
		{"no exponents", Table{ID: "t", Kind: KindExponents}, "no exponents"},
		{"exponent without a column", Table{ID: "t", Kind: KindExponents, Exponents: []Exponent{good}, Columns: []string{"runs"}}, `"exponent_epsilon" is not among the columns`},
		{"exponent twice", Table{ID: "t", Kind: KindExponents, Exponents: []Exponent{good, good}, Columns: []string{"exponent_epsilon"}}, "used twice"},
		{"over nothing", Table{ID: "t", Kind: KindExponents, Exponents: []Exponent{{Targets: []float64{1}}}}, "say over what"},
		{"one epsilon", Table{ID: "t", Kind: KindExponents, Exponents: []Exponent{{Over: OverEpsilon, Targets: []float64{1}}}}, "more than one target"},
		{"no targets", Table{ID: "t", Kind: KindExponents, Exponents: []Exponent{{Over: "R"}}}, "no targets"},
		{"negative target", Table{ID: "t", Kind: KindExponents, Exponents: []Exponent{{Over: "R", Targets: []float64{-1}}}}, "not positive"},
		{"value", Table{ID: "t", Kind: KindExponents, Exponents: []Exponent{{Over: "R", Targets: []float64{1}, Values: map[string]float64{"a": 0}}}}, "the value of a is 0"},
		{"target twice", Table{ID: "t", Kind: KindExponents, Exponents: []Exponent{{Over: "R", Targets: []float64{1, 1}}}}, "listed twice"},
		{"unknown column", Table{ID: "t", Kind: KindExponents, Exponents: []Exponent{good}, Columns: []string{"exponent_epsilon", "norm"}}, `column "norm" is neither`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Build(c.tab, Input{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

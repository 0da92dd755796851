package plots

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

func columnIndex(t *testing.T, g *Grid, id string) int {
	t.Helper()
	for i, c := range g.Columns {
		if c.ID == id {
			return i
		}
	}
	t.Fatalf("no column %q", id)
	return 0
}

func TestTradeoffTable(t *testing.T) {
	t.Parallel()
	in := sparseInput(5, sparseMethods[0], sparseMethods[3], sparseMethods[4], sparseMethods[6])
	table := Table{ID: "tab", Title: "Trade-offs", Kind: KindTradeoff, Sizes: []int{1, 10, 300, 1000}, Validation: true}
	g := Build(table, in)
	if len(g.Rows) != 5*4 || len(g.Columns) != 2+3*4 {
		t.Fatalf("%d rows of %d columns", len(g.Rows), len(g.Columns))
	}
	marked := make(map[string]int)
	for i, row := range g.Rows {
		var h *selection.Series
		for j := range in.Choice.Series {
			if c := &in.Choice.Series[j]; c.Dataset == row[0].Value && c.Name == row[1].Value {
				h = c
			}
		}
		if h == nil {
			t.Fatalf("row %+v", row)
		}
		if g.StandIn[i] != h.StandIn || (row[0].Text != row[0].Value) != h.StandIn {
			t.Errorf("%s: stand-in %v", h.Name, g.StandIn[i])
		}
		for _, s := range table.Sizes {
			c := row[columnIndex(t, g, "error_"+strconv.Itoa(s))]
			k, ok := h.At(s)
			if !ok {
				if size := row[columnIndex(t, g, "size_"+strconv.Itoa(s))]; c != missing || size != missing {
					t.Errorf("%s at %d: %+v, %+v", h.Name, s, c, size)
				}
				continue
			}
			if size := row[columnIndex(t, g, "size_"+strconv.Itoa(s))].Value; size != strconv.Itoa(min(s, h.Most)) {
				t.Errorf("%s at %d: the size is %s", h.Name, s, size)
			}
			if c.Value != words.Exact(h.Error[k]) || c.Spread != words.Exact(h.SD[k]) || row[columnIndex(t, g, "validation_"+strconv.Itoa(s))].Value != words.Exact(h.Validation[k]) {
				t.Errorf("%s at %d: %+v", h.Name, s, c)
			}
			if beyond := strings.Contains(c.Text, " at "+strconv.Itoa(h.Most)); beyond != (s > h.Most) {
				t.Errorf("%s at %d, of %d at most: %q", h.Name, s, h.Most, c.Text)
			}
			if strings.HasSuffix(c.Text, bestMark) {
				marked[h.Dataset+strconv.Itoa(s)]++
				for j := range in.Choice.Series {
					if o := &in.Choice.Series[j]; o.Dataset == h.Dataset {
						if l, ok := o.At(s); ok && o.Error[l] < h.Error[k] {
							t.Errorf("%s at %d is marked, but %s is better", h.Name, s, o.Name)
						}
					}
				}
			}
		}
	}
	for _, d := range sparseData {
		for _, s := range table.Sizes {
			if marked[d.name+strconv.Itoa(s)] == 0 {
				t.Errorf("no best of %s at %d", d.name, s)
			}
		}
	}
}

func TestSparsificationTable(t *testing.T) {
	t.Parallel()
	in := sparseInput(2, sparseMethods[0], sparseMethods[4])
	smo := in.Choice.Runs()[0]
	smo.Series, smo.Algorithm, smo.Key = "smo", "smo", "smo"
	in.Choice = chooseBySize(append(in.Choice.Runs(), smo.Timed(record.Timing{StepSeconds: 50, Seconds: make([]float64, smo.Curve.Len())})), 4, "eta", "basis")
	g := Build(Table{ID: "tab-cost", Title: "Cost", Kind: KindSparsification, Sizes: []int{100, 1000}}, in)
	if len(g.Rows) != 2*2*2 {
		t.Errorf("%d rows", len(g.Rows))
	}
	at := func(row []Cell, id string) string { return row[columnIndex(t, g, id)].Value }
	number := func(row []Cell, id string) float64 {
		v, err := strconv.ParseFloat(at(row, id), 64)
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		return v
	}
	for _, row := range g.Rows {
		size, _ := strconv.Atoi(at(row, "size"))
		curve := slices.IndexFunc(in.Choice.Series, func(c selection.Series) bool {
			return c.Dataset == at(row, "dataset") && c.Name == at(row, "series")
		})
		pick := in.Choice.Series[curve].Pick(size)
		if pick == nil {
			t.Fatalf("no classifier for the row %+v", row)
		}
		evals := float64(pick.Run.Curve.Cost["kernel_evals"][pick.Point])
		if number(row, "support") != float64(pick.Support) || number(row, "kernel_evals") != evals || number(row, "reference_kernel_evals") != 4e9 || number(row, "kernel_evals_ratio") != evals/4e9 {
			t.Errorf("row %+v", row)
		}
		seconds := 0.01 * float64(pick.Point+1)
		if number(row, "seconds") != seconds {
			t.Errorf("seconds %v, want %v", number(row, "seconds"), seconds)
		}
		if at(row, "dataset") == "adult" {
			if number(row, "reference_seconds") != 50 || number(row, "seconds_ratio") != seconds/50 {
				t.Errorf("row %+v", row)
			}
		} else if at(row, "reference_seconds") != "" || at(row, "seconds_ratio") != "" {
			t.Errorf("the time of training is known without a run: %+v", row)
		}
	}
	// What training the reference took is on record, in one run of several.
	known := in
	known.Choice = chooseBySize(slices.Clone(in.Choice.Runs()), 4, "eta", "basis")
	timing, _ := known.Choice.Runs()[1].Timing()
	timing.ReferenceSeconds = 80
	known.Choice.Runs()[1] = known.Choice.Runs()[1].Timed(timing)
	// A method of another problem, without facts of its own, is compared with it.
	other := known
	other.Choice = selection.All(slices.Clone(known.Choice.Runs()))
	for i := range other.Choice.Runs() {
		if r := &other.Choice.Runs()[i]; r.Series == "cpsp" {
			r.Params = maps.Clone(r.Params)
			r.Params["C"], r.Facts = 3.0, nil
		}
	}
	other.Choice = chooseBySize(other.Choice.Runs(), 4, "eta", "basis")
	g = Build(Table{ID: "tab-cost", Kind: KindSparsification, Sizes: []int{100}}, other)
	for _, row := range g.Rows {
		if at(row, "reference_kernel_evals") != "4e+09" || at(row, "dataset") == "adult" && at(row, "reference_seconds") != "80" {
			t.Errorf("row %+v", row)
		}
	}
	g = Build(Table{ID: "tab-cost", Kind: KindSparsification, Sizes: []int{100}}, known)
	for _, row := range g.Rows {
		if want := map[string]string{"adult": "80"}[at(row, "dataset")]; at(row, "reference_seconds") != want {
			t.Errorf("training took %q s, want %q", at(row, "reference_seconds"), want)
		}
	}
}

func TestDatasetsOfSparseClassifiers(t *testing.T) {
	t.Parallel()
	in := sparseInput(2, sparseMethods[0])
	g := Build(Table{ID: "tab-datasets", Kind: KindDatasets, Columns: []string{"train_rows", "test_rows", "gamma", "C", "reference_support", "reference_error"}}, in)
	for i, want := range []string{"adult 20000 2000 0.1 1 8000 0.148", "ijcnn 20000 2000 0.1 1 5000 0.0105"} {
		var got []string
		for _, c := range g.Rows[i] {
			got = append(got, c.Value)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("row %q, want %q", got, want)
		}
	}
}

// The support at which a target is reached grows with 1/epsilon^2 and R^2 by
// construction: error = R / sqrt(support), on a curve and on single classifiers.
func TestExponentsOfTheSupport(t *testing.T) {
	t.Parallel()
	var runs []record.Run
	for _, radius := range []float64{1, 2, 4, 8} {
		var support, errors []float64
		for s := 1.0; s < 3e5; s *= 1.05 {
			support, errors = append(support, s), append(errors, radius/math.Sqrt(s))
		}
		r := record.Run{
			Schema: record.Schema, Key: "curve" + words.Exact(radius), Extent: "e", Task: "svm-sparse", Dataset: "d", Series: "sparsify", Algorithm: "sparsify", Version: 1,
			Params: record.Params{"eta": 1.0}, Status: record.StatusFinished,
			Rows: map[string]int64{"train": 1000}, Facts: map[string]float64{"reference_norm": radius},
		}
		r.Curve.Cost = map[string][]int64{"iterations": make([]int64, len(support)), "kernel_evals": make([]int64, len(support))}
		for i := range support {
			r.Curve.Cost["iterations"][i] = int64(i + 1)
			r.Curve.Cost["kernel_evals"][i] = int64(1000 * (i + 1))
		}
		r.Curve.Metrics = map[string]map[string][]float64{"test": {"error": errors}, "state": {"support": support}}
		runs = append(runs, r)
		for i, s := range support {
			one := r
			one.Key, one.Series, one.Algorithm, one.Params = "one"+words.Exact(radius)+words.Exact(s), "cpsp", "cpsp", record.Params{"basis": s}
			one.Curve = record.Curve{
				Cost:    map[string][]int64{"iterations": {1}, "kernel_evals": {1}},
				Metrics: map[string]map[string][]float64{"test": {"error": errors[i : i+1]}, "state": {"support": support[i : i+1]}},
			}
			runs = append(runs, one)
		}
	}
	table := Table{
		ID: "tab-bounds", Kind: KindExponents, Columns: []string{"in_epsilon", "in_r", "observations"},
		Exponents: []observe.Exponent{
			{ID: "in_epsilon", Over: observe.OverEpsilon, With: []string{"reference_norm"}, Cost: observe.CostSupport, Targets: []float64{0.4, 0.2, 0.1, 0.05}},
			{ID: "in_r", Over: "reference_norm", With: []string{observe.OverEpsilon}, Cost: observe.CostSupport, Targets: []float64{0.4, 0.2, 0.1, 0.05}},
		},
	}
	g := Build(table, Input{Catalog: listed, Choice: selection.All(runs)})
	if len(g.Rows) != 2 || g.Columns[2].Title != "Measured exponent of R in support vectors" {
		t.Fatalf("%+v", g)
	}
	for _, row := range g.Rows {
		for _, c := range row[1:3] {
			if v, err := strconv.ParseFloat(c.Value, 64); err != nil || v < 1.95 || v > 2.05 {
				t.Errorf("%s: exponent %+v, want 2", row[0].Text, c)
			}
		}
		if row[3].Value != "16" {
			t.Errorf("%s: %+v", row[0].Text, row[3])
		}
	}
}

package run

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
	"stochopt/internal/record"
)

// plainRows computes the kernel matrix of rows of a table by its definition.
type plainRows struct {
	n    int
	rows [][]float32
	diag []float64
}

func (r *plainRows) Train() int          { return r.n }
func (r *plainRows) Len() int            { return len(r.diag) }
func (r *plainRows) Row(i int) []float32 { return r.rows[i] }
func (r *plainRows) Diag() []float64     { return r.diag }

func newPlainRows(table *datasets.Table, order []int, n int, k kernel.Kernel) *plainRows {
	dot := func(a, b int) float64 {
		var sum float64
		for f, v := range table.Row(a, nil) {
			sum += v * table.Row(b, nil)[f]
		}
		return sum
	}
	r := &plainRows{n: n}
	for i, a := range order {
		row := make([]float32, len(order))
		for j, b := range order {
			row[j] = float32(k.Eval(dot(a, b), dot(a, a), dot(b, b)))
		}
		r.diag = append(r.diag, float64(row[i]))
		r.rows = append(r.rows, row)
	}
	return r
}

// Each number of a record equals an independent computation from the streams, the rows and the
// algorithm.
func TestSVMRecordsMatchDefinitions(t *testing.T) {
	t.Parallel()
	w := resultsOf(t, svmSweep)
	p, runs := w.plan, w.runs
	for i, it := range p.Items {
		table := it.Problem.Data.Table
		train, validation, test, err := it.Problem.SVMRows(7, it.Repeat)
		if err != nil {
			t.Fatal(err)
		}
		var order []int
		positive := 0
		for _, y := range []float64{1, -1} {
			for _, row := range train {
				if table.Labels[row] == y {
					order = append(order, row)
					positive += max(int(y), 0)
				}
			}
		}
		n := len(train)
		order = slices.Concat(order, validation, test)
		kern, err := registry.KernelOf(it.Params)
		if err != nil {
			t.Fatal(err)
		}
		split := map[string]string{"a": "", "b": "train=0.5,validation=0.2,test=0.3"}[it.Problem.Entry.ID]
		stream := func(role string) *rand.Rand { return seed.Stream(7, "sha256:clouds", split, it.Repeat, role) }
		facts := runs[i].Facts
		fact := func(name string) float64 {
			if v, ok := facts[name]; ok {
				return v
			}
			return math.NaN()
		}
		rows := newPlainRows(table, order, n, kern)
		l, err := registry.NewSVM(it.Algorithm, registry.Env{
			Kernel: func() svm.Problem { return svm.Problem{Rows: rows, Positive: positive} },
			Lambda: fact("lambda"), Nu: fact("nu"), R: fact("R"),
			Order: func(kind string) svm.Order {
				if kind != "uniform" && kind != "pass" {
					t.Errorf("order %q", kind)
				}
				return newOrder(kind, n, stream(seed.RoleOrder))
			},
			Rand: stream,
		}, it.Params)
		if err != nil {
			t.Fatal(err)
		}
		labels := make([]float64, len(order))
		for j, row := range order {
			labels[j] = table.Labels[row]
		}
		checkSVMRecord(t, runs[i], l, labels, map[string][2]int{
			"train": {0, n}, "validation": {n, n + len(validation)}, "test": {n + len(validation), len(order)},
		})
	}
}

func checkSVMRecord(t *testing.T, r record.Run, l svm.Learner, labels []float64, splits map[string][2]int) {
	t.Helper()
	var s svm.Solution
	c := r.Measured()
	lambda, known := r.Facts["lambda"]
	done := int64(0)
	for point, at := range c.Cost["iterations"] {
		for ; done < at; done++ {
			l.Step()
		}
		l.SolutionTo(&s)
		cost := l.Cost()
		for name, want := range map[string]int64{
			"iterations": cost.Iterations, "kernel_evals": cost.KernelEvals,
			"kernel_evals_moved": cost.KernelEvalsMoved, "inner_products": cost.InnerProducts,
		} {
			if got := c.Cost[name][point]; got != want {
				t.Fatalf("%s at iteration %d: %s is %d, want %d", r.Name(), at, name, got, want)
			}
		}
		loss := make(map[string]float64)
		for name, split := range splits {
			if split[0] == split[1] {
				if c.Metrics[name] != nil {
					t.Errorf("%s: there is no %s split, but the record measures it", r.Name(), name)
				}
				continue
			}
			var wrong, hinge float64
			for j := split[0]; j < split[1]; j++ {
				if labels[j]*s.Scores[j] <= 0 {
					wrong++
				}
				hinge += math.Max(0, 1-labels[j]*s.Scores[j])
			}
			n := float64(split[1] - split[0])
			loss[name] = hinge / n
			if got := c.Metrics[name]["error"][point]; got != wrong/n {
				t.Fatalf("%s at iteration %d: error on %s is %v, want %v", r.Name(), at, name, got, wrong/n)
			}
			if got := c.Metrics[name]["hinge"][point]; math.Abs(got-hinge/n) > 1e-9*(1+hinge/n) {
				t.Fatalf("%s at iteration %d: hinge loss on %s is %v, want %v", r.Name(), at, name, got, hinge/n)
			}
			if rows := r.Rows[name]; rows != int64(n) {
				t.Errorf("%s: %d rows of %s, want %v", r.Name(), rows, name, n)
			}
		}
		state := c.Metrics["state"]
		if want := math.Sqrt(s.NormSq); math.Abs(state["norm"][point]-want) > 1e-9*(1+want) {
			t.Fatalf("%s at iteration %d: norm %v, want %v", r.Name(), at, state["norm"][point], want)
		}
		if !known {
			continue
		}
		primal := lambda/2*s.NormSq + loss["train"]
		if got := state["objective"][point]; math.Abs(got-primal) > 1e-9*primal {
			t.Fatalf("%s at iteration %d: objective %v, want %v", r.Name(), at, got, primal)
		}
		if got := state["suboptimality"][point]; math.Abs(got-(primal-r.Facts["reference_dual"])) > 1e-9*primal || got < 0 {
			t.Fatalf("%s at iteration %d: suboptimality %v, want %v", r.Name(), at, got, primal-r.Facts["reference_dual"])
		}
	}
}

// Records contain exactly the columns and facts that are known.
func TestSVMColumnsAndFacts(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, strings.Replace(svmSweep, "points: 6", "points: 6, vectors: true", 1))
	f, _ := perform(t, p, Options{Workers: 2}, constructors{})
	a, b := f.byAlgorithm(t, p, "a"), f.byAlgorithm(t, p, "b")
	everything := []string{"C", "R", "lambda", "nu", "reference_dual", "reference_gap", "reference_hinge", "reference_norm", "reference_primal", "water_gamma", "water_volume"}
	for _, test := range []struct {
		runs           []record.Run
		facts, metrics []string
	}{
		{a["sdca"], everything, []string{"dual", "gap", "norm", "objective", "slack", "suboptimality", "support"}},
		// Pegasos is not a dual method: its coefficients may be infeasible.
		{a["sbp"], everything, []string{"norm", "objective", "slack", "suboptimality", "support"}},
		// The SBP needs only nu, which is given.
		{b["sbp"], []string{"nu", "water_gamma", "water_volume"}, []string{"norm", "slack", "support"}},
		{b["perceptron"], []string{"nu", "water_gamma", "water_volume"}, []string{"norm", "slack", "support"}},
		{b["smo"], everything, []string{"dual", "gap", "norm", "objective", "slack", "suboptimality", "support"}},
		{b["sgd"], everything, []string{"norm", "objective", "slack", "suboptimality", "support"}},
	} {
		for _, r := range test.runs {
			if got := slices.Sorted(maps.Keys(r.Facts)); !slices.Equal(got, test.facts) {
				t.Errorf("%s has the facts %v, want %v", r.Name(), got, test.facts)
			}
			got := slices.Sorted(maps.Keys(r.Measured().Metrics["state"]))
			if !slices.Equal(got, test.metrics) && !(len(test.metrics) == 5 && slices.Contains(got, "dual")) {
				t.Errorf("%s has the metrics %v, want %v", r.Name(), got, test.metrics)
			}
			n := r.Rows["train"]
			pos, neg := r.Measured().Vectors["responses_positive"], r.Measured().Vectors["responses_negative"]
			if int64(len(pos)+len(neg)) != n || !slices.IsSorted(pos) || !slices.IsSorted(neg) {
				t.Errorf("%s: %d and %d responses of %d rows", r.Name(), len(pos), len(neg), n)
			}
			slack := r.Measured().Metrics["state"]["slack"]
			if r.Facts["water_gamma"] != slack[len(slack)-1] || math.Abs(r.Facts["water_volume"]-r.Facts["nu"]*float64(n)) > 1e-12*float64(n) {
				t.Errorf("%s: water level %v of volume %v", r.Name(), r.Facts["water_gamma"], r.Facts["water_volume"])
			}
			if c, ok := r.Facts["C"]; ok && math.Abs(c*r.Facts["lambda"]*float64(n)-1) > 1e-12 {
				t.Errorf("%s: C = %v and lambda = %v of %d rows", r.Name(), c, r.Facts["lambda"], n)
			}
		}
	}
	for _, runs := range b {
		for _, r := range runs {
			if r.Facts["nu"] != 0.5 || r.Rows["train"] != 45 || r.Rows["validation"] != 18 || r.Rows["test"] != 27 {
				t.Errorf("%s: nu = %v, rows %v", r.Name(), r.Facts["nu"], r.Rows)
			}
		}
	}
}

// The given form of the regularisation is recorded exactly.
func TestFactsHoldTheGivenRegularisation(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	for _, form := range registry.Regularisers {
		// Converting 1/3 to another form and back would change the last bits.
		for _, v := range []float64{0.1, 1.0 / 3} {
			text := strings.Replace(svmSweep[:svmSweepA], "C: [1, 10]}", fmt.Sprintf("%s: %v}", form, v), 1)
			p := buildSVM(t, text+"algorithms:\n  - {id: sbp, budget: {iterations: 2}}\n  - {id: smo, budget: {iterations: 2}}\n")
			f, _ := perform(t, p, Options{}, constructors{})
			for _, r := range f.runs(t, p) {
				if r.Status != record.StatusFinished || r.Facts[form] != v {
					t.Errorf("%s: %s %s, on record with %s = %v", r.Name(), r.Status, r.Reason, form, r.Facts[form])
				}
			}
		}
	}
}

// The primal and dual objectives of dual methods bound the certified optimum.
func TestSVMGapsEncloseTheOptimum(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	for _, bias := range []string{"false", "true"} {
		text := strings.NewReplacer("C: [1, 10]}", "C: 1, bias: "+bias+"}", "passes: 3", "passes: 200").Replace(svmSweep[:svmSweepA])
		p := buildSVM(t, text+"algorithms:\n  - {id: smo, with: {tolerance: 1.0e-9}}\n  - {id: decomposition}\n  - {id: sbp}\n")
		f, sum := perform(t, p, Options{Workers: 2}, constructors{})
		if sum.Finished != 5 { // one each of smo and decomposition
			t.Fatalf("%+v", sum)
		}
		for _, r := range f.runs(t, p) {
			state := r.Measured().Metrics["state"]
			last := r.Points() - 1
			for i := range r.Points() {
				if state["dual"] != nil && (state["dual"][i] > r.Facts["reference_primal"]+1e-12 || math.Abs(state["objective"][i]-state["dual"][i]-state["gap"][i]) > 1e-15) {
					t.Errorf("%s: dual objective %v above the optimum %v", r.Name(), state["dual"][i], r.Facts["reference_primal"])
				}
				if state["objective"][i] < r.Facts["reference_dual"]-1e-12 {
					t.Errorf("%s: objective %v below the optimum %v", r.Name(), state["objective"][i], r.Facts["reference_dual"])
				}
			}
			if r.Algorithm == "smo" && !(state["suboptimality"][last] < 1e-5 && state["gap"][last] < 1e-5) {
				t.Errorf("%s ends %v above the optimum, gap %v", r.Name(), state["suboptimality"][last], state["gap"][last])
			}
		}
	}
}

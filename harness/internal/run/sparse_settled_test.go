package run

import (
	"context"
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/registry"
	"stochopt/results/record"
)

// watched is a method whose classifiers are all noted down.
type watched struct {
	sparse.Learner
	log *classifiers
}

// classifiers are those of a run, one a step.
type classifiers []classifierSeen

type classifierSeen struct {
	cost    algorithms.Cost
	coef    []float64
	settled bool
}

func (w *watched) Step() algorithms.Status {
	status := w.Learner.Step()
	var e sparse.Expansion
	w.ExpansionTo(&e)
	c := classifierSeen{cost: w.Cost(), coef: e.Coef, settled: w.Settled()}
	if n := len(*w.log); status.Stop() && n > 0 && (*w.log)[n-1].cost.Iterations == c.cost.Iterations {
		return status // a step that only says that it is over
	}
	*w.log = append(*w.log, c)
	return status
}

// watchSweep performs the runs of sparseSweep one after another and returns, for
// each, all classifiers that it has had.
func watchSweep(t *testing.T, f folder) ([]record.Run, []classifiers) {
	t.Helper()
	p := buildSVM(t, sparseSweep)
	pending, _ := Pending(p, f.store, Options{})
	var order []*classifiers // in that of pending
	if _, err := f.executeSparse(context.Background(), p, Options{Workers: 1}, func(a *registry.Algorithm, e registry.Env, params registry.Params) (sparse.Learner, error) {
		l, err := registry.NewSparse(a, e, params)
		order = append(order, new(classifiers))
		return &watched{l, order[len(order)-1]}, err
	}); err != nil {
		t.Fatal(err)
	}
	logs := make([]classifiers, len(p.Items))
	for i, it := range pending {
		logs[it.Index] = *order[i]
	}
	return f.store.Runs(p.IDs()), logs
}

// On record are, for each size, the last settled classifier before the support
// exceeds it, and what the run ends with, each once, with its own costs.
func TestRecordsMatchAllClassifiers(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	runs, logs := watchSweep(t, f)
	checked := 0
	for k, r := range runs {
		log := logs[k]
		if r.Status != record.StatusFinished || len(log) == 0 {
			t.Fatalf("%s: %s, %d classifiers", r.Name(), r.Status, len(log))
		}
		at := make(map[int64]int)
		for i, c := range log {
			at[c.cost.Iterations] = i
		}
		recorded := r.Measured().Cost["iterations"]
		for i, iterations := range recorded {
			j, ok := at[iterations]
			if !ok || !log[j].settled && j != len(log)-1 {
				t.Errorf("%s: iteration %d is on record, and no settled classifier had it", r.Name(), iterations)
				continue
			}
			if got := r.Measured().Metrics["state"]["support"][i]; got != float64(len(log[j].coef)) || r.Measured().Cost["kernel_evals"][i] != log[j].cost.KernelEvals {
				t.Errorf("%s, iteration %d: %v vectors and %d kernel evaluations are on record, it had %d and %d", r.Name(), iterations, got, r.Measured().Cost["kernel_evals"][i], len(log[j].coef), log[j].cost.KernelEvals)
			}
		}
		if last := log[len(log)-1].cost.Iterations; recorded[len(recorded)-1] != last {
			t.Errorf("%s: the last on record has %d iterations, want %d", r.Name(), recorded[len(recorded)-1], last)
		}
		n := int(r.Rows["train"])
		for _, size := range newSupportSizes(n, 9, "log").sizes {
			last := -1
			exceeded := false
			for i, c := range log {
				if exceeded = int64(len(c.coef)) > size; exceeded {
					break
				}
				if c.settled && len(c.coef) > 0 {
					last = i
				}
			}
			if !exceeded || last < 0 {
				continue
			}
			checked++
			if want := log[last].cost.Iterations; !slices.Contains(recorded, want) {
				t.Errorf("%s: of size %d iteration %d, of %d vectors, is not on record: %v", r.Name(), size, want, len(log[last].coef), recorded)
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d sizes were checked", checked)
	}
}

// ClassifierUpTo finds the largest of all settled classifiers that is no larger
// than asked, the latest of several.
func TestClassifierUpTo(t *testing.T) {
	t.Parallel()
	f := open(t, t.TempDir())
	runs, logs := watchSweep(t, f)
	p := buildSVM(t, sparseSweep)
	between := 0
	for k, r := range runs {
		recorded := r.Measured().Cost["iterations"]
		for _, until := range []int64{0, recorded[len(recorded)/2]} {
			for _, asked := range []int{1, 4, 7, 9} {
				best := -1
				log := logs[k]
				for i, c := range log {
					n := len(c.coef)
					if until > 0 && c.cost.Iterations > until {
						break
					}
					if (c.settled || i == len(log)-1) && n > 0 && n <= asked && (best < 0 || n >= len(log[best].coef)) {
						best = i
					}
				}
				c, err := ClassifierUpTo(context.Background(), p, p.Items[k], asked, until, Options{Dir: f.dir})
				if best < 0 {
					if err == nil {
						t.Errorf("%s: a classifier of at most %d vectors", r.Name(), asked)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s, at most %d of %d: %v", r.Name(), asked, until, err)
					continue
				}
				want := log[best]
				if !slices.Contains(recorded, want.cost.Iterations) {
					between++
				}
				if c.Provenance.Iterations != want.cost.Iterations || !slices.Equal(c.Coefficients, want.coef) {
					t.Errorf("%s, at most %d of %d: %d vectors at %d, want %d at %d", r.Name(), asked, until, len(c.Coefficients), c.Provenance.Iterations, len(want.coef), want.cost.Iterations)
				}
				_, _, test, err := p.Items[k].Problem.SVMRows(7, r.Repeat)
				if err != nil {
					t.Fatal(err)
				}
				wrong := 0
				table := p.Items[k].Problem.Data.Table
				for _, row := range test {
					if table.Labels[row]*evaluate(c, table.Row(row, nil)) <= 0 {
						wrong++
					}
				}
				if c.Provenance.TestError == nil || *c.Provenance.TestError != float64(wrong)/float64(len(test)) {
					t.Errorf("%s: the test error is %v, with %d mistakes on %d", r.Name(), c.Provenance.TestError, wrong, len(test))
				}
			}
		}
	}
	if between == 0 {
		t.Error("all that was asked for is on record")
	}
}

package run

import (
	"slices"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// watched is a method that logs all its classifiers.
type watched struct {
	sparse.Learner
	log *classifiers
}

// classifiers has the classifier after each step of a run.
type classifiers []classifierSeen

type classifierSeen struct {
	cost      algorithms.Cost
	expansion sparse.Expansion
	final     bool
}

func (w *watched) Step() algorithms.Status {
	status := w.Learner.Step()
	c := classifierSeen{cost: w.Cost(), final: w.Final()}
	w.ExpansionTo(&c.expansion)
	if n := len(*w.log); status.Stop() && n > 0 && (*w.log)[n-1].cost.Iterations == c.cost.Iterations {
		return status // the last step changed nothing
	}
	*w.log = append(*w.log, c)
	return status
}

// watchSweep performs the runs of sparseSweep one after another and returns all classifiers of each.
func watchSweep(t *testing.T) []classifiers {
	t.Helper()
	p := resultsOf(t, sparseSweep).plan
	f := open(t, t.TempDir())
	pending, _ := Pending(p, f.store, Options{})
	var order []*classifiers // in the order of pending
	f.perform(t, p, Options{Workers: 1}, constructors{sparse: func(a *registry.Algorithm, e registry.Env, params registry.Params) (sparse.Learner, error) {
		l, err := registry.NewSparse(a, e, params)
		order = append(order, new(classifiers))
		return &watched{l, order[len(order)-1]}, err
	}})
	logs := make([]classifiers, len(p.Items))
	for i, it := range pending {
		logs[it.Index] = *order[i]
	}
	return logs
}

// Recorded classifiers are final or the last one. Their supports, costs and mistakes equal those of the
// method and of a point-by-point evaluation.
func TestRecordsMatchClassifiers(t *testing.T) {
	t.Parallel()
	w, logs := resultsOf(t, sparseSweep), watchSweep(t)
	for k, r := range w.runs {
		log := logs[k]
		it := w.plan.Items[k]
		train, _, test, err := it.Problem.SVMRows(7, it.Repeat)
		if err != nil {
			t.Fatal(err)
		}
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
			if !ok || !log[j].final && j != len(log)-1 {
				t.Errorf("%s: iteration %d is on record, but it has no final classifier", r.Name(), iterations)
				continue
			}
			support, evals := r.Measured().Metrics["state"]["support"][i], r.Measured().Cost["kernel_evals"][i]
			if support != float64(len(log[j].expansion.Coef)) || evals != log[j].cost.KernelEvals {
				t.Errorf("%s, iteration %d: the record has %v vectors and %d kernel evaluations, the classifier %d and %d",
					r.Name(), iterations, support, evals, len(log[j].expansion.Coef), log[j].cost.KernelEvals)
			}
			wrong := expand(&log[j].expansion, it.Problem.Data.Table, train).mistakes(it.Problem.Data.Table, test)
			if !slices.Equal(wrong, r.Measured().Mistakes[i]) {
				t.Errorf("%s, iteration %d: mistakes at %v, on record %v", r.Name(), iterations, wrong, r.Measured().Mistakes[i])
			}
			if got := r.Measured().Metrics["test"]["error"][i]; got != float64(len(wrong))/float64(len(test)) {
				t.Errorf("%s, iteration %d: error %v with %d mistakes", r.Name(), iterations, got, len(wrong))
			}
		}
		if last := log[len(log)-1].cost.Iterations; recorded[len(recorded)-1] != last {
			t.Errorf("%s: the last record is at iteration %d, want %d", r.Name(), recorded[len(recorded)-1], last)
		}
	}
}

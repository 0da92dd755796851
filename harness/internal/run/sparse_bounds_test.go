package run

import (
	"slices"
	"testing"

	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/registry"
)

const boundedSweep = sparseProblems + `algorithms:
  - {id: sbp}
  - {id: perceptron}
  - {id: pegasos, datasets: [b]}
  - {id: smo}
  - {id: sgd, datasets: [b]}
  - {id: sdca, datasets: [b]}
`

// unbounded hides the methods of sparse.BoundedSupport.
type unbounded struct{ sparse.Learner }

// The records are the same whether or not the recorder uses sparse.BoundedSupport.
func TestBoundedSupportDoesNotChangeRecords(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, boundedSweep)
	var records [2][]string
	for k, hide := range []bool{true, false} {
		keeping := 0
		f, _ := perform(t, p, Options{Workers: 1}, constructors{sparse: func(a *registry.Algorithm, e registry.Env, params registry.Params) (sparse.Learner, error) {
			l, err := registry.NewSparse(a, e, params)
			if s, ok := l.(sparse.BoundedSupport); !ok {
				t.Errorf("%s does not bound its support", a.ID)
			} else if s.KeepsPrevious() {
				keeping++
			}
			if hide {
				l = unbounded{l}
			}
			return l, err
		}})
		if keeping == 0 {
			t.Error("no learner keeps its previous classifier")
		}
		records[k] = f.records(t, p)
		for _, r := range f.runs(t, p) {
			timing, ok := r.Timing()
			if !ok || len(timing.Seconds) != r.Points() || !slices.IsSorted(timing.Seconds) || timing.StepSeconds < timing.Seconds[len(timing.Seconds)-1] {
				t.Errorf("%s: points at %v s of %g", r.Name(), timing.Seconds, timing.StepSeconds)
			}
		}
	}
	for i, line := range records[0] {
		if records[1][i] != line {
			t.Errorf("records differ:\n%s\n%s", line, records[1][i])
		}
	}
}

package run

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/sparse"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// scripted is a method whose successive classifiers have the supports of a list.
type scripted struct {
	supports []int
	notFinal map[int]bool
	ctx      context.Context
	// stuck, if positive, is the step that blocks until the context ends. It first calls begin, if set.
	stuck int
	begin func()
	t     int
	nan   bool
}

func (s *scripted) Step() algorithms.Status {
	if s.t == len(s.supports) {
		return algorithms.Status{State: algorithms.Converged, Reason: "the list has ended"}
	}
	if s.t+1 == s.stuck {
		if s.begin != nil {
			s.begin()
		}
		for s.ctx.Err() == nil {
		}
		return algorithms.Status{State: algorithms.Failed, Reason: s.ctx.Err().Error()}
	}
	s.t++
	return algorithms.Status{}
}

func (s *scripted) Cost() algorithms.Cost {
	return algorithms.Cost{Iterations: int64(s.t), KernelEvals: int64(60 * s.t), InnerProducts: int64(60 * s.t)}
}

func (s *scripted) Support() int {
	if s.t == 0 {
		return 0
	}
	return s.supports[s.t-1]
}

func (s *scripted) Final() bool { return !s.notFinal[s.t] }

func (s *scripted) Value() float64 { return float64(-s.t) }

func (s *scripted) ExpansionTo(e *sparse.Expansion) {
	for i := range s.Support() {
		e.Add(i, 1)
	}
	if s.nan {
		e.Bias = math.NaN()
	}
}

const scriptedSpec = `version: 1
name: scripted
task: svm-sparse
seed: 7
budget: {iterations: 20}
record: {points: 9}
datasets:
  - {id: a, source: adult, problem: {sigma2: 0.5, C: 10}}
algorithms:
  - {id: sparsify, limit: {seconds: 0.05}}
`

// runScripted performs the only run of scriptedSpec with a scripted method.
func runScripted(t *testing.T, text string, s *scripted) (record.Run, Summary) {
	t.Helper()
	p := buildSVM(t, text)
	f, sum := perform(t, p, Options{Workers: 1}, constructors{sparse: func(_ *registry.Algorithm, e registry.Env, _ registry.Params) (sparse.Learner, error) {
		s.ctx = e.Context
		return s, nil
	}})
	return f.runs(t, p)[0], sum
}

// A run is recorded at the support sizes of its final classifiers, and at its end or budget.
func TestRunsAreRecordedBySize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method scripted
		at     []int64
	}{
		{scripted{supports: []int{4, 4, 6, 7, 9, 9}, notFinal: map[int]bool{2: true, 3: true, 5: true}}, []int64{1, 4, 6}},
		{scripted{supports: []int{6, 7, 7}, notFinal: map[int]bool{3: true}}, []int64{2, 3}},
		{scripted{supports: slices.Repeat([]int{7}, 30)}, []int64{20}},
	} {
		r, _ := runScripted(t, strings.Replace(scriptedSpec, ", limit: {seconds: 0.05}", "", 1), &test.method)
		if got := r.Measured().Cost["iterations"]; r.Status != record.StatusFinished || !slices.Equal(got, test.at) {
			t.Errorf("supports %v: %s, recorded at %v, want %v", test.method.supports, r.Status, got, test.at)
		}
		for i, v := range r.Measured().Metrics["state"]["value"] {
			if v != -float64(test.at[i]) || r.Measured().Cost["kernel_evals"][i] != 60*test.at[i] {
				t.Errorf("at %d: value %v, %d kernel evaluations", test.at[i], v, r.Measured().Cost["kernel_evals"][i])
			}
		}
	}
}

func TestOutOfTime(t *testing.T) {
	t.Parallel()
	r, sum := runScripted(t, scriptedSpec, &scripted{supports: []int{1, 2, 3, 4, 5, 6}, stuck: 5})
	if r.Status != record.StatusOutOfTime || r.Limit == nil || *r.Limit != (record.Limit{Seconds: 0.05}) || sum != (Summary{Planned: 1, Counts: record.Counts{Runs: 1, OutOfTime: 1}}) {
		t.Errorf("%s: %s; %+v", r.Status, r.Reason, sum)
	}
	if got := r.Measured().Cost["iterations"]; !slices.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("recorded at %v", got)
	}
	// The limit ends the run before anything is recorded.
	r, _ = runScripted(t, scriptedSpec, &scripted{supports: []int{1}, stuck: 1})
	if r.Status != record.StatusOutOfTime || r.Points() != 0 {
		t.Errorf("%s: %s, %d points", r.Status, r.Reason, r.Points())
	}
}

func TestSparseRunsThatAreNotFinite(t *testing.T) {
	t.Parallel()
	r, sum := runScripted(t, scriptedSpec, &scripted{supports: []int{1, 2}, nan: true})
	if r.Status != record.StatusDiverged || r.Reason == "" || sum.Diverged != 1 {
		t.Errorf("%s: %s", r.Status, r.Reason)
	}
}

// A step in progress ends with the context, and its run is not recorded.
func TestInterruptionInsideAStep(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"", ", limit: {seconds: 1000}"} {
		p := buildSVM(t, strings.Replace(scriptedSpec, ", limit: {seconds: 0.05}", limit, 1))
		f := open(t, t.TempDir())
		ctx, cancel := context.WithCancel(context.Background())
		_, err := f.execute(ctx, p, Options{Workers: 1}, constructors{sparse: func(_ *registry.Algorithm, e registry.Env, _ registry.Params) (sparse.Learner, error) {
			return &scripted{supports: []int{1, 2, 3}, stuck: 2, begin: cancel, ctx: e.Context}, nil
		}})
		if !errors.Is(err, context.Canceled) || len(f.runs(t, p)) != 0 {
			t.Errorf("error %v, %d records", err, len(f.runs(t, p)))
		}
	}
}

package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

const sweep = `version: 1
name: sweep
task: pca
seed: 7
repeats: 3
budget: {iterations: 60}
record: {points: 6, spectrum: true}
datasets:
  - {id: a, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}
  - {id: b, source: simulated-orthogonal, with: {dim: 6, gap: 1}, problem: {k: [1, 2]}}
algorithms:
  - {id: msg, step: {c: [0.25, 1]}}
  - {id: incremental}
`

// folder is a results folder. The end of the test closes it.
type folder struct {
	dir   string
	store *record.Store
}

// runs returns the records of the plan, with their curves and timings.
func (f *folder) runs(t testing.TB, p *plan.Plan) []record.Run {
	t.Helper()
	e := f.read(t, p)
	for i, r := range e.Runs {
		timing, ok := r.Timing()
		if e.Runs[i] = r.With(r.Measured()); ok {
			e.Runs[i] = e.Runs[i].WithTiming(timing)
		}
	}
	return e.Runs
}

// read closes the store of plan p, reads the folder, and opens the store again.
func (f *folder) read(t testing.TB, p *plan.Plan) *record.Experiment {
	t.Helper()
	if err := f.store.SetPlan(p.IDs()); err != nil {
		t.Fatal(err)
	}
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := record.ReadDir(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if f.store, err = record.Open(f.dir, record.Options{}); err != nil {
		t.Fatal(err)
	}
	return e
}

// optima returns the certified optima as text, one per line.
func (f *folder) optima() string {
	var text strings.Builder
	optima := f.store.Optima()
	for _, id := range slices.Sorted(maps.Keys(optima)) {
		fmt.Fprintf(&text, "%s: %s\n", id, optima[id])
	}
	return text.String()
}

func open(t testing.TB, dir string) *folder {
	t.Helper()
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &folder{dir, store}
	t.Cleanup(func() { f.store.Close() })
	return f
}

// records returns the stored records of the plan, encoded.
func (f *folder) records(t testing.TB, p *plan.Plan) []string {
	t.Helper()
	var lines []string
	for _, r := range f.runs(t, p) {
		lines = append(lines, encoded(t, r))
	}
	return lines
}

func encoded(t testing.TB, r record.Run) string {
	t.Helper()
	line, err := record.EncodeRun(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// execute executes a plan. Constructors that are nil in with are replaced by those of the registry.
func (f *folder) execute(ctx context.Context, p *plan.Plan, o Options, with constructors) (Summary, error) {
	if with.pca == nil {
		with.pca = registry.NewPCA
	}
	if with.svm == nil {
		with.svm = registry.NewSVM
	}
	if with.sparse == nil {
		with.sparse = registry.NewSparse
	}
	return execute(ctx, p, f.store, o, with)
}

// perform executes a plan and fails the test on an error.
func (f *folder) perform(t testing.TB, p *plan.Plan, o Options, with constructors) Summary {
	t.Helper()
	sum, err := f.execute(context.Background(), p, o, with)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// perform executes a plan in a new folder.
func perform(t testing.TB, p *plan.Plan, o Options, with constructors) (*folder, Summary) {
	t.Helper()
	f := open(t, t.TempDir())
	return f, f.perform(t, p, o, with)
}

// finished is the summary of n runs that all finished.
func finished(n int) Summary {
	return Summary{Planned: n, Counts: record.Counts{Runs: n, Finished: n}}
}

// reused is the summary of n runs that were all on record.
func reused(n int) Summary { return Summary{Planned: n, Reused: n} }

// uninterrupted is a plan and the results of executing it once. Tests share it and must not change it.
type uninterrupted struct {
	once    sync.Once
	plan    *plan.Plan
	sum     Summary
	runs    []record.Run
	records []string
	optima  string
}

var sweeps = map[string]*uninterrupted{sweep: {}, svmSweep: {}, sparseSweep: {}}

// resultsOf returns the results of executing a sweep with one worker.
func resultsOf(t testing.TB, text string) *uninterrupted {
	t.Helper()
	w := sweeps[text]
	w.once.Do(func() {
		p := planOf(t, text)
		f, sum := perform(t, p, Options{Workers: 1}, constructors{})
		w.plan, w.sum, w.runs, w.records, w.optima = p, sum, f.runs(t, p), f.records(t, p), f.optima()
	})
	if w.plan == nil {
		t.Fatal("the sweep cannot be performed")
	}
	return w
}

// planOf builds the plan of a spec. The source adult is replaced by clouds.
func planOf(t testing.TB, text string) *plan.Plan {
	t.Helper()
	if text == sweep {
		return plantest.Build(t, text, nil)
	}
	return buildSVM(t, text)
}

// hooks modify a learner: they replace steps and change costs and iterates.
type hooks struct {
	step     func(t int64) (algorithms.Status, bool)
	cost     func(*algorithms.Cost)
	state    func(*pca.State)
	solution func(*svm.Solution)
	// err, if set, is returned by the constructor.
	err error
}

func (h *hooks) stepOf(l algorithms.Stepper) algorithms.Status {
	if h.step != nil {
		if s, ok := h.step(h.costOf(l).Iterations + 1); ok {
			return s
		}
	}
	return l.Step()
}

func (h *hooks) costOf(l algorithms.Stepper) algorithms.Cost {
	c := l.Cost()
	if h.cost != nil {
		h.cost(&c)
	}
	return c
}

type hookedPCA struct {
	pca.Learner
	*hooks
}

func (h hookedPCA) Cost() algorithms.Cost   { return h.costOf(h.Learner) }
func (h hookedPCA) Step() algorithms.Status { return h.stepOf(h.Learner) }
func (h hookedPCA) StateTo(dst *pca.State) {
	h.Learner.StateTo(dst)
	if h.state != nil {
		h.state(dst)
	}
}

type hookedSVM struct {
	svm.Learner
	*hooks
}

func (h hookedSVM) Cost() algorithms.Cost   { return h.costOf(h.Learner) }
func (h hookedSVM) Step() algorithms.Status { return h.stepOf(h.Learner) }
func (h hookedSVM) SolutionTo(s *svm.Solution) {
	h.Learner.SolutionTo(s)
	if h.solution != nil {
		h.solution(s)
	}
}

// withHooks returns constructors that add hooks to the learners of one algorithm.
func withHooks(id string, h hooks) constructors {
	return constructors{
		pca: func(a *registry.Algorithm, env registry.Env, p registry.Params) (pca.Learner, error) {
			l, err := registry.NewPCA(a, env, p)
			if err != nil || a.ID != id {
				return l, err
			}
			return hookedPCA{l, &h}, h.err
		},
		svm: func(a *registry.Algorithm, env registry.Env, p registry.Params) (svm.Learner, error) {
			l, err := registry.NewSVM(a, env, p)
			if err != nil || a.ID != id {
				return l, err
			}
			return hookedSVM{l, &h}, h.err
		},
	}
}

// messages collects warnings and notes from any goroutine.
type messages struct {
	mu  sync.Mutex
	all []string
}

func (m *messages) add(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, text)
}

// watcher is a Progress that counts runs.
type watcher struct {
	mu                sync.Mutex
	total, done, runs int
	// after, if set, is called after each run with the number of runs so far.
	after func(n int)
	// counted has the iteration counter of each run.
	counted map[*plan.Item]*atomic.Int64
}

func (w *watcher) Start(total int, pending []*plan.Item) {
	w.total, w.done = total, total-len(pending)
	w.counted = make(map[*plan.Item]*atomic.Int64)
}

func (w *watcher) Begin(it *plan.Item, iterations *atomic.Int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counted[it] = iterations
}

func (w *watcher) Done(*plan.Item, record.Run, record.Timing) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs++
	if w.after != nil {
		w.after(w.runs)
	}
}

// skipIfShort skips a test in short mode.
func skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
}

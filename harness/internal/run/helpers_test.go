package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/harness/internal/plan"
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

// folder is a results folder that is closed with the test.
type folder struct {
	dir   string
	store *record.Store
}

// runs returns the records of the plan, with their curves.
func (f *folder) runs(t testing.TB, p *plan.Plan) []record.Run {
	t.Helper()
	e := f.read(t, p)
	for i, r := range e.Runs {
		e.Runs[i] = r.With(r.Measured())
	}
	return e.Runs
}

// read reads the folder, whose plan is p, when everything is written.
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

// optima returns the certified optima as text, one a line.
func (f *folder) optima() string {
	var text strings.Builder
	optima := f.store.Optima()
	for _, id := range slices.Sorted(maps.Keys(optima)) {
		fmt.Fprintf(&text, "%s: %s\n", id, optima[id])
	}
	return text.String()
}

// putOptima stores the optima of another folder, each changed by edit.
func (f *folder) putOptima(t testing.TB, from *folder, edit func(string) string) {
	t.Helper()
	for id, data := range from.store.Optima() {
		if err := f.store.AddOptimum(record.Optimum{ID: id, Data: []byte(edit(string(data)))}); err != nil {
			t.Fatal(err)
		}
	}
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

// records returns the records of the plan in the store, encoded.
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

func (f *folder) execute(ctx context.Context, p *plan.Plan, construct constructor, progress Progress) (Summary, error) {
	return execute(ctx, p, f.store, Options{Workers: 2, Progress: progress}, constructors{pca: construct, svm: registry.NewSVM})
}

// hooked is a learner whose steps, costs and states a test can spoil.
type hooked struct {
	pca.Learner
	step  func(t int64) (algorithms.Status, bool)
	cost  func(*algorithms.Cost)
	state func(*pca.State)
}

func (h *hooked) Cost() algorithms.Cost {
	c := h.Learner.Cost()
	if h.cost != nil {
		h.cost(&c)
	}
	return c
}

func (h *hooked) Step() algorithms.Status {
	if h.step != nil {
		if s, ok := h.step(h.Cost().Iterations + 1); ok {
			return s
		}
	}
	return h.Learner.Step()
}

func (h *hooked) StateTo(dst *pca.State) {
	h.Learner.StateTo(dst)
	if h.state != nil {
		h.state(dst)
	}
}

// spoil returns a constructor that changes the learners of one algorithm.
func spoil(id string, change func(*hooked)) constructor {
	return func(a *registry.Algorithm, env registry.PCAEnv, p registry.Params) (pca.Learner, error) {
		l, err := registry.NewPCA(a, env, p)
		if err != nil || a.ID != id {
			return l, err
		}
		h := &hooked{Learner: l}
		change(h)
		return h, nil
	}
}

var errConstruct = errors.New("no such luck")

// messages collects what is warned of or noted, from any goroutine.
type messages struct {
	mu  sync.Mutex
	all []string
}

func (m *messages) add(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, text)
}

// watcher is a Progress that counts, and calls after each run.
type watcher struct {
	mu                sync.Mutex
	total, done, runs int
	iterations        int64
	after             func(n int)
	// counted holds the iterations of each run as they were reported.
	counted map[*plan.Item]*atomic.Int64
}

func (w *watcher) Start(total int, pending []*plan.Item) {
	w.total, w.done = total, total-len(pending)
	w.counted = make(map[*plan.Item]*atomic.Int64)
	for _, it := range pending {
		w.iterations += it.Budget
	}
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

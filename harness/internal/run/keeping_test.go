package run

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stochopt/algorithms"
	"stochopt/algorithms/checkpoint"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
	"stochopt/harness/internal/registry"
	"stochopt/results/record"
)

// interrupter ends executions: each new run after two steps, and a restored one after some
// more.
type interrupter struct {
	rng  *rand.Rand
	seen map[string]bool
	end  func()
}

// countdown counts the steps of one learner.
type countdown struct {
	left int64
	end  func()
}

// of returns what counts the steps of a learner.
func (i *interrupter) of(id string, p registry.Params) *countdown {
	if i.end == nil {
		return &countdown{}
	}
	s := &countdown{left: 2, end: i.end}
	if name := fmt.Sprint(id, p); i.seen[name] {
		s.left += i.rng.Int64N(80)
	} else {
		i.seen[name] = true
	}
	return s
}

func (s *countdown) stepped() {
	if s.left--; s.left == 0 {
		s.end()
	}
}

// constructors returns those of the registry, whose learners count their steps. They are
// what they are besides: steady, or with a value of their own.
func (i *interrupter) constructors() constructors {
	return constructors{
		pca: func(a *registry.Algorithm, env registry.PCAEnv, p registry.Params) (pca.Learner, error) {
			l, err := registry.NewPCA(a, env, p)
			return countedPCA{l, i.of(a.ID, p)}, err
		},
		svm: func(a *registry.Algorithm, env registry.Env, p registry.Params) (svm.Learner, error) {
			l, err := registry.NewSVM(a, env, p)
			return countedSVM{l, i.of(a.ID, p)}, err
		},
		sparse: func(a *registry.Algorithm, env registry.Env, p registry.Params) (sparse.Learner, error) {
			l, err := registry.NewSparse(a, env, p)
			c := countedSparse{l, i.of(a.ID, p)}
			switch l := l.(type) {
			case sparse.Steady:
				return struct {
					countedSparse
					steadiness
				}{c, l}, err
			case sparse.Valued:
				return countedValued{c, l}, err
			}
			return c, err
		},
	}
}

type countedPCA struct {
	pca.Learner
	*countdown
}

func (c countedPCA) Step() algorithms.Status {
	defer c.stepped()
	return c.Learner.Step()
}
func (c countedPCA) Checkpoint(s *checkpoint.State) { s.Part(c.Learner) }

type countedSVM struct {
	svm.Learner
	*countdown
}

func (c countedSVM) Step() algorithms.Status {
	defer c.stepped()
	return c.Learner.Step()
}
func (c countedSVM) Checkpoint(s *checkpoint.State) { s.Part(c.Learner) }

type countedSparse struct {
	sparse.Learner
	*countdown
}

func (c countedSparse) Step() algorithms.Status {
	defer c.stepped()
	return c.Learner.Step()
}
func (c countedSparse) Checkpoint(s *checkpoint.State) { s.Part(c.Learner) }

// steadiness is what a steady learner has besides.
type steadiness interface {
	Reach() (least, most int)
	Retraces() bool
	PreviousTo(e *sparse.Expansion)
}

type countedValued struct {
	countedSparse
	valued sparse.Valued
}

func (c countedValued) Value() float64 { return c.valued.Value() }

// resumed are specs that have all algorithms of their task between them.
var resumed = map[string]string{
	registry.TaskPCA: `
budget: {iterations: 60}
record: {points: 6, spectrum: true}
datasets:
  - {id: c, source: simulated-gaussian, with: {dim: 9, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: saa}
  - {id: power, step: {c: [1]}}
  - {id: gha, step: {c: [0.25]}}
  - {id: incremental}
  - {id: warmuth-kuzmin, step: {c: [1]}, with: {iterate: [last, average, sample]}}
  - {id: msg, step: {c: [1]}, with: {iterate: [last, average, sample], unrelax: decompose}}
  - {id: capped-msg, step: {c: [1]}}
  - {id: grouse, step: {c: [1]}}
`,
	registry.TaskSVM: `
budget: {iterations: 90}
record: {points: 6, vectors: true}
datasets:
  - {id: a, source: adult, problem: {kernel: gaussian, sigma2: 0.5, C: 1, bias: true}}
  - {id: b, source: adult, split: {train: 0.5, validation: 0.2, test: 0.3}, problem: {kernel: gaussian, sigma2: 0.5, C: 10}}
  - {id: d, source: adult, problem: {kernel: linear, C: 1}}
algorithms:
  - {id: sbp, datasets: [a, b]}
  - {id: smo, datasets: [a, b]}
  - {id: decomposition, datasets: [a, b]}
  - {id: sgd, datasets: [b]}
  - {id: pegasos, datasets: [b]}
  - {id: sdca, datasets: [b]}
  - {id: perceptron, datasets: [b]}
  - {id: rff, with: {pairs: 64}, datasets: [b]}
  - {id: linear-sdca, datasets: [d]}
  - {id: linear-pegasos, datasets: [d]}
  - {id: simba, datasets: [d]}
`,
	registry.TaskSparse: `
budget: {iterations: 200}
record: {points: 9}
datasets:
  - {id: a, source: adult, problem: {sigma2: 0.5, C: 10, bias: true}}
  - {id: b, source: adult, split: {train: 0.5, validation: 0.2, test: 0.3}, problem: {sigma2: 0.5, C: 5, bias: false}}
algorithms:
  - {id: sparsify}
  - {id: sparsify-aggressive}
  - {id: sparsify-smooth}
  - {id: spsvm}
  - {id: rsvm, with: {ratio: 0.2}}
  - {id: osuna-girosi}
  - {id: ramp}
  - {id: zhan-shen}
  - {id: reduced-set, with: {support: 6}}
  - {id: csvm, with: {support: 4}}
  - {id: cpsp, with: {basis: 4}}
  - {id: forgetron, with: {support: 8}}
  - {id: rbp, with: {support: 8}}
  - {id: perceptron}
  - {id: sbp}
  - {id: sgd}
  - {id: pegasos}
  - {id: sdca}
  - {id: smo}
`,
}

func TestRestoredRunsEndTheSame(t *testing.T) {
	t.Parallel()
	for task, text := range resumed {
		t.Run(task, func(t *testing.T) {
			t.Parallel()
			data := clouds(t, 60, 30, 1)
			p := plantest.Build(t, "version: 1\nname: all\ntask: "+task+"\nseed: 7"+text, map[string]*datasets.Data{"a": data, "b": data, "d": data})
			for _, e := range registry.Algorithms(task) {
				external := e.ID == "libsvm" // svm-train cannot be saved
				if !external && !slices.ContainsFunc(p.Items, func(it *plan.Item) bool { return it.Algorithm.ID == e.ID }) {
					t.Errorf("%s is not among the algorithms of this test", e.ID)
				}
			}
			comesToTheSame(t, p)
		})
	}
}

// comesToTheSame executes a plan, and executes it again with an interruption after a few
// steps each time, until nothing is pending: the records are the same.
func comesToTheSame(t *testing.T, p *plan.Plan) {
	t.Helper()
	whole := open(t, t.TempDir())
	if _, err := execute(context.Background(), p, whole.store, Options{Dir: whole.dir, Workers: 2}, new(interrupter).constructors()); err != nil {
		t.Fatal(err)
	}
	want := whole.records(t, p)
	dir := t.TempDir()
	i := &interrupter{rng: newRNG(4), seen: make(map[string]bool)}
	for round := 0; ; round++ {
		f := open(t, dir)
		if err := f.store.Compact(p.IDs()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		i.end = cancel
		_, err := execute(ctx, p, f.store, Options{
			Dir: dir, Checkpoints: Checkpoints{Every: time.Hour, After: 1},
			Warn: func(text string) {
				if strings.Contains(text, "checkpoint") {
					t.Error("a warning: " + text)
				}
			},
		}, i.constructors())
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if err == nil {
			if got := f.records(t, p); !slices.Equal(got, want) {
				t.Errorf("after %d rounds the records are not those of an execution without an interruption", round)
				for k := range got {
					if got[k] != want[k] {
						t.Logf("%s\n%s", want[k], got[k])
					}
				}
			}
			checkParts(t, f, p)
			break
		}
		if err := f.store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, record.CheckpointsFolder)); err == nil {
		t.Errorf("checkpoints are left: %v", left)
	}
}

// checkParts checks that of each algorithm a run was restored, and that its timing says so.
func checkParts(t *testing.T, f folder, p *plan.Plan) {
	t.Helper()
	parts := map[string]int{}
	for _, r := range f.store.Runs(p.IDs()) {
		timing, ok := f.timing(t, r)
		if !ok || len(timing.Seconds) != r.Points() || timing.StepSeconds < timing.Seconds[r.Points()-1] {
			t.Errorf("%s: timing %+v of %d points", r.Name(), timing, r.Points())
		}
		parts[r.Algorithm] = max(parts[r.Algorithm], timing.Parts)
	}
	for id, n := range parts {
		if n < 2 {
			t.Errorf("no run of %s was restored", id)
		}
	}
}

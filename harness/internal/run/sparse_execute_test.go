package run

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/internal/record"
)

// sparseProblems begins the specs of sweeps over sparse learners.
const sparseProblems = `version: 1
name: sparse-sweep
task: svm-sparse
seed: 7
budget: {iterations: 400}
record: {points: 9}
datasets:
  - {id: a, source: adult, problem: {sigma2: 0.5, C: 10, bias: true}}
  - {id: b, source: adult, split: {train: 0.5, validation: 0.2, test: 0.3}, problem: {sigma2: 0.5, C: [0.5, 5], bias: false}}
`

const sparseSweep = sparseProblems + `repeats: 2
algorithms:
  - {id: sparsify, with: {eta: [0.25, 1]}}
  - {id: sparsify-aggressive}
  - {id: rsvm, with: {ratio: 0.2}}
  - {id: spsvm}
  - {id: reduced-set, with: {support: 6}}
`

// sparseSweepRuns is the number of its runs: on dataset a the deterministic
// methods have one.
const sparseSweepRuns = 2 + 1 + 2 + 2 + 1 + 2*2*6

func (f *folder) executeSparse(ctx context.Context, p *plan.Plan, o Options, construct sparseConstructor) (Summary, error) {
	return execute(ctx, p, f.store, o, constructors{sparse: construct})
}

// The records depend neither on the number of workers nor on the memory.
func TestSparseExecutionIsDeterministic(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, sparseSweep)
	var own int64 // what a run takes by itself
	for _, it := range p.Items {
		own = max(own, it.Memory())
	}
	var want []string
	var optima string
	for _, o := range []Options{{Workers: 1}, {Workers: 2}, {Workers: 3, Memory: own + 4*96*9}} {
		f := open(t, t.TempDir())
		sum, err := f.executeSparse(context.Background(), p, o, registry.NewSparse)
		if err != nil || sum != (Summary{Planned: sparseSweepRuns, Counts: record.Counts{Runs: sparseSweepRuns, Finished: sparseSweepRuns}}) {
			for _, r := range f.runs(t, p) {
				t.Log(r.Name(), r.Status, r.Reason)
			}
			t.Fatalf("%+v: summary is %+v, %v", o, sum, err)
		}
		data := f.optima()
		got := f.records(t, p)
		if want == nil {
			want, optima = got, data
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: the records differ from those of one worker", o)
		}
		if data != optima {
			t.Errorf("%+v: the optima are\n%s\nwant\n%s", o, data, optima)
		}
	}
	// One of dataset a, of b one for each C and repeat.
	if n := strings.Count(optima, "\n"); n != 1+4 {
		t.Errorf("%d optima are stored, want 5", n)
	}
}

func TestSparseExecutionResumes(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, sparseSweep)
	whole := open(t, t.TempDir())
	if _, err := whole.executeSparse(context.Background(), p, Options{Workers: 2}, registry.NewSparse); err != nil {
		t.Fatal(err)
	}
	want := whole.records(t, p)
	dir := t.TempDir()
	for round := 0; ; round++ {
		f := open(t, dir)
		ctx, cancel := context.WithCancel(context.Background())
		w := &watcher{after: func(n int) {
			if n == 5 {
				cancel()
			}
		}}
		_, err := f.executeSparse(ctx, p, Options{Workers: 2, Progress: w}, registry.NewSparse)
		cancel()
		got := f.records(t, p)
		if closeErr := f.store.Close(); closeErr != nil {
			t.Fatal(closeErr)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if err == nil {
			if round < 2 || !slices.Equal(got, want) {
				t.Errorf("after %d rounds the records differ from those of an uninterrupted execution", round)
			}
			break
		}
	}
}

// What is stored of a trained classifier is used again.
func TestTrainedClassifierIsReused(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, sparseSweep)
	dir := t.TempDir()
	f := open(t, dir)
	ctx, cancel := context.WithCancel(context.Background())
	w := &watcher{after: func(n int) { cancel() }}
	if _, err := f.executeSparse(ctx, p, Options{Workers: 1, Progress: w}, registry.NewSparse); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	before := f.runs(t, p)[0]
	steps := before.Facts["reference_iterations"]
	// Marked, to be recognised.
	f.putOptima(t, f, func(object string) string { return strings.Replace(object, `"iterations":`, `"iterations":7000`, 1) })
	if _, err := f.executeSparse(context.Background(), p, Options{Workers: 2}, registry.NewSparse); err != nil {
		t.Fatal(err)
	}
	marked := 0
	for _, r := range f.runs(t, p) {
		if r.Dataset == "a" && r.Facts["reference_iterations"] > 70*steps && r.Facts["reference_iterations"] != steps {
			marked++
			// Apart from the mark the facts are those of the run that trained it.
			got, want := maps.Clone(r.Facts), maps.Clone(before.Facts)
			for _, name := range []string{"reference_iterations", "reference_kernel_evals"} {
				delete(got, name)
				delete(want, name)
			}
			if !maps.Equal(got, want) {
				t.Errorf("%s: facts %v, before %v", r.Name(), got, want)
			}
		}
	}
	if marked != 3 { // of the four runs that need it, one was made before
		t.Errorf("%d runs know the stored classifier, want 3", marked)
	}
}

// Every recorded classifier errs exactly where it does when it is evaluated point
// by point.
func TestMistakesMatchBruteForce(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, sparseSweep)
	f := open(t, t.TempDir())
	if _, err := f.executeSparse(context.Background(), p, Options{Workers: 2}, registry.NewSparse); err != nil {
		t.Fatal(err)
	}
	_, logs := watchSweep(t, open(t, t.TempDir()))
	for k, r := range f.runs(t, p) {
		it := p.Items[k]
		train, _, test, err := it.Problem.SVMRows(7, it.Repeat)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Measured().Mistakes) != r.Points() || r.Points() == 0 {
			t.Fatalf("%s: %d sets of mistakes at %d points", r.Name(), len(r.Measured().Mistakes), r.Points())
		}
		for at, iterations := range r.Measured().Cost["iterations"] {
			i := slices.IndexFunc(logs[k], func(c classifierSeen) bool { return c.cost.Iterations == iterations })
			e := &logs[k][i].expansion
			wrong := expand(e, it.Problem.Data.Table, train).mistakes(it.Problem.Data.Table, test)
			if !slices.Equal(wrong, r.Measured().Mistakes[at]) {
				t.Errorf("%s, iteration %d: mistakes at %v, recorded are %v", r.Name(), iterations, wrong, r.Measured().Mistakes[at])
			}
			if got := r.Measured().Metrics["test"]["error"][at]; got != float64(len(wrong))/float64(len(test)) {
				t.Errorf("%s, iteration %d: error %v with %d mistakes", r.Name(), iterations, got, len(wrong))
			}
			if got := r.Measured().Metrics["state"]["support"][at]; got != float64(len(e.Coef)) {
				t.Errorf("%s, iteration %d: %v vectors on record, want %d", r.Name(), iterations, got, len(e.Coef))
			}
		}
	}
}

func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	text := strings.Replace(sparseSweep, "{id: spsvm}", "{id: spsvm, limit: {memory: 100}}", 1)
	p := buildSVM(t, text)
	f := open(t, t.TempDir())
	sum, err := f.executeSparse(context.Background(), p, Options{Workers: 2}, registry.NewSparse)
	if err != nil || sum != (Summary{Planned: sparseSweepRuns, Counts: record.Counts{Runs: sparseSweepRuns, Finished: sparseSweepRuns - 6, OutOfMemory: 6}}) {
		t.Fatalf("%+v, %v", sum, err)
	}
	for _, r := range f.runs(t, p) {
		if r.Algorithm == "spsvm" && (r.Limit == nil || *r.Limit != (record.Limit{Memory: 100}) || r.Status != record.StatusOutOfMemory || !strings.HasSuffix(r.Reason, "of memory; the limit is 100 B")) {
			t.Errorf("%s: %s: %s", r.Name(), r.Status, r.Reason)
		}
	}
	// It would be so again.
	sum, err = f.executeSparse(context.Background(), p, Options{Workers: 2}, registry.NewSparse)
	if err != nil || sum.Reused != sparseSweepRuns {
		t.Errorf("%+v, %v", sum, err)
	}
}

// When nobody needs them any more the kernel rows are given back.
func TestSparseRowsAreGivenBack(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, sparseSweep)
	f := open(t, t.TempDir())
	set := newSettings(p, Options{Workers: 2}, references(t))
	pending, _ := Pending(p, f.store, Options{})
	task := newKernelTask(pending, set, constructors{sparse: registry.NewSparse})
	var sum Summary
	x := &execution{store: f.store, settings: set, task: task, sum: &sum}
	if err := x.all(context.Background(), pending); err != nil {
		t.Fatal(err)
	}
	if len(task.made) != 0 || len(task.readers) != 0 || task.pool.Used() != 0 {
		t.Errorf("%d shares, %d readers and %d bytes are left", len(task.made), len(task.readers), task.pool.Used())
	}
}

// What constructed vectors' rows may take is no more of the memory than a quarter,
// and the records do not depend on it.
func TestMemoryForVectors(t *testing.T) {
	t.Parallel()
	p := buildSVM(t, sparseSweep)
	pending, _ := Pending(p, open(t, t.TempDir()).store, Options{})
	constructing := int64(0)
	for _, it := range pending {
		if it.Algorithm.ID == "reduced-set" {
			constructing++
		}
	}
	for _, test := range []struct {
		workers       int
		memory, bytes int64 // of a run
	}{{1, 1 << 30, maxVectorBytes}, {2, 1 << 30, maxVectorBytes}, {4, 1 << 30, 1 << 26}, {2, 1 << 20, 1 << 17}, {100, 1 << 30, 1 << 28 / constructing}} {
		set := newSettings(p, Options{Workers: test.workers, Memory: test.memory}, references(t))
		task := newKernelTask(pending, set, constructors{sparse: registry.NewSparse})
		together := min(int64(test.workers), constructing)
		// The methods' own memory is that of features.
		slack := task.memory.bytes
		if task.vectorBytes > test.bytes || task.vectorBytes < test.bytes-slack {
			t.Errorf("%d workers, %d bytes: %d for vectors, want %d", test.workers, test.memory, task.vectorBytes, test.bytes)
		}
		if all := task.pool.Bytes() + together*task.vectorBytes + slack; all != test.memory {
			t.Errorf("%d workers: %d bytes of %d in all", test.workers, all, test.memory)
		}
	}
	var none []*plan.Item
	for _, it := range pending {
		if it.Algorithm.ID != "reduced-set" {
			none = append(none, it)
		}
	}
	if task := newKernelTask(none, newSettings(p, Options{}, references(t)), constructors{sparse: registry.NewSparse}); task.vectorBytes != 0 {
		t.Errorf("%d bytes for the vectors of nobody", task.vectorBytes)
	}
}

package forecast

import (
	"math"
	"path/filepath"
	"testing"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/results/record"
)

const sweep = `version: 1
name: sweep
task: pca
seed: 7
repeats: 4
budget: {iterations: 40}
record: {points: 4}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}
  - {id: h, source: simulated-gaussian, with: {dim: 8, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: power, step: {c: [0.25, 1]}}
  - {id: incremental}
select: {by: none}
`

// steps is a table that knows the steps of the sweep: 4 and 8 s a run.
func steps() *Table {
	return &Table{Seconds: map[string]float64{"pca.power.step": 0.1, "pca.incremental.step": 0.2}}
}

// near reports whether two numbers agree but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

func wantOwn(t *testing.T, f *Forecast, it *plan.Item, want float64) {
	t.Helper()
	if got := f.Own(it); !near(got, want) {
		t.Errorf("%s on %s: %v s, want %v", it.Series, it.Problem.Entry.ID, got, want)
	}
}

func TestForecastOfATable(t *testing.T) {
	p := plantest.Build(t, sweep, nil)
	table := steps()
	table.Seconds["pca.setup.share"] = 3
	table.Seconds["pca.optimum.decomposed"] = 1.0 / 36
	f := New(p.Items, table)
	wantOwn(t, f, p.Items[0], 4)
	// On each data set the first run makes what all share: 3 s, and an optimum.
	left := f.Left(p.Items, nil)
	seen := make(map[string]bool)
	for i, it := range p.Items {
		want := map[string]float64{"power": 4, "incremental": 8}[it.Series]
		if data := it.Problem.Entry.ID; !seen[data] {
			seen[data] = true
			want += 3 + map[string]float64{"g": 1, "h": 64.0 / 36}[data]
		}
		if !near(left[i], want) {
			t.Errorf("run %d: %v s, want %v", i, left[i], want)
		}
	}
	// A run that has begun leaves its optimum, and nothing else, to another execution.
	if rest := f.Left(p.Items[1:], p.Items[:1]); !near(rest[0], 4+3) {
		t.Errorf("after the first run: %v s, want 7", rest[0])
	}
}

// A run that took twice the time says most of those that differ in the repeat only, less of
// others of its series, still less of other data and least of other algorithms.
func TestForecastLearns(t *testing.T) {
	p := plantest.Build(t, sweep, nil)
	f := New(p.Items, steps())
	f.Learn(p.Items[0], 8)
	general := math.Sqrt(1.5) // of two algorithms, one of them the table
	algorithm := math.Sqrt(general * (2 + general) / 2)
	series := (2 + algorithm) / 2
	params := (2 + series) / 2
	for _, it := range p.Items {
		want := 4.0
		switch {
		case it.Series == "incremental":
			want = 8 * general
		case it.Problem != p.Items[0].Problem:
			want *= algorithm
		case it.Params.Float("step.c") != p.Items[0].Params.Float("step.c"):
			want *= series
		default:
			want *= params
		}
		wantOwn(t, f, it, want)
	}
}

// What runs take is believed in the end, whatever the table says.
func TestForecastBelievesWhatItSees(t *testing.T) {
	p := plantest.Build(t, sweep, nil)
	f := New(p.Items, &Table{})
	for range 1000 {
		f.Learn(p.Items[0], 5)
	}
	if got := f.Own(p.Items[1]); math.Abs(got-5) > 0.05 {
		t.Errorf("%v s, want about 5", got)
	}
}

// A run with a limit takes no more steps than fit.
func TestForecastHeedsLimits(t *testing.T) {
	p := plantest.Build(t, sweep, nil)
	p.Items[0] = p.Items[0].Within(record.Limit{Seconds: 1.5})
	wantOwn(t, New(p.Items, steps()), p.Items[0], 1.5)
}

func TestKernelRows(t *testing.T) {
	for _, c := range []struct{ read, fresh, n, kept, want float64 }{
		{0, 1, 100, 100, 0},
		{1e9, 1, 100, 100, 100},  // all of them
		{100, 1, 100, 100, 63.2}, // draws with replacement
		{500, 0.2, 100, 100, 63.2},
		{1e6, 1, 100, 0, 1e6},   // nothing is kept
		{1000, 1, 100, 50, 325}, // a quarter of those read again are gone
		{5, 1, 0, 0, 0},
	} {
		if got := registry.KernelRows(c.read, c.fresh, c.n, c.kept); math.Abs(got-c.want) > 0.1 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The program comes with a table that knows the runs of every algorithm that it is calibrated
// by. Where steps take next to nothing beside measurements, they may have no time of their own.
func TestMeasuredTableIsWhole(t *testing.T) {
	files, err := filepath.Glob("../../../scripts/forecast/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d specs, %v", len(files), err)
	}
	table := Measured()
	for _, file := range files {
		s, err := spec.Load(file, spec.LoadOptions{Catalog: registry.Catalog()})
		if err != nil {
			t.Fatal(err)
		}
		for c := range s.Expand() {
			a, err := registry.Lookup(s.Task, c.Algorithm.ID)
			if err != nil {
				t.Fatal(err)
			}
			size := registry.Size{
				Shape: registry.Shape{Train: 1000, Points: 2000, Features: 50}, Entries: 10,
				Steps: 1000, Ascent: 1000, Recorded: 10, Splits: 1,
			}
			steps, measuring := a.Work(a.Resolve(c.Params), size)
			if took := table.of(steps, measuring); !(took > 0) {
				t.Errorf("%s: a run takes %v s", nameOf(a), took)
			}
		}
	}
	for name, v := range table.Seconds {
		if !(v > 0) || v > 1 {
			t.Errorf("%s takes %v s", name, v)
		}
	}
}

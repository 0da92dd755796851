package page

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stochopt/harness/internal/claims"
	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
)

// specText is the spec of the folders of tests.
const specText = `version: 1
name: %s
title: An experiment
task: pca
seed: 7
repeats: 2
budget: {iterations: 100}
record: {points: 2}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {c: [1, 2, 4]}}
  - {id: incremental}
select: {by: oracle, metric: suboptimality, over: final}
figures:
  - {id: fig-sub, x: iterations, y: suboptimality, log: [x, y]}
  - {id: fig-rank, x: iterations, y: rank, series: [msg]}
tables:
  - {id: tab, columns: [k, final_suboptimality]}
claims:
  - {id: %[1]s-rank, source: section 1, says: the rank stays low, shown: fig-rank, check: {level: {series: msg, metric: rank, between: [0, 3]}}}
`

// testFolder describes a results folder with 8 planned runs.
type testFolder struct {
	name string
	// runs is the number of recorded runs; a negative number means all.
	runs int
	// change, if not nil, modifies a record before it is stored.
	change func(i int, r *record.Run)
}

// create creates the folder in dir and returns its path.
func (f testFolder) create(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, f.name)
	store, err := record.Open(path, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []record.ID
	for i := range 8 {
		r := testRun(i)
		if f.change != nil {
			f.change(i, &r)
		}
		ids = append(ids, r.ID())
		if f.runs >= 0 && i >= f.runs {
			continue
		}
		if err := store.Add(r, record.Timing{StepSeconds: 1, Seconds: []float64{0.5, 1}, Jobs: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.SetPlan(ids); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := spec.Parse("s.yaml", fmt.Appendf(nil, specText, f.name), spec.LoadOptions{Catalog: registry.Catalog()})
	if err != nil {
		t.Fatal(err)
	}
	manifest := experiment.Manifest{
		Spec: f.name, Profile: "quick", Seed: 7, Planned: 8, Tool: experiment.Tool{Version: "v1", Dirty: true},
		Datasets:   []experiment.Dataset{{ID: "g", Title: "Gaussian", Hash: "h"}},
		BelowPaper: []claims.Shortfall{{Text: "2 of 10 repeats"}},
	}
	if err := experiment.Describe(path, s, manifest); err != nil {
		t.Fatal(err)
	}
	return path
}

// execute runs SQL on the database of a results folder.
func execute(t *testing.T, dir, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, record.DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

// testRun returns run i: two repeats each of MSG with three step sizes, then of the incremental algorithm.
func testRun(i int) record.Run {
	r := record.Run{
		Schema: record.Schema, Key: fmt.Sprint("key", i), Extent: "100/log:2", Task: "pca",
		Dataset: "g", DatasetHash: "h", Series: "msg", Algorithm: "msg", Version: 1,
		Params: record.Params{"k": int64(2)}, Repeat: i % 2, Seed: 7, Rows: map[string]int64{"train": 50},
		Status: record.StatusFinished, Reason: "budget of 100 iterations",
		Curve: record.Curve{
			Cost: map[string][]int64{"iterations": {1, 100}, "sum_kt2": {4, 400}},
			Metrics: map[string]map[string][]float64{
				"state":      {"rank": {2, 2}, "orthonormality": {0, 0}},
				"population": {"objective": {0.1, 0.4}, "suboptimality": {0.4, 0.1 * float64(1+(i/2+1)%3)}},
			},
		},
	}
	if i < 6 {
		r.Params["step.c"] = []float64{1, 2, 4}[i/2]
	} else {
		r.Series, r.Algorithm = "incremental", "incremental"
	}
	return r
}

var made = time.Date(2013, time.July, 19, 0, 0, 0, 0, time.UTC)

func options() Options { return Options{Made: made} }

func collect(t *testing.T, o Options, dirs ...string) *Page {
	t.Helper()
	p, err := Collect(dirs, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t testing.TB, content string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func namesOf(p *Page) []string {
	var out []string
	for _, e := range p.Experiments {
		out = append(out, e.Name)
	}
	return out
}

// figures returns the figures of an experiment.
func figures(e *Experiment) (all []*Figure) {
	for _, x := range e.Exhibits {
		if x.Figure != nil {
			all = append(all, x.Figure)
		}
	}
	return all
}

func ids(exhibits []*Exhibit) (out []string) {
	for _, x := range exhibits {
		out = append(out, x.ID)
	}
	return out
}

package cli

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"stochopt/harness/internal/run"
	"stochopt/internal/record"
)

// manySpec has twelve series, each with the given numbers of repeats and of steps.
const manySpec = `version: 1
name: many
task: pca
seed: 1
repeats: %d
budget: {iterations: 20}
record: {points: 20, spacing: linear}
defaults: {step: {schedule: inverse-sqrt, c: {linspace: [0.01, 2, %d]}}}
datasets:
  - {id: a, source: simulated-gaussian, with: {dim: 4, gap: 1}, problem: {k: 1}}
  - {id: b, source: simulated-gaussian, with: {dim: 4, gap: 2}, problem: {k: 2}}
  - {id: c, source: simulated-orthogonal, with: {dim: 4, gap: 1}, problem: {k: 1}}
  - {id: d, source: simulated-orthogonal, with: {dim: 4, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: warmuth-kuzmin, with: {start: random-low-rank}}
  - {id: msg}
  - {id: capped-msg}
select: {by: oracle, metric: suboptimality, over: mean-over-curve}
figures:
  - {id: fig, x: iterations, y: suboptimality, facet: {cols: dataset}, band: runs}
tables:
  - {id: tab, columns: [step.c, sum_kt2, final_suboptimality, runs]}
claims:
  - {id: faster, says: MSG is better than capped MSG, check: {order: {series: msg, below: [capped-msg], from: 0.3}}}
`

// TestManyRuns reads a folder of many runs. With MANY_RUNS it has about that many, and with
// MANY_OUT it stays there, with its spec, to be measured by scripts/bench-many.sh.
func TestManyRuns(t *testing.T) {
	n, repeats, out := 240, 10, os.Getenv("MANY_OUT")
	if text := os.Getenv("MANY_RUNS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 12000 {
			t.Fatalf("MANY_RUNS is %q; want a number from 12000 on", text)
		}
		repeats = 100
		debug.SetGCPercent(50)
	}
	if out == "" {
		out = t.TempDir()
	}
	file := filepath.Join(out, "many.yaml")
	steps := n / (12 * repeats)
	if err := os.WriteFile(file, fmt.Appendf(nil, manySpec, repeats, steps), 0o644); err != nil {
		t.Fatal(err)
	}
	makeRuns(t, file, filepath.Join(out, "many"))
	if os.Getenv("MANY_OUT") != "" {
		return
	}
	dir := filepath.Join(out, "many")
	ok(t, "run", file, "--out", out)
	first := contentsOf(t, dir)
	status := ok(t, "status", dir)
	other := filepath.Join(t.TempDir(), "other")
	if err := os.CopyFS(other, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if o := ok(t, "compare", dir, other, "--strict"); o.out != "12 cells: 12 identical; PASS\n" {
		t.Errorf("compared with itself: %s", o.out)
	}
	ok(t, "run", file, "--out", out)
	if !maps.Equal(contentsOf(t, dir), first) {
		t.Error("a run of nothing has changed the folder")
	}
	if again := ok(t, "status", dir); again != status {
		t.Errorf("status says\n%s%s\nwant\n%s%s", again.out, again.err, status.out, status.err)
	}
}

// makeRuns records made-up curves for all runs of a spec.
func makeRuns(t *testing.T, file, dir string) {
	t.Helper()
	store, err := record.Open(at(t, dir), record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := newApp(t, io.Discard, io.Discard)
	o := new(experimentOptions)
	specs, err := o.load(a, []string{file})
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.plan(t.Context(), a, specs[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.SetPlan(p.IDs()); err != nil {
		t.Fatal(err)
	}
	for _, it := range p.Items {
		const points = 20
		r := run.Planned(it)
		r.Status, r.Reason = record.StatusFinished, "budget of 20 iterations"
		iterations, ranks, seconds := make([]int64, points), make([]int64, points), make([]float64, points)
		off, rank, objective := make([]float64, points), make([]float64, points), make([]float64, points)
		c := it.Params["step.c"].(float64)
		for i := range points {
			iterations[i], ranks[i], rank[i], seconds[i] = int64(i+1), int64(9*(i+1)), 3, 1e-5*float64(i+1)
			off[i] = math.Exp(math.Sin(float64(97*it.Repeat+it.Index%7))/4-math.Abs(c-0.7)) / float64(i+1)
			objective[i] = 1 - off[i]
		}
		r.Curve.Cost = map[string][]int64{"iterations": iterations, "sum_kt2": ranks}
		r.Curve.Metrics = map[string]map[string][]float64{
			"population": {"suboptimality": off, "objective": objective}, "state": {"rank": rank},
		}
		timing := record.Timing{StepSeconds: seconds[points-1], EvalSeconds: 0.001, Seconds: seconds, Jobs: 1, Finished: "2026-01-01T00:00:00Z"}
		if err := store.Add(r, timing); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// contentsOf reads the files of a folder that are not hidden, by their names in it. Of a database it
// is the records and the optima.
func contentsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(at(t, dir), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		name := asGiven(t, path)
		if e.Name() == record.DatabaseFile {
			files[name] = exported(t, filepath.Dir(path)) + optimaOf(t, filepath.Dir(path))
			return nil
		}
		data, err := os.ReadFile(path)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

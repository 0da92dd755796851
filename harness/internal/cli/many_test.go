package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

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
	long(t)
	n, repeats, out := 48, 2, os.Getenv("MANY_OUT")
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
	ok(t, "run", file, "--out", out)
	if os.Getenv("MANY_OUT") != "" {
		return
	}
	dir := filepath.Join(out, "many")
	first := contentsOf(t, dir)
	ok(t, "run", file, "--out", out)
	if !maps.Equal(contentsOf(t, dir), first) {
		t.Error("a run of nothing has changed the folder")
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

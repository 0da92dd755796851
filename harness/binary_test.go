package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"stochopt/internal/record"
)

// binary builds the program once for the tests that use it as its users do.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "stochopt-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "stochopt")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// site is a folder in which the binary runs, with the spec sweep.yaml.
type site struct {
	t   *testing.T
	dir string
	env []string
}

func newSite(t *testing.T, spec string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	s.write(spec, "sweep.yaml")
	return s
}

func (s *site) path(elem ...string) string {
	return filepath.Join(s.dir, filepath.Join(elem...))
}

func (s *site) write(text string, elem ...string) string {
	s.t.Helper()
	return write(s.t, s.path(elem...), text)
}

func (s *site) read(elem ...string) string {
	s.t.Helper()
	return read(s.t, s.path(elem...))
}

// command returns a command of the binary that sees no data but what the test gives it.
func (s *site) command(args ...string) *exec.Cmd {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "HARNESS_MIRROR=", "XDG_CACHE_HOME="+s.path("cache"), "GOGC=400")
	cmd.Env = append(cmd.Env, s.env...)
	return cmd
}

type outcome struct {
	code           int
	stdout, stderr string
}

func finish(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func (s *site) do(args ...string) outcome {
	s.t.Helper()
	return finish(s.t, s.command(args...))
}

// exits runs a command that must exit with a code.
func (s *site) exits(code int, args ...string) outcome {
	s.t.Helper()
	o := s.do(args...)
	if o.code != code {
		s.t.Fatalf("stochopt %s: exit %d, want %d\n%s%s", strings.Join(args, " "), o.code, code, o.stdout, o.stderr)
	}
	return o
}

// ok runs a command that must succeed, and returns what it prints.
func (s *site) ok(args ...string) string {
	s.t.Helper()
	return s.exits(0, args...).stdout
}

// progress is what status says about a folder.
type progress struct {
	Planned  int `json:"planned_runs"`
	Runs     int
	Finished int
	Failed   int
}

func (s *site) progress(folder ...string) progress {
	s.t.Helper()
	var reports []progress
	if err := json.Unmarshal([]byte(s.ok("status", "--json", s.path(folder...))), &reports); err != nil || len(reports) != 1 {
		s.t.Fatalf("status: %d experiments, %v", len(reports), err)
	}
	return reports[0]
}

// records reads a results folder.
func (s *site) records(folder ...string) *record.Experiment {
	s.t.Helper()
	e, err := record.ReadDir(s.path(folder...))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { e.Close() })
	return e
}

// exported returns the records of a results folder in their canonical form, and its certified
// optima.
func (s *site) exported(folder ...string) string {
	s.t.Helper()
	e := s.records(folder...)
	var text strings.Builder
	if err := record.WriteRuns(&text, e.Runs); err != nil {
		s.t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(e.Optima)) {
		fmt.Fprintf(&text, "%s: %s\n", id, e.Optima[id])
	}
	return text.String()
}

// performed returns when each run of a results folder was completed, to count those that a
// command performs.
func (s *site) performed(folder ...string) map[string]record.Timing {
	s.t.Helper()
	at := make(map[string]record.Timing)
	for _, r := range s.records(folder...).Runs {
		at[r.Key], _ = r.Timing()
	}
	return at
}

// equal checks that two results folders have the same records and products.
func (s *site) equal(got, want string) {
	s.t.Helper()
	if s.exported(got) != s.exported(want) {
		s.t.Errorf("the records or the optima of %s differ from those of %s", got, want)
	}
	for _, name := range []string{"curves.csv", "selection.csv", "figures/fig.svg"} {
		if s.read(got, name) != s.read(want, name) {
			s.t.Errorf("%s of %s differs from that of %s", name, got, want)
		}
	}
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sweep returns a spec of 32 runs in four groups that share data.
func sweep(iterations int) string {
	return fmt.Sprintf(`version: 1
name: sweep
title: A small sweep
task: pca
seed: 7
repeats: 2
budget: {iterations: %d}
record: {points: 20}
datasets:
  - {id: gauss, group: Gaussian, source: simulated-gaussian, with: {dim: 24, gap: 2}, problem: {k: 2}}
  - {id: orth, group: Orthogonal, source: simulated-orthogonal, with: {dim: 24, gap: 2}, problem: {k: 2}}
  - {id: gauss2, group: Gaussian 2, source: simulated-gaussian, with: {dim: 25, gap: 2}, problem: {k: 2}}
  - {id: orth2, group: Orthogonal 2, source: simulated-orthogonal, with: {dim: 25, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {c: [0.25, 1]}}
  - {id: incremental}
  - {id: warmuth-kuzmin, step: {c: 1}}
select: {by: oracle}
figures:
  - {id: fig, x: iterations, y: suboptimality, log: [x, y], facet: {cols: group}}
tables:
  - {id: tab, columns: [mean_rank, runs]}
`, iterations)
}

// Names, titles, the order of a grid and figures are not part of a run: after they change, no
// run is repeated. A changed step size repeats its own runs.
func TestCosmeticEditsRerunNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, sweep(100))
	s.ok("run", "sweep.yaml")
	before := s.performed("results/sweep")
	edited := strings.NewReplacer(
		"title: A small sweep", "title: Another title   # and a comment",
		"{id: msg, step: {c: [0.25, 1]}", "{step: {c: [1, 0.25]}, id: msg, as: gradient",
		"id: gauss,", "id: normal,",
		"log: [x, y], facet", "log: [y], facet",
	).Replace(sweep(100))
	for _, c := range []struct {
		spec string
		want int // runs that are performed
	}{
		{edited, 0},
		{strings.ReplaceAll(sweep(100), "[0.25, 1]", "[0.25, 2]"), 8},
		{sweep(100), 0},
	} {
		s.write(c.spec, "sweep.yaml")
		s.ok("run", "sweep.yaml")
		n := 0
		after := s.performed("results/sweep")
		for key := range after {
			if before[key].Finished == "" || before[key].StepSeconds != after[key].StepSeconds {
				n++
			}
		}
		if n != c.want {
			t.Errorf("%d runs are performed, want %d, after the spec is\n%s", n, c.want, c.spec)
		}
		maps.Copy(before, after)
		if c.spec != edited {
			continue
		}
		for _, r := range s.records("results/sweep").Runs {
			if r.Dataset == "gauss" || r.Series == "msg" {
				t.Errorf("the record of %s has an old name", r.Name())
			}
		}
	}
}

// What a folder shows belongs to the spec that it was last run with; the user's files stay.
func TestProductsFollowTheSpec(t *testing.T) {
	t.Parallel()
	s := newSite(t, sweep(100))
	s.ok("run", "sweep.yaml")
	exists := func(name string) bool {
		_, err := os.Stat(s.path("results/sweep", name))
		return err == nil
	}
	s.write("not a product", "results/sweep/figures/mine.png")
	for _, name := range []string{"figures/fig.svg", "figures/fig.txt", "tables/tab.md"} {
		if !exists(name) {
			t.Fatalf("%s is missing", name)
		}
	}
	s.write(strings.NewReplacer("{id: fig,", "{id: renamed,", "{id: tab,", "{id: other,").Replace(sweep(100)), "sweep.yaml")
	s.ok("run", "sweep.yaml")
	for name, want := range map[string]bool{
		"figures/fig.svg": false, "figures/fig.png": false, "figures/fig.txt": false, "tables/tab.md": false, "tables/tab.csv": false,
		"figures/renamed.pdf": true, "tables/other.txt": true, "figures/mine.png": true,
	} {
		if exists(name) != want {
			t.Errorf("%s exists: %v, want %v", name, !want, want)
		}
	}
}

// Shards of another seed in the same folder are another experiment.
func TestReadersSeeTheCurrentPlanOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t, sweep(100))
	s.ok("run", "sweep.yaml")
	s.ok("run", "sweep.yaml", "--set", "seed=8", "--shard", "1/2")
	if got, want := s.progress("results/sweep"), (progress{Planned: 32, Runs: 16, Finished: 16}); got != want {
		t.Errorf("status: %+v, want %+v", got, want)
	}
	if n := len(s.records("results/sweep").Runs); n != 16 {
		t.Errorf("%d runs are read, want those of the current plan, 16", n)
	}
}

// Records of data that have changed are not vouched for.
func TestVerifyOfChangedData(t *testing.T) {
	t.Parallel()
	s := newSite(t, `version: 1
name: own
task: pca
budget: {iterations: 20}
datasets: [{id: rows, path: rows.csv, format: csv, problem: {k: 1}}, {id: sim, source: counterexample-2d, problem: {k: 1}}]
algorithms: [{id: incremental}]
`)
	s.write("1,0,0\n0,1,0\n0,0,1\n1,1,0\n0,1,1\n1,0,1\n", "rows.csv")
	s.ok("run", "sweep.yaml")
	s.ok("verify", "results/own", "--all")
	s.write("2,0,0\n0,1,0\n0,0,1\n", "rows.csv")
	if o := s.exits(1, "verify", "results/own", "--all"); !strings.Contains(o.stdout, `data set "rows" has the hash`) {
		t.Errorf("verify: %s%s", o.stdout, o.stderr)
	}
}

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

// binary builds the program once.
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

// TestMain puts temporary folders in memory if possible, because runs sync their files.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("/dev/shm", "stochopt-test-")
	if err != nil {
		dir, err = os.MkdirTemp("", "stochopt-test-")
	}
	if err != nil {
		panic(err)
	}
	os.Setenv("TMPDIR", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// site is a folder with the spec sweep.yaml, where the binary runs.
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

// command returns a command of the binary without a mirror and with an empty cache.
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

// exits runs a command and checks the exit code.
func (s *site) exits(code int, args ...string) outcome {
	s.t.Helper()
	o := s.do(args...)
	if o.code != code {
		s.t.Fatalf("stochopt %s: exit %d, want %d\n%s%s", strings.Join(args, " "), o.code, code, o.stdout, o.stderr)
	}
	return o
}

// ok runs a command that must succeed and returns its output.
func (s *site) ok(args ...string) string {
	s.t.Helper()
	return s.exits(0, args...).stdout
}

// progress is the output of status about a folder.
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

// exported returns the records and the certified optima of a results folder as text.
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

// timings returns the timings of a results folder by run key.
func (s *site) timings(folder ...string) map[string]record.Timing {
	s.t.Helper()
	timings := make(map[string]record.Timing)
	for _, r := range s.records(folder...).Runs {
		timings[r.Key], _ = r.Timing()
	}
	return timings
}

// equal checks that two results folders have the same records, curves, selection and figure.
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

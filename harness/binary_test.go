package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stochopt/internal/record"
)

// The tests of this file use the binary as its users do.

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

// command returns a command of the binary that sees no data but what the test
// gives it.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HARNESS_MIRROR=", "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "GOGC=400")
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

func stochopt(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	return finish(t, command(t, dir, args...))
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

const sweep = `version: 1
name: sweep
title: A small sweep
task: pca
seed: 7
repeats: 4
budget: {iterations: 4000}
record: {points: 20}
datasets:
  - {id: gauss, group: Gaussian, source: simulated-gaussian, with: {dim: 24, gap: 2}, problem: {k: 2}}
  - {id: orth, group: Orthogonal, source: simulated-orthogonal, with: {dim: 24, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {c: [0.25, 1]}}
  - {id: incremental}
  - {id: warmuth-kuzmin, step: {c: 1}}
select: {by: oracle}
figures:
  - {id: fig, x: iterations, y: suboptimality, log: [x, y], facet: {cols: group}}
`

// longer is sweep with enough work to stop it in the middle.
var longer = strings.Replace(sweep, "iterations: 4000", "iterations: 16000", 1)

// onRecord counts the runs in a results folder that may be in use.
func onRecord(dir string) int {
	e, err := record.ReadDir(dir)
	if err != nil {
		return 0
	}
	defer e.Close()
	return len(e.Runs)
}

// exported returns the records of a results folder in their canonical form, and its certified
// optima.
func exported(t *testing.T, dir ...string) string {
	t.Helper()
	e, err := record.ReadDir(filepath.Join(dir...))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var text strings.Builder
	if err := record.WriteRuns(&text, e.Runs); err != nil {
		t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(e.Optima)) {
		fmt.Fprintf(&text, "%s: %s\n", id, e.Optima[id])
	}
	return text.String()
}

// stoppedOnce runs a command and sends it a signal once it is time to. It reports whether the
// command came to its end before.
func stoppedOnce(t *testing.T, cmd *exec.Cmd, stop syscall.Signal, now func() bool) (done bool) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	for sent := false; ; {
		select {
		case err := <-exited:
			if code := cmd.ProcessState.ExitCode(); err != nil && stop != syscall.SIGKILL && code != 130 {
				t.Fatalf("interrupted: exit %d, want 130: %s", code, said.String())
			}
			return err == nil
		case <-time.After(time.Millisecond):
			if !sent && now() {
				_, sent = cmd.Process.Signal(stop), true
			}
		}
	}
}

// The deterministic record is the same for one worker and many, and however
// often the experiment is killed or interrupted on its way.
func TestKilledInterruptedAndParallelRunsGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the experiment many times")
	}
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), longer)
	if o := stochopt(t, dir, "run", spec, "--out", "one", "-j", "1"); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	want := exported(t, dir, "one", "sweep")
	if n := onRecord(filepath.Join(dir, "one", "sweep")); n != 32 {
		t.Fatalf("%d records, want 32", n)
	}
	if o := stochopt(t, dir, "run", spec, "--out", "eight", "-j", "8"); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	if exported(t, dir, "eight", "sweep") != want {
		t.Error("-j 1 and -j 8 differ")
	}

	for name, stop := range map[string]syscall.Signal{
		"kill": syscall.SIGKILL, "interrupt": syscall.SIGINT, "terminate": syscall.SIGTERM, "hang up": syscall.SIGHUP,
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" || stop == syscall.SIGHUP && signal.Ignored(stop) {
				t.Skip("signals")
			}
			folder := filepath.Join(dir, name, "sweep")
			stopped := 0
			for attempt := range 40 {
				before := onRecord(folder)
				cmd := command(t, dir, "run", spec, "--out", name, "-j", "2")
				if stoppedOnce(t, cmd, stop, func() bool { return attempt < 3 && onRecord(folder) > before+2*attempt }) {
					break
				}
				stopped++
				if o := stochopt(t, dir, "status", folder); o.code != 0 || !strings.Contains(o.stdout, "of 32 runs") {
					t.Errorf("status of a stopped experiment: exit %d: %s%s", o.code, o.stdout, o.stderr)
				}
			}
			if stopped == 0 {
				t.Fatal("the experiment was never stopped; make it longer")
			}
			t.Logf("stopped %d times", stopped)
			if exported(t, folder) != want {
				t.Error("the records differ from those of an uninterrupted run")
			}
			if left, _ := filepath.Glob(filepath.Join(folder, "results.*")); len(left) != 1 {
				t.Errorf("in the folder are %v", left)
			}
			for _, f := range []string{"curves.csv", "selection.csv", "figures/fig.svg"} {
				if read(t, folder, f) != read(t, dir, "one", "sweep", f) {
					t.Errorf("%s differs from that of an uninterrupted run", f)
				}
			}
		})
	}
}

func TestShardsAssembleToTheSameBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), sweep)
	short := []string{"--set", "budget.iterations=300"}
	if o := stochopt(t, dir, append([]string{"run", spec, "--out", "whole"}, short...)...); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	var wg sync.WaitGroup
	for _, s := range []string{"1/3", "2/3", "3/3"} {
		cmd := command(t, dir, append([]string{"run", spec, "--out", "parts", "--shard", s}, short...)...)
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("shard %s: %v: %s", s, err, out)
			}
		})
	}
	wg.Wait()
	o := stochopt(t, dir, append([]string{"run", spec, "--out", "parts"}, short...)...)
	if o.code != 0 || !strings.Contains(o.stdout, "32 of them from the record") {
		t.Fatalf("assembling: exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
	if exported(t, dir, "whole", "sweep") != exported(t, dir, "parts", "sweep") {
		t.Error("the records of shards differ from those of one process")
	}
}

func TestCosmeticEditsRerunNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), sweep)
	args := []string{"run", spec, "--set", "budget.iterations=200", "--set", "record.points=5"}
	if o := stochopt(t, dir, args...); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	edited := sweep
	for old, new := range map[string]string{
		"title: A small sweep":           "title: Another title   # and a comment",
		"{id: msg, step: {c: [0.25, 1]}": "{step: {c: [1, 0.25]}, id: msg, as: gradient",
		"id: gauss,":                     "id: normal,",
		"log: [x, y], facet":             "log: [y], facet",
	} {
		if !strings.Contains(edited, old) {
			t.Fatalf("the spec has no %q", old)
		}
		edited = strings.ReplaceAll(edited, old, new)
	}
	write(t, spec, edited)
	o := stochopt(t, dir, args...)
	if o.code != 0 || !strings.Contains(o.stdout, "32 runs, 32 of them from the record") {
		t.Errorf("after cosmetic edits: exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
	if runs := exported(t, dir, "results", "sweep"); !strings.Contains(runs, `"series":"gradient"`) || strings.Contains(runs, `"dataset":"gauss"`) {
		t.Error("the records do not have the new names")
	}

	// A changed step size runs that step size only, and changing it back runs
	// nothing.
	write(t, spec, strings.ReplaceAll(sweep, "[0.25, 1]", "[0.25, 2]"))
	if o := stochopt(t, dir, args...); !strings.Contains(o.stdout, "32 runs, 24 of them from the record") {
		t.Errorf("after a changed step size: %s%s", o.stdout, o.stderr)
	}
	write(t, spec, sweep)
	if o := stochopt(t, dir, args...); !strings.Contains(o.stdout, "32 runs, 32 of them from the record") {
		t.Errorf("after changing it back: %s%s", o.stdout, o.stderr)
	}
}

func TestVerifyReproducesTheRecordsAndSeesTampering(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), sweep)
	if o := stochopt(t, dir, "run", spec, "--set", "budget.iterations=200"); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	folder := filepath.Join(dir, "results", "sweep")
	if o := stochopt(t, dir, "verify", folder, "--all"); o.code != 0 || !strings.Contains(o.stdout, "32 of 32 records re-run, 0 differ") {
		t.Errorf("verify: exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
	db, err := sql.Open("sqlite", filepath.Join(folder, record.DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE curve SET data = replace(data, '0', '1') WHERE run = 7"); err != nil {
		t.Fatal(err)
	}
	o := stochopt(t, dir, "verify", folder, "--all")
	if o.code != 1 || !strings.Contains(o.stdout, "row 7 of table curve is not as it was written") || !strings.Contains(o.stderr, ": 1 finding\n") {
		t.Errorf("verify of a damaged record: exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
}

// A folder that fills up in the middle ends the experiment with one clear
// line; with room again, the same command goes on. A limit on the size of
// files stands in for the full disk.
func TestDiskThatFillsUp(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to limit the size of files with")
	}
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), sweep)
	args := []string{"run", spec, "--out", "full", "-j", "2", "--set", "budget.iterations=8000", "--set", "record.points=1000"}
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	limited := command(t, dir, args...)
	limited.Path = bash
	limited.Args = append([]string{"bash", "-c", `trap "" XFSZ; ulimit -f 1000 || exit 99; exec "$0" "$@"`, path}, args...)
	o := finish(t, limited)
	if o.code == 99 {
		t.Skip("no limits here")
	}
	if o.code != 1 || !strings.HasSuffix(o.stderr, "free space, or put the folder in its place, and repeat the command\n") {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	folder := filepath.Join(dir, "full", "sweep")
	o = stochopt(t, dir, "status", folder)
	recorded := regexp.MustCompile(`sweep: (\d+) of 32 runs on record: (\d+) finished, 0 diverged, 0 failed`).FindStringSubmatch(o.stdout)
	if recorded == nil || recorded[1] == "0" || recorded[1] != recorded[2] {
		t.Fatalf("status: %s%s", o.stdout, o.stderr)
	}
	if o := stochopt(t, dir, args...); o.code != 0 || !strings.Contains(o.stdout, "32 runs, "+recorded[1]+" of them from the record") {
		t.Errorf("going on: exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
	args[3] = "whole"
	if o := stochopt(t, dir, args...); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	if exported(t, folder) != exported(t, dir, "whole", "sweep") {
		t.Error("the records differ from those of a run with room enough")
	}
}

// What a folder shows belongs to the spec that it was last run with.
func TestProductsFollowTheSpec(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := strings.Replace(sweep, "budget: {iterations: 4000}", "budget: {iterations: 200}", 1) + "tables:\n  - {id: tab, columns: [mean_rank, runs]}\n"
	spec := write(t, filepath.Join(dir, "sweep.yaml"), text)
	folder := filepath.Join(dir, "results", "sweep")
	if o := stochopt(t, dir, "run", spec); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	mine := write(t, filepath.Join(folder, "figures", "mine.png"), "not a product")
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(folder, name))
		return err == nil
	}
	for _, name := range []string{"figures/fig.svg", "figures/fig.txt", "tables/tab.md"} {
		if !exists(name) {
			t.Fatalf("%s is missing", name)
		}
	}
	write(t, spec, strings.NewReplacer("{id: fig,", "{id: renamed,", "{id: tab,", "{id: other,").Replace(text))
	if o := stochopt(t, dir, "run", spec); o.code != 0 || !strings.Contains(o.stdout, "32 of them from the record") {
		t.Fatalf("exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
	for name, want := range map[string]bool{
		"figures/fig.svg": false, "figures/fig.png": false, "figures/fig.txt": false, "tables/tab.md": false, "tables/tab.csv": false,
		"figures/renamed.pdf": true, "tables/other.txt": true, "figures/mine.png": true,
	} {
		if exists(name) != want {
			t.Errorf("%s exists: %v, want %v", name, !want, want)
		}
	}
	if read(t, mine) != "not a product" {
		t.Error("a file of the user's own was changed")
	}
}

// Shards of another seed in the same folder are another experiment.
func TestReadersSeeTheCurrentPlanOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := write(t, filepath.Join(dir, "sweep.yaml"), sweep+"tables:\n  - {id: tab, columns: [runs]}\n")
	folder := filepath.Join(dir, "results", "sweep")
	for _, args := range [][]string{{}, {"--set", "seed=8", "--shard", "1/2"}} {
		if o := stochopt(t, dir, append([]string{"run", spec, "--set", "budget.iterations=100"}, args...)...); o.code != 0 {
			t.Fatalf("exit %d: %s", o.code, o.stderr)
		}
	}
	if o := stochopt(t, dir, "status", folder); !strings.Contains(o.stdout, "16 of 32 runs on record") {
		t.Errorf("status: %s%s", o.stdout, o.stderr)
	}
	if o := stochopt(t, dir, "table", folder); o.code != 0 || !strings.Contains(o.stdout, "PARTIAL: 16 of 32 runs") {
		t.Errorf("table of half an experiment: exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
}

// Records of data that have changed are not vouched for.
func TestVerifyOfChangedData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := write(t, filepath.Join(dir, "rows.csv"), "1,0,0\n0,1,0\n0,0,1\n1,1,0\n0,1,1\n1,0,1\n")
	spec := write(t, filepath.Join(dir, "own.yaml"), `version: 1
name: own
task: pca
budget: {iterations: 20}
datasets: [{id: rows, path: rows.csv, format: csv, problem: {k: 1}}, {id: sim, source: counterexample-2d, problem: {k: 1}}]
algorithms: [{id: incremental}]
`)
	if o := stochopt(t, dir, "run", spec); o.code != 0 {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	if o := stochopt(t, dir, "verify", "results/own"); o.code != 0 {
		t.Errorf("exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
	write(t, data, "2,0,0\n0,1,0\n0,0,1\n")
	o := stochopt(t, dir, "verify", "results/own")
	if o.code != 1 || !strings.Contains(o.stdout, "1 of 1 record re-run, 0 differ") || !strings.Contains(o.stdout, `data set "rows" has the hash`) {
		t.Errorf("exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
}

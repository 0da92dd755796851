package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stochopt/harness/internal/external/externaltest"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
	"stochopt/internal/record"
)

func TestMain(m *testing.M) {
	externaltest.Main()
	os.Exit(m.Run())
}

// externalSpec is a spec in which methods of tests run beside ours.
func externalSpec(method, more string) string {
	return fmt.Sprintf(`version: 1
name: external
task: pca
seed: 7
repeats: 3
budget: {iterations: 400}
record: {points: 12, spectrum: true}
datasets:
  - {id: a, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: incremental}
  - {id: theirs, external: %s%s}
`, externaltest.Spec(method), more)
}

// performExternal performs a plan with leave to start programs, and sees to it that they leave
// nothing behind. It returns the records by algorithm, and what was warned of.
func performExternal(t *testing.T, p *plan.Plan) (map[string][]record.Run, []string) {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	f := open(t, t.TempDir())
	var said messages
	sum, err := Execute(context.Background(), p, f.store, Options{
		Workers: 2, External: true, Warn: said.add,
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Planned != len(p.Items) {
		t.Errorf("%d of %d runs", sum.Planned, len(p.Items))
	}
	by := make(map[string][]record.Run)
	for _, r := range f.runs(t, p) {
		by[r.Algorithm] = append(by[r.Algorithm], r)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("left in the folder of temporary files: %v", left)
	}
	if left := children(t); left != nil {
		t.Errorf("processes left: %v", left)
	}
	return by, said.all
}

// children returns the processes that are methods of tests, zombies included, started by this
// process; nil where that cannot be seen.
func children(t *testing.T) (list []string) {
	t.Helper()
	mine, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // none elsewhere
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[1] == fmt.Sprint(os.Getpid()) {
			list = append(list, string(text))
		}
		// Tests of other packages start methods too, from their own binaries.
		cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		program, _, _ := strings.Cut(string(cmdline), "\x00")
		if program == mine && path != fmt.Sprintf("/proc/%d/stat", os.Getpid()) {
			list = append(list, string(text))
		}
	}
	return list
}

// near reports whether two columns are equal but for rounding.
func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*(1+math.Abs(x)) })
}

// A program that does what ours does, in another process, gets the same samples: its curve is
// ours.
func TestExternalCopyIsOurs(t *testing.T) {
	by, said := performExternal(t, plantest.Build(t, externalSpec("incremental", ""), nil))
	if len(by["theirs"]) != 3 || len(said) > 0 {
		t.Fatalf("%d records, %v", len(by["theirs"]), said)
	}
	for i, theirs := range by["theirs"] {
		ours := by["incremental"][i]
		if theirs.Status != record.StatusFinished {
			t.Fatalf("%s: %s", theirs.Status, theirs.Reason)
		}
		a, b := ours.Measured(), theirs.Measured()
		for _, cost := range []string{"iterations", "sum_kt", "sum_kt2"} {
			if !slices.Equal(a.Cost[cost], b.Cost[cost]) {
				t.Errorf("%s is %v, ours %v", cost, b.Cost[cost], a.Cost[cost])
			}
		}
		for split, metrics := range a.Metrics {
			for name, column := range metrics {
				if !near(column, b.Metrics[split][name]) {
					t.Errorf("%s on %s is %v, ours %v", name, split, b.Metrics[split][name], column)
				}
			}
		}
		if x := theirs.External; x == nil || !x.Deterministic || !slices.Equal(x.Declared, []string{"sum_kt", "sum_kt2"}) || ours.External != nil {
			t.Errorf("the records say %+v, and of ours %+v", x, ours.External)
		}
	}
}

// The order of the samples and the kernel rows are served and counted exactly.
func TestExternalKernelRowsAreCounted(t *testing.T) {
	p := buildSVM(t, fmt.Sprintf(`version: 1
name: external-svm
task: svm
seed: 7
repeats: 2
budget: {passes: 3}
record: {points: 6}
datasets:
  - {id: a, source: adult, problem: {kernel: gaussian, sigma2: 0.5, C: [1, 10]}}
algorithms:
  - {id: sdca}
  - {id: theirs, external: %s}
`, externaltest.Spec("sdca")))
	by, said := performExternal(t, p)
	if len(by["theirs"]) != 4 || len(said) > 0 {
		t.Fatalf("%d records, %v", len(by["theirs"]), said)
	}
	for i, theirs := range by["theirs"] {
		ours := by["sdca"][i]
		a, b := ours.Measured(), theirs.Measured()
		if theirs.Status != record.StatusFinished {
			t.Fatalf("%s: %s", theirs.Status, theirs.Reason)
		}
		// It asks for a row where a coefficient moves.
		if moved := a.Cost["kernel_evals_moved"]; !slices.Equal(moved, b.Cost["kernel_evals"]) || !slices.Equal(moved, b.Cost["inner_products"]) {
			t.Errorf("kernel evaluations %v, ours of moved coefficients %v", b.Cost["kernel_evals"], moved)
		}
		if _, ok := b.Cost["kernel_evals_moved"]; ok {
			t.Error("which coefficients moved is on record, which nobody knows")
		}
		for split, metrics := range a.Metrics {
			for name, column := range metrics {
				if !near(column, b.Metrics[split][name]) {
					t.Errorf("%s on %s is %v, ours %v", name, split, b.Metrics[split][name], column)
				}
			}
		}
		if len(theirs.External.Declared) > 0 {
			t.Errorf("declared: %v", theirs.External.Declared)
		}
	}
}

// Whatever goes wrong with a program is on record with the reason, and disturbs nothing else.
func TestExternalFailures(t *testing.T) {
	for _, test := range []struct{ method, more, status, reason string }{
		{externaltest.Silent, "", record.StatusFailed, "there is no answer after 500ms"},
		{externaltest.Version, "", record.StatusFailed, "hello: the program is version 2"},
		{externaltest.Exit, "", record.StatusFailed, "exit status 3; the end of its standard error:\nno licence"},
		{externaltest.Garbage, "", record.StatusFailed, `"epoch 1: loss 0.5" is not a JSON object with one key`},
		{externaltest.Stray, "", record.StatusFailed, `advance: the program answers with "ready"`},
		{externaltest.Early, "", record.StatusFailed, "advanced: to is 0, where 1 was due"},
		{externaltest.Long, "", record.StatusFailed, "a line of its output has more than"},
		{externaltest.Hang, "", record.StatusFailed, "there is no answer after 500ms"},
		{externaltest.Deaf, "", record.StatusFailed, "closed its input or output"},
		{externaltest.Complains, "", record.StatusFailed, `reports "step 1: the matrix is singular"`},
		{externaltest.Killed, "", record.StatusFailed, "signal: killed"},
		{externaltest.Flood, "", record.StatusFailed, "the last words"},
		{externaltest.Shape, "", record.StatusFailed, "shape [6 -1]"},
		{externaltest.Short, "", record.StatusFailed, "the file U has fewer than 6 numbers"},
		{externaltest.Skewed, "", record.StatusFailed, "the columns of U are not orthonormal"},
		{externaltest.Uncounted, "", record.StatusFailed, "the declared cost sum_kt2 is missing"},
		{externaltest.Nothing, "", record.StatusFailed, "the declared cost sum_kt2 is missing"},
		{externaltest.Twice, "", record.StatusFailed, `duplicate object member name "to"`},
		{externaltest.Escape, "", record.StatusFailed, "want a file of the folder"},
		{externaltest.NotFinite, "", record.StatusDiverged, "number 1 of U is NaN"},
		{externaltest.Memory, ", limit: {memory: 200MB}", record.StatusOutOfMemory, "more than 191 MiB of memory"},
		{externaltest.Spin, ", limit: {seconds: 0.2}", record.StatusOutOfTime, "more than 0.2 s of CPU time"},
	} {
		t.Run(test.method, func(t *testing.T) {
			text := externalSpec(test.method, test.more)
			if strings.Contains(test.reason, "500ms") {
				text = strings.Replace(text, "version: 1, env", "version: 1, timeout: 0.5, env", 1)
			}
			by, said := performExternal(t, plantest.Build(t, text, nil))
			if len(by["theirs"]) != 3 || len(by["incremental"]) != 3 {
				t.Fatalf("%d and %d records", len(by["theirs"]), len(by["incremental"]))
			}
			for _, r := range by["theirs"] {
				if r.Status != test.status || !strings.Contains(r.Reason, test.reason) || len(r.Reason) > 6<<10 {
					t.Errorf("%s: %s; want %s: %s", r.Status, r.Reason, test.status, test.reason)
				}
				if r.Limit != nil && r.Serves(record.Limit{}) {
					t.Error("it is not run again with a higher limit")
				}
			}
			for _, r := range by["incremental"] {
				if r.Status != record.StatusFinished {
					t.Errorf("ours: %s: %s", r.Status, r.Reason)
				}
			}
			if len(said) > 0 {
				t.Errorf("warnings: %v", said)
			}
		})
	}
}

// A program that cannot be started is told of on record.
func TestExternalProgramIsMissing(t *testing.T) {
	text := externalSpec("x", "")
	i := strings.Index(text, "{command")
	by, _ := performExternal(t, plantest.Build(t, text[:i]+"{command: [no-such-program-here], version: 1}}\n", nil))
	for _, r := range by["theirs"] {
		if r.Status != record.StatusFailed || !strings.Contains(r.Reason, "\"no-such-program-here\": executable file not found") {
			t.Errorf("%s: %s", r.Status, r.Reason)
		}
	}
}

// What a program leaves behind is killed, even if it hides as well as it can; the result counts.
func TestExternalChildrenAreKilled(t *testing.T) {
	for _, method := range []string{externaltest.Child, externaltest.Orphan} {
		by, said := performExternal(t, plantest.Build(t, externalSpec(method, ""), nil))
		for _, r := range by["theirs"] {
			if r.Status != record.StatusFinished {
				t.Errorf("%s: %s", r.Status, r.Reason)
			}
		}
		if len(said) > 0 {
			t.Errorf("warnings: %q", said)
		}
	}
}

// Without leave nothing is started.
func TestExternalNeedsLeave(t *testing.T) {
	p := plantest.Build(t, externalSpec("incremental", ""), nil)
	f := open(t, t.TempDir())
	if _, err := Execute(context.Background(), p, f.store, Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	for _, r := range f.runs(t, p) {
		if failed := r.Status == record.StatusFailed; failed != (r.Algorithm == "theirs") {
			t.Errorf("%s: %s: %s", r.Algorithm, r.Status, r.Reason)
		}
	}
}

// Of 200 runs of a method that dies at random none is lost: each is on record, and made again
// by the same command until it is done.
func TestExternalDyingAtRandom(t *testing.T) {
	text := strings.NewReplacer("repeats: 3", "repeats: 200", "iterations: 400", "iterations: 8", "points: 12", "points: 3").
		Replace(externalSpec(externaltest.Random, ""))
	p := plantest.Build(t, text, nil)
	f := open(t, t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	failed, rounds := 0, 0
	for done := 0; done < len(p.Items); rounds++ {
		if rounds == 100 {
			t.Fatal("it never ends")
		}
		sum, err := Execute(context.Background(), p, f.store, Options{Workers: 2, External: true})
		if err != nil {
			t.Fatal(err)
		}
		failed += sum.Failed
		records := f.runs(t, p)
		if len(records) != len(p.Items) {
			t.Fatalf("%d of %d runs are on record", len(records), len(p.Items))
		}
		done = 0
		for _, r := range records {
			switch {
			case r.Status == record.StatusFinished:
				done++
			case r.Status != record.StatusFailed || !strings.Contains(r.Reason, "signal: killed"):
				t.Fatalf("%s: %s", r.Status, r.Reason)
			}
		}
	}
	if failed < 20 {
		t.Errorf("only %d runs died", failed)
	}
	if left := children(t); left != nil {
		t.Errorf("processes left: %v", left)
	}
	t.Logf("%d runs died in %d rounds", failed, rounds)
}

// The end of the context ends programs at once, and records nothing of their runs.
func TestExternalIsInterrupted(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	p := plantest.Build(t, externalSpec(externaltest.Hang, ""), nil)
	f := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for { // until a program is at work
			if at, _ := filepath.Glob(filepath.Join(temp, "*", "samples")); len(at) > 0 {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, err := Execute(ctx, p, f.store, Options{Workers: 2, External: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for _, r := range f.runs(t, p) {
		if r.Algorithm == "theirs" {
			t.Errorf("on record: %s: %s", r.Status, r.Reason)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 || children(t) != nil {
		t.Errorf("left: %v, %v", left, children(t))
	}
}

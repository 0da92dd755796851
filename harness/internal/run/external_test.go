package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
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

// externalSpec is a spec with a built-in algorithm and a method of externaltest.
func externalSpec(method string) string {
	return fmt.Sprintf(`version: 1
name: external
task: pca
seed: 7
repeats: 2
budget: {iterations: 400}
record: {points: 12, spectrum: true}
datasets:
  - {id: a, source: simulated-gaussian, with: {dim: 6, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: incremental}
  - {id: theirs, external: %s}
`, externaltest.Spec(method))
}

// performExternal performs a plan with external programs and checks that no process or temporary file
// remains. It returns the records by algorithm, and the warnings.
func performExternal(t *testing.T, p *plan.Plan) (map[string][]record.Run, []string) {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	f := open(t, t.TempDir())
	var warnings messages
	sum := f.perform(t, p, Options{Workers: 2, External: true, Warn: warnings.add}, constructors{})
	if sum.Planned != len(p.Items) {
		t.Errorf("%d runs, want %d", sum.Planned, len(p.Items))
	}
	by := make(map[string][]record.Run)
	for _, r := range f.runs(t, p) {
		by[r.Algorithm] = append(by[r.Algorithm], r)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("temporary files left: %v", left)
	}
	if left := children(t); left != nil {
		t.Errorf("processes left: %v", left)
	}
	return by, warnings.all
}

// children returns the processes of test methods that this process started, including zombies. It
// returns nil on systems without /proc.
func children(t *testing.T) (list []string) {
	t.Helper()
	mine, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
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
		// Ignore methods that tests of other packages start from their own binaries.
		cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		program, _, _ := strings.Cut(string(cmdline), "\x00")
		if program == mine && path != fmt.Sprintf("/proc/%d/stat", os.Getpid()) {
			list = append(list, string(text))
		}
	}
	return list
}

// sameCurves checks that two curves have the same metrics up to rounding.
func sameCurves(t *testing.T, ours, theirs record.Curve) {
	t.Helper()
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*(1+math.Abs(x)) }
	for split, metrics := range ours.Metrics {
		for name, column := range metrics {
			if !slices.EqualFunc(column, theirs.Metrics[split][name], near) {
				t.Errorf("%s on %s is %v, ours %v", name, split, theirs.Metrics[split][name], column)
			}
		}
	}
}

// A program that implements a built-in algorithm gets the same samples and has the same curve.
func TestExternalCopyHasTheSameRecords(t *testing.T) {
	by, warnings := performExternal(t, plantest.Build(t, externalSpec("incremental"), nil))
	if len(by["theirs"]) != 2 || len(warnings) > 0 {
		t.Fatalf("%d records, %v", len(by["theirs"]), warnings)
	}
	for i, theirs := range by["theirs"] {
		ours := by["incremental"][i]
		if theirs.Status != record.StatusFinished {
			t.Fatalf("%s: %s", theirs.Status, theirs.Reason)
		}
		a, b := ours.Measured(), theirs.Measured()
		if !reflect.DeepEqual(a.Cost, b.Cost) {
			t.Errorf("the costs are %v, ours %v", b.Cost, a.Cost)
		}
		sameCurves(t, a, b)
		x := theirs.External
		if x == nil || !x.Deterministic || !slices.Equal(x.Declared, []string{"sum_kt", "sum_kt2"}) || ours.External != nil {
			t.Errorf("the external algorithm has %+v, the built-in one %+v", x, ours.External)
		}
	}
}

// Kernel rows served to a program are counted exactly.
func TestExternalKernelRowsAreCounted(t *testing.T) {
	text := strings.Replace(svmSweep[:svmSweepA], "repeats: 3", "repeats: 2", 1)
	p := buildSVM(t, text+"algorithms:\n  - {id: sdca}\n  - {id: theirs, external: "+externaltest.Spec("sdca")+"}\n")
	by, warnings := performExternal(t, p)
	if len(by["theirs"]) != 4 || len(warnings) > 0 {
		t.Fatalf("%d records, %v", len(by["theirs"]), warnings)
	}
	for i, theirs := range by["theirs"] {
		ours := by["sdca"][i]
		a, b := ours.Measured(), theirs.Measured()
		if theirs.Status != record.StatusFinished {
			t.Fatalf("%s: %s", theirs.Status, theirs.Reason)
		}
		// The program requests a row when a coefficient moves. It does not report kernel_evals_moved.
		moved := a.Cost["kernel_evals_moved"]
		want := map[string][]int64{"iterations": a.Cost["iterations"], "kernel_evals": moved, "inner_products": moved}
		if !reflect.DeepEqual(b.Cost, want) {
			t.Errorf("the costs are %v, want %v", b.Cost, want)
		}
		sameCurves(t, a, b)
		if len(theirs.External.Declared) > 0 {
			t.Errorf("declared: %v", theirs.External.Declared)
		}
	}
}

// Any failure of a program is recorded with a reason and does not affect other runs.
func TestExternalFailures(t *testing.T) {
	skipIfShort(t)
	missing := externalSpec("x")
	missing = missing[:strings.Index(missing, "{command")] + "{command: [no-such-program-here], version: 1}}\n"
	for _, test := range []struct{ method, reason string }{
		{externaltest.Silent, "no answer after 500ms"},
		{externaltest.Version, "hello: the program is version 2"},
		{externaltest.Exit, "exit status 3; the end of its standard error:\nno licence"},
		{externaltest.Garbage, `"epoch 1: loss 0.5" is not a JSON object with one key`},
		{externaltest.WrongAnswer, "ready: not an answer to advance"},
		{externaltest.Early, "advanced: to is 0, want 1"},
		{externaltest.Long, "a line of its output is longer than"},
		{externaltest.Hang, "no answer after 500ms"},
		{externaltest.ClosesPipes, "closed its input or output"},
		{externaltest.ReportsError, `error: "step 1: the matrix is singular"`},
		{externaltest.Killed, "signal: killed"},
		{externaltest.Flood, "the last words"},
		{externaltest.Shape, "shape [6 -1]"},
		{externaltest.Short, "cannot read the 6 numbers of U from the file U"},
		{externaltest.Skewed, "the columns of U are not orthonormal"},
		{externaltest.MissingCost, "the declared cost sum_kt2 is missing"},
		{externaltest.NullCost, "the declared cost sum_kt2 is missing"},
		{externaltest.DuplicateKey, `duplicate object member name "to"`},
		{externaltest.Escape, "want a file in the working directory"},
		{externaltest.NotFinite, "number 1 of U is NaN"},
		{"missing", `"no-such-program-here": executable file not found`},
	} {
		t.Run(test.method, func(t *testing.T) {
			text, status := strings.Replace(externalSpec(test.method), "repeats: 2", "repeats: 1", 1), record.StatusFailed
			switch test.method {
			case externaltest.Silent, externaltest.Hang:
				text = strings.Replace(text, "version: 1, env", "version: 1, timeout: 0.5, env", 1)
			case externaltest.NotFinite:
				status = record.StatusDiverged
			case "missing":
				text = missing
			}
			by, warnings := performExternal(t, plantest.Build(t, text, nil))
			for _, r := range by["theirs"] {
				if r.Status != status || !strings.Contains(r.Reason, test.reason) || len(r.Reason) > 6<<10 {
					t.Errorf("%s: %s; want %s: %s", r.Status, r.Reason, status, test.reason)
				}
			}
			for _, r := range by["incremental"] {
				if r.Status != record.StatusFinished {
					t.Errorf("ours: %s: %s", r.Status, r.Reason)
				}
			}
			if len(by["theirs"]) == 0 || len(by["incremental"]) == 0 || len(warnings) > 0 {
				t.Errorf("%d and %d records, warnings: %v", len(by["theirs"]), len(by["incremental"]), warnings)
			}
		})
	}
}

// Child processes that a program leaves behind are killed, even detached ones, and its run finishes.
func TestExternalChildrenAreKilled(t *testing.T) {
	for _, method := range []string{externaltest.Child, externaltest.Orphan} {
		by, warnings := performExternal(t, plantest.Build(t, externalSpec(method), nil))
		for _, r := range by["theirs"] {
			if r.Status != record.StatusFinished {
				t.Errorf("%s: %s", r.Status, r.Reason)
			}
		}
		if len(warnings) > 0 {
			t.Errorf("warnings: %q", warnings)
		}
	}
}

// Without permission, no program is started and its runs fail.
func TestExternalNeedsPermission(t *testing.T) {
	p := plantest.Build(t, externalSpec("incremental"), nil)
	f, _ := perform(t, p, Options{Workers: 1}, constructors{})
	for _, r := range f.runs(t, p) {
		if failed := r.Status == record.StatusFailed; failed != (r.Algorithm == "theirs") {
			t.Errorf("%s: %s: %s", r.Algorithm, r.Status, r.Reason)
		}
	}
}

// When the context ends, programs are stopped and their runs are not recorded.
func TestExternalIsInterrupted(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	p := plantest.Build(t, externalSpec(externaltest.Hang), nil)
	f := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for { // until a program has received samples
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

package cli

import (
	"path/filepath"
	"testing"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/plots"
)

// The default axes are those of the first panel along a counter.
func TestDefaultAxes(t *testing.T) {
	panel := func(x, y string) plots.Figure { return plots.Figure{Panel: plots.Panel{X: x, Y: y}} }
	several := panel("iterations", "suboptimality")
	several.Split = "test"
	several.Panels = []plots.Panel{{Y: "rank"}, {Y: "spectrum"}, {X: "sum_kt2"}}
	for _, test := range []struct {
		name    string
		figures []plots.Figure
		want    [3]string
	}{
		{"trade-offs", []plots.Figure{{Panel: plots.Panel{Draw: plots.DrawTradeoff}}}, [3]string{"error"}},
		{"defaults", []plots.Figure{{}}, [3]string{"suboptimality", "", "iterations"}},
		{"time is skipped", []plots.Figure{panel("seconds", "gap"), panel("kernel_evals", "error")}, [3]string{"error", "", "kernel_evals"}},
		{"rank is skipped", []plots.Figure{panel("iterations", "rank"), panel("iterations", "objective")}, [3]string{"objective", "", "iterations"}},
		{"panels", []plots.Figure{several}, [3]string{"suboptimality", "test", "sum_kt2"}},
	} {
		metric, split, cost := defaultAxes(&spec.Spec{Select: selection.Rule{Metric: "error"}, Figures: test.figures})
		if got := [3]string{metric, split, cost}; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// The reference records are of the smoke profile and are the same on all machines.
func TestReferenceRecords(t *testing.T) {
	skipIfShort(t)
	folders, _, err := experiment.Find([]string{"../../../results/reference"})
	if err != nil || len(folders) < 10 {
		t.Fatalf("%d experiments, %v", len(folders), err)
	}
	for _, f := range folders {
		folder := opened(t, f)
		if m := &folder.Manifest; m.Profile != "smoke" || m.Spec != filepath.Base(f) {
			t.Errorf("%s: profile %q of %q", f, m.Profile, m.Spec)
		}
		e, err := folder.Records()
		if err != nil || len(e.Warnings) > 0 || len(e.Runs) == 0 {
			t.Errorf("%s: %v, %q, %d runs", f, err, e.Warnings, len(e.Runs))
			continue
		}
		for _, r := range e.Runs {
			if r.Algorithm == "libsvm" || r.Status != record.StatusFinished && r.Status != record.StatusDiverged && r.Status != record.StatusOutOfMemory {
				t.Errorf("%s: %s is %s, which depends on the machine", f, r.Name(), r.Status)
			}
		}
	}
}

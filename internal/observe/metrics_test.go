package observe

import (
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
)

func TestTables(t *testing.T) {
	got := strings.Join(TaskCosts(record.TaskSparse), " ")
	if got != "iterations kernel_evals inner_products" || TaskMetrics("other") != nil {
		t.Errorf("costs %q", got)
	}
	// If the task is unknown, a name must have a unique label.
	labels := make(map[string]string)
	for _, m := range metrics {
		if l, known := labels[m.Name]; m.Label == "" || known && l != m.Label {
			t.Errorf("%s has the labels %q and %q", m.Name, l, m.Label)
		}
		labels[m.Name] = m.Label
	}
	for name, want := range map[string]string{
		"sum_kt2": "Estimated runtime Σ (k′ₜ)²", "dual": "Dual objective", "test_rows": "Test rows", "ν": "ν", "": "",
	} {
		if got := Label(name); got != want {
			t.Errorf("%q: label %q, want %q", name, got, want)
		}
	}
	if !MetricOf(record.TaskPCA, "objective").MoreIsBetter || MetricOf(record.TaskSVM, "objective").MoreIsBetter ||
		!MetricOf("", "dual").MoreIsBetter || MetricOf("pca", "other").Name != "other" {
		t.Error("MetricOf returns the wrong row for a task")
	}
}

func TestResolution(t *testing.T) {
	r := record.Run{
		Rows: map[string]int64{"test": 200},
		// The recorded gap is relative to the optimum.
		Facts: map[string]float64{"reference_primal": 0.25, "reference_dual": 0.125, "reference_gap": 0.5},
	}
	for _, c := range []struct {
		split, metric string
		want          float64
	}{
		{"test", "error", 0.0025}, {"train", "error", 0}, {"state", "suboptimality", 0.125}, {"test", "hinge", 0},
	} {
		if got := Resolution(&r, c.split, c.metric); got != c.want {
			t.Errorf("%s on %s: %v, want %v", c.metric, c.split, got, c.want)
		}
		if got := Floor(&r, c.split, c.metric); got != c.want {
			t.Errorf("%s on %s: floor %v, want %v", c.metric, c.split, got, c.want)
		}
	}
	delete(r.Facts, "reference_dual")
	if got := Resolution(&r, "state", "suboptimality"); got != 0 {
		t.Errorf("without a bound: %v, want 0", got)
	}
	if got := Floor(&r, "state", "suboptimality"); got != Rounding {
		t.Errorf("without a bound: floor %v, want Rounding", got)
	}
}

func TestSplits(t *testing.T) {
	r := record.Run{Curve: record.Curve{Metrics: map[string]map[string][]float64{
		"train": {"error": {1}, "hinge": {1}}, "validation": {"error": {1}}, "population": {"error": {1}, "objective": {1}},
		"test": {"objective": {1}, "slant": {}}, "state": {"support": {1}},
	}}}
	for _, c := range []struct{ want, metric, unseen, any string }{
		{"", "error", "population", "population"}, {"", "objective", "test", "test"}, {"", "hinge", "", "train"},
		{"", "support", "state", "state"}, {"test", "support", "state", "state"}, {"train", "error", "train", "train"},
		{"test", "error", "", ""}, {"", "slant", "", ""},
	} {
		unseen, okUnseen := UnseenSplit(&r, c.want, c.metric)
		found, okAny := AnySplit(&r, c.want, c.metric)
		if unseen != c.unseen || found != c.any || okUnseen != (c.unseen != "") || okAny != (c.any != "") {
			t.Errorf("%s on %q: %q and %q, want %q and %q", c.metric, c.want, unseen, found, c.unseen, c.any)
		}
	}
	if s := AllSplits; !slices.Contains(s, "train") || s[0] != "test" {
		t.Errorf("splits %q", s)
	}
}

package spec

import (
	"slices"
	"strings"
	"testing"
)

// A parameter may be tuned if any of the algorithms allows it.
func TestTunableInOneAlgorithm(t *testing.T) {
	t.Parallel()
	catalog, task := labelCatalog, sparseTask
	task.Algorithms = slices.Clone(task.Algorithms)
	for i, a := range task.Algorithms {
		p := Param{Name: "support", Kind: "int", Default: int64(8), Min: &one, Tunable: a.ID == "rsvm"}
		task.Algorithms[i].Params = append(slices.Clone(a.Params), p)
	}
	catalog.Tasks = []Task{task}
	text := strings.Replace(sparse, "tune: [eta]", "tune: [eta, support]", 1)
	if _, err := parseSpec(text, LoadOptions{Catalog: &catalog}); err != nil {
		t.Error(err)
	}
	alone := strings.Replace(text, "  - {id: rsvm, with: {ratio: 0.5}, datasets: [mnist], limit: {seconds: 600, memory: 2GB}}\n", "", 1)
	if _, err := parseSpec(alone, LoadOptions{Catalog: &catalog}); err == nil || !strings.Contains(err.Error(), `parameter "support" cannot be tuned`) {
		t.Errorf("error %v", err)
	}
}

// A step size with several values that is not tuned causes a warning.
func TestUntunedStepSizes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		old, new string
		want     int
	}{
		{"tune: [eta]", "tune: [eta]", 0},
		{"tune: [eta]", "tune: [epsilon]", 1},
		{"{eta: [0.25, 0.5]}}", "{eta: 0.25, epsilon: [0.1, 0.2]}}", 0},
		{"with: {eta: [0.25, 0.5]}}", "with: {epsilon: [0.1, 0.2]}}", 1},
	} {
		text := change(t, sparse, test.old, test.new)
		if test.old != "tune: [eta]" {
			text = change(t, text, "tune: [eta]", "tune: [epsilon]")
		}
		s, err := parseLabelled(text)
		if err != nil {
			t.Fatal(err)
		}
		warnings := s.Warnings(nil)
		if len(warnings) != test.want || test.want == 1 && !strings.HasPrefix(warnings[0], "s.yaml:9:5: ") {
			t.Errorf("%s: %q", test.new, warnings)
		}
	}
}

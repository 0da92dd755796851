package spec

import (
	"slices"
	"strings"
	"testing"
)

// A parameter may be tuned if one of the algorithms allows it, whichever comes
// first.
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

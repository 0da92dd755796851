package cluster

import (
	"testing"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/plantest"
)

const sweep = `version: 1
name: sweep
task: pca
seed: 7
repeats: 6
budget: {iterations: 4000}
record: {points: 4}
datasets:
  - {id: g, source: simulated-gaussian, with: {dim: 12, gap: 2}, problem: {k: 2}}
algorithms:
  - {id: msg, step: {c: [0.25, 1, 4]}}
  - {id: incremental}
select: {by: none}
`

// Each run is in one task, and all tasks have about as many.
func TestPack(t *testing.T) {
	p := plantest.Build(t, sweep, nil)
	for _, n := range []int{1, 2, 3, 7, 24, 48, 1000} {
		tasks := Pack(p.Items, n)
		if want := min(n, len(p.Items)); len(tasks) != want {
			t.Errorf("%d tasks, want %d", len(tasks), want)
		}
		keys := make(map[string]bool)
		for i, task := range tasks {
			if d := len(task.Keys) - len(p.Items)/len(tasks); task.Number != i+1 || d < 0 || d > 1 {
				t.Errorf("of %d: task %d is number %d and has %d runs", n, i+1, task.Number, len(task.Keys))
			}
			for _, key := range task.Keys {
				keys[key] = true
			}
		}
		if len(keys) != len(p.Items) {
			t.Errorf("of %d: %d of %d runs are in tasks", n, len(keys), len(p.Items))
		}
	}
	if tasks := Pack([]*plan.Item{}, 3); len(tasks) > 0 {
		t.Errorf("no runs are in %d tasks", len(tasks))
	}
}

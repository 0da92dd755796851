package cluster

import (
	"stochopt/harness/internal/plan"
)

// Pack divides runs, as run.Pending orders them, among at most n tasks with about as many
// runs each.
func Pack(pending []*plan.Item, n int) (tasks []*plan.Task) {
	n = min(n, len(pending))
	for i := range n {
		tasks = append(tasks, plan.NewTask(i+1, pending[i*len(pending)/n:(i+1)*len(pending)/n]))
	}
	return tasks
}

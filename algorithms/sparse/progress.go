package sparse

import (
	"fmt"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
)

// progress is what a method has cost and how it has ended.
type progress struct {
	cost   algorithms.Cost
	status algorithms.Status
}

// Cost implements algorithms.Stepper.
func (p *progress) Cost() algorithms.Cost { return p.cost }

// once makes a step. If the run has stopped, it makes none and returns the status of the stop.
func (p *progress) once(step func() algorithms.Status) algorithms.Status {
	if !p.status.Stop() {
		p.status = step()
	}
	return p.status
}

// stop ends the run.
func (p *progress) stop(state algorithms.State, reason string) algorithms.Status {
	p.status = algorithms.Status{State: state, Reason: reason}
	return p.status
}

// charge counts kernel evaluations.
func (p *progress) charge(evals int64) {
	p.cost.KernelEvals += evals
	p.cost.InnerProducts += evals
}

// chargeRows counts an iteration that took rows kernel rows of n entries.
func (p *progress) chargeRows(rows, n int) {
	p.cost.Iterations++
	p.charge(int64(rows) * int64(n))
}

// withMethod puts the name of the method before the reason.
func withMethod(method string, s algorithms.Status) algorithms.Status {
	s.Reason = method + ": " + s.Reason
	return s
}

// ended is the status of a step that could not be finished.
func ended(name string, err error) algorithms.Status {
	return algorithms.Status{State: algorithms.Failed, Reason: fmt.Sprintf("sparse: %s: the step was ended: %v", name, err)}
}

// badRow is the status of a step that needs a kernel row that is of no use.
func badRow(method string, err error) algorithms.Status {
	return algorithms.Status{State: rows.State(err), Reason: fmt.Sprintf("sparse: %s: %v", method, err)}
}

func nonzeros(x []float64) int {
	count := 0
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	return count
}

package sparse

import (
	"context"
	"fmt"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// choose draws the candidates for the next basis function and returns the place
// in outside of the one that lowers the objective most, and its coefficient. Its
// row is left in best.
func (a *SpSVM) choose() (at int, t float64, status algorithms.Status) {
	kappa := min(a.cfg.Candidates, len(a.outside))
	least := -1.0
	for c := range kappa {
		if err := context.Cause(a.q.ctx); err != nil {
			return 0, 0, ended("spsvm", err)
		}
		o := c + a.rng.IntN(len(a.outside)-c)
		a.outside[c], a.outside[o] = a.outside[o], a.outside[c]
		j := int(a.outside[c])
		row := a.p.Rows.Row(j)
		if status := checkRow("spsvm", j, row, a.n); status.Stop() {
			return 0, 0, status
		}
		if tc, decrease := a.try(j, row); decrease > least {
			least, at, t = decrease, c, tc
			copy(a.best, row)
		}
	}
	a.cost.KernelEvals += int64(kappa) * int64(a.n)
	a.cost.InnerProducts = a.cost.KernelEvals
	return at, t, algorithms.Status{}
}

// try returns the best coefficient of point j, whose row is given, beside those
// there are, and by how much it lowers the objective.
func (a *SpSVM) try(j int, row []float32) (t, decrease float64) {
	var slope float64 // of beta' K_JJ beta/2
	for k, i := range a.basis {
		slope += float64(a.q.theta[a.bias+k] * float64(row[i]))
	}
	positive := a.p.Positive
	s := a.q.s
	for i, v := range row[:positive] {
		s[i] = float64(v)
	}
	for i, v := range row[positive:] {
		s[positive+i] = -float64(v)
	}
	line := hingeLine{c: a.cfg.C, curvature: float64(row[j]) + a.ridge, slope: slope, slack: a.q.slack, s: s}
	return line.minimise(0)
}

// checkRow returns a status other than Running unless a row is one of n finite
// values.
func checkRow(name string, j int, row []float32, n int) algorithms.Status {
	if len(row) != n {
		return algorithms.Status{
			State:  algorithms.Failed,
			Reason: fmt.Sprintf("sparse: %s: row %d of the kernel has %d entries, want %d", name, j, len(row), n),
		}
	}
	if !vec.AllFinite(row) {
		return algorithms.Status{
			State:  algorithms.Diverged,
			Reason: fmt.Sprintf("sparse: %s: the kernel is not finite in row %d; scale the features, or choose other parameters of the kernel", name, j),
		}
	}
	return algorithms.Status{}
}

package compare

import (
	"fmt"

	"stochopt/internal/finite"
	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// readCurve takes the curve of a run, which has no points if the run did not finish: it is
// worse than any that did. It is an error if a value is not a number.
func readCurve(r *record.Run, l axes) (observe.Curve, error) {
	c := observe.Curve{Finished: r.Status == record.StatusFinished}
	c.Stays = c.Finished && r.Converged()
	xs, _ := r.Measured().Along(l.cost)
	ys := r.Measured().Metrics[l.split][l.metric]
	if n := len(xs); n > 0 {
		c.End = xs[n-1]
	}
	if !c.Finished {
		return c, nil
	}
	if len(xs) != len(ys) {
		return c, fmt.Errorf("compare: %s has %d values of %s at %d costs", r.Name(), len(ys), l.metric, len(xs))
	}
	for i, y := range ys {
		if !finite.Is(y) {
			return c, fmt.Errorf("compare: %s: %s on %s is %v at point %d; only finite values can be compared", r.Name(), l.metric, l.split, y, i)
		}
	}
	c.X, c.Y = xs, ys
	return c, nil
}

package analysis

import (
	"slices"

	"stochopt/results/record"
)

// FirstAt returns the least x at which a curve is at or below a target: that of
// the first point that is, as between points a curve keeps the value of the last
// one. x and y are columns of equal length, x not decreasing. ok is false if no
// point is.
func FirstAt(x, y []float64, target float64) (at float64, ok bool) {
	i := firstAt(y, target)
	if i < 0 {
		return 0, false
	}
	return x[i], true
}

func firstAt(y []float64, target float64) int {
	return slices.IndexFunc(y, func(v float64) bool { return v <= target })
}

// Outcome says whether and when a run reached a target.
type Outcome int

const (
	// NotReached: the run ended before, or did not finish, or lacks the metric.
	NotReached Outcome = iota
	// AtOnce: the first recorded point is at the target, which may have been
	// reached before it.
	AtOnce
	// Reached: a later point is the first one there.
	Reached
)

// ValueAt returns the value of a curve at x, that of the last point not beyond
// it. ok is false if x is before the first point.
func ValueAt(xs, ys []float64, x float64) (y float64, ok bool) {
	for i, at := range xs {
		if at > x {
			break
		}
		y, ok = ys[i], true
	}
	return y, ok
}

// PointAt returns the first recorded point of a run at which a metric is at or
// below a target on a split.
func PointAt(r record.Run, split, metric string, target float64) (point int, o Outcome) {
	if r.Status != record.StatusFinished {
		return 0, NotReached
	}
	switch i := firstAt(r.Curve.Metrics[split][metric], target); i {
	case -1:
		return 0, NotReached
	case 0:
		return 0, AtOnce
	default:
		return i, Reached
	}
}

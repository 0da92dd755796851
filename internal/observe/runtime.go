package observe

import (
	"math"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/stats"
)

// Runtimes defines the costs shown in profiles. Each is the cost at the first recorded point where a metric is at or
// below a target; see Curve.FirstAt. It is never below the true cost.
type Runtimes struct {
	Cost, Metric, Split string
	// Targets lists values of the metric. If Relative is set, the metric is a distance from an optimum, and the targets
	// are fractions of the absolute value of the optimum.
	Targets  []float64
	Relative bool
}

// WithDefaults sets the targets if they are not set: 20 relative ones, five to a decade, from 10^-0.2 to 10^-4.
func (q Runtimes) WithDefaults() Runtimes {
	if len(q.Targets) > 0 {
		return q
	}
	q.Relative = true
	for i := range 20 {
		q.Targets = append(q.Targets, math.Pow(10, -float64(i+1)/5))
	}
	return q
}

// targetsOf returns the targets of a run as values of the metric, or nil if its curve lacks the metric or the
// objective. A target below the floor of the run is raised to the floor.
func (q Runtimes) targetsOf(r *record.Run, c record.Curve) (targets []float64) {
	split, _ := UnseenSplit(r, q.Split, q.Metric)
	values := c.Metrics[split]
	last := len(values[q.Metric]) - 1
	if last < 0 {
		return nil
	}
	scale, targets := 1.0, slices.Clone(q.Targets)
	if q.Relative {
		above := MetricOf(r.Task, MetricOf(r.Task, q.Metric).Above)
		objective := values[above.Name]
		if len(objective) <= last {
			return nil
		}
		distance := values[q.Metric][last]
		if above.MoreIsBetter {
			distance = -distance
		}
		scale = math.Abs(objective[last] - distance)
	}
	for i := range targets {
		targets[i] = max(targets[i]*scale, Floor(r, split, q.Metric))
	}
	return targets
}

// Recorded reports whether a run has records of the cost and of what determines its targets.
func (q Runtimes) Recorded(r *record.Run) bool {
	c := r.Measured()
	return c.Counts(q.Cost) && len(q.targetsOf(r, c)) > 0
}

// Observe returns the costs of several methods by problem, repeat and target. problemOf returns the problem of a
// run. Problems and repeats have the same order for all methods. A cost of 0 counts as 1, because performance
// profiles divide by it. An unfinished run reaches no target. A single run of a deterministic method on a
// problem represents all repeats.
func (q Runtimes) Observe(methods [][]record.Run, problemOf func(*record.Run) string) []stats.Costs {
	var problems []string
	var repeats []int
	for _, r := range slices.Concat(methods...) {
		problems, repeats = append(problems, problemOf(&r)), append(repeats, r.Repeat)
	}
	slices.Sort(problems)
	slices.Sort(repeats)
	problems, repeats = slices.Compact(problems), slices.Compact(repeats)
	all := make([]stats.Costs, len(methods))
	for m, runs := range methods {
		all[m] = make(stats.Costs, len(problems))
		for p := range problems {
			all[m][p] = make([][]float64, len(repeats))
		}
		for _, own := range Grouped(runs, problemOf) {
			p, _ := slices.BinarySearch(problems, problemOf(&own[0]))
			for i := range own {
				k, _ := slices.BinarySearch(repeats, own[i].Repeat)
				all[m][p][k] = q.costsOf(&own[i])
				if len(own) == 1 {
					all[m][p] = slices.Repeat(all[m][p][k:k+1], len(repeats))
				}
			}
		}
	}
	return all
}

// costsOf returns the cost at which a run first reached each target, +Inf for an unreached target.
func (q Runtimes) costsOf(r *record.Run) []float64 {
	costs := slices.Repeat([]float64{math.Inf(1)}, len(q.Targets))
	if r.Status != record.StatusFinished {
		return costs
	}
	measured := r.Measured()
	split, _ := UnseenSplit(r, q.Split, q.Metric)
	x, _ := measured.Along(q.Cost)
	curve := Curve{X: x, Y: measured.Metrics[split][q.Metric]}
	for i, target := range q.targetsOf(r, measured) {
		if at, ok := curve.FirstAt(target); ok {
			costs[i] = max(at, 1)
		}
	}
	return costs
}

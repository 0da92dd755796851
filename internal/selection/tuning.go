package selection

import (
	"cmp"
	"math"
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/whole"
)

// A Tuning is a way to include the search for parameters in the cost of a method: a row of
// the table of tunings, which applies to any counted cost. A series whose grid has at most
// one candidate has no cost of search, which is the advantage of a method without a step
// size.
type Tuning struct {
	// Name is what specifications call it, Label what axes add to the label of a cost, and
	// Note what figures say of it.
	Name, Label, Note string

	run func(s *Choice, c *Series, chosen record.Run) (record.Run, bool)
}

// tunings is the table.
var tunings = []Tuning{
	// The cost at each point of the chosen run is what all candidates of its grid had
	// cost in the same repeat when they were there, by their iterations: what it takes to
	// run the whole grid that far. A candidate that ended before counts up to where it
	// ended, one that diverged too; one without a record of anything counts nothing.
	{
		Name: "grid", Label: "summed over the grid", run: (*Choice).wholeGrid,
		Note: "cost summed over the grid: what all candidates of a repeat had cost when each had run as far as the chosen one, " +
			"or had ended; a method without a grid has its own cost",
	},
	// The curve has a point for each number m of candidates, drawn from the grid without
	// replacement, each equally likely: at m times the mean cost of a whole run, which is
	// what they cost on average, stands the metric that the best of them, by the scores
	// that selection is by, ends with on average. Numbers so small that all m may be out
	// of the race have no point.
	{
		Name: "random", Label: "of random candidates", run: (*Choice).randomSearch,
		Note: "random candidates: a point for each number of candidates drawn from the grid, at the average cost of their whole runs " +
			"and the average final value of the one that selection would choose; a method without a grid is one point",
	},
}

// Tunings lists the names of the tunings.
func Tunings() []string {
	names := make([]string, len(tunings))
	for i, t := range tunings {
		names[i] = t.Name
	}
	return names
}

// TuningOf returns the tuning of a name, an empty one if there is none.
func TuningOf(name string) Tuning {
	if i := slices.IndexFunc(tunings, func(t Tuning) bool { return t.Name == name }); i >= 0 {
		return tunings[i]
	}
	return Tuning{}
}

// Tuned returns the runs of the selected candidates as a tuning sees them: with costs that
// include the search, and the metrics that it led to. A run is left out if the repeat lacks
// the record of a candidate, since the cost of the search is then unknown. A selection that
// chooses nothing for a whole curve, such as by halvings, gives no runs.
func (s *Choice) Tuned(name string) []record.Run {
	t := TuningOf(name)
	if t.run == nil || s == nil {
		return nil
	}
	var out []record.Run
	for i := range s.Series {
		c := &s.Series[i]
		chosen := c.selected()
		if chosen == nil {
			continue
		}
		for _, at := range chosen.runs {
			if r, ok := t.run(s, c, s.all[at]); ok {
				out = append(out, r)
			}
		}
	}
	return out
}

// inRepeat returns the runs of all candidates in a repeat, in their order; ok is false if
// one has none.
func (c *Series) inRepeat(all []record.Run, repeat int) (runs []*record.Run, ok bool) {
	for _, cand := range c.Candidates {
		k := slices.IndexFunc(cand.runs, func(i int) bool { return all[i].Repeat == repeat })
		if k < 0 {
			return nil, false
		}
		runs = append(runs, &all[cand.runs[k]])
	}
	return runs, true
}

// wholeGrid returns the chosen run with the costs of the whole grid.
func (s *Choice) wholeGrid(c *Series, chosen record.Run) (record.Run, bool) {
	runs, ok := c.inRepeat(s.all, chosen.Repeat)
	if !ok {
		return record.Run{}, false
	}
	iterations := chosen.Measured().Cost[record.CostIterations]
	sums := make(map[string][]int64, len(chosen.Measured().Cost))
	for cost := range chosen.Measured().Cost {
		sums[cost] = make([]int64, len(iterations))
	}
	for _, r := range runs {
		costs := r.Measured().Cost
		own := costs[record.CostIterations]
		for i, n := range iterations {
			reached, exact := slices.BinarySearch(own, n)
			if !exact {
				reached-- // the last point before
			}
			for cost, sum := range sums {
				if column := costs[cost]; reached >= 0 && reached < len(column) {
					sum[i] += column[reached]
				}
			}
		}
	}
	curve := chosen.Measured()
	curve.Cost = sums
	return chosen.With(curve), true
}

// randomSearch returns the curve of random search as that of a run.
func (s *Choice) randomSearch(c *Series, chosen record.Run) (record.Run, bool) {
	runs, ok := c.inRepeat(s.all, chosen.Repeat)
	if !ok {
		return record.Run{}, false
	}
	ranked := c.ranked(observe.MetricOf(chosen.Task, s.Metric).MoreIsBetter)
	least := len(runs) - len(ranked) + 1 // so many are sure to have one that is in the race
	curve := record.Curve{Cost: map[string][]int64{}, Metrics: map[string]map[string][]float64{}}
	for cost := range chosen.Measured().Cost {
		var total float64
		for _, r := range runs {
			if column := r.Measured().Cost[cost]; len(column) > 0 {
				total += float64(column[len(column)-1])
			}
		}
		for m := least; m <= len(runs); m++ {
			curve.Cost[cost] = append(curve.Cost[cost], int64(whole.Within(math.Round(float64(m)*total/float64(len(runs))), 0, math.MaxInt64)))
		}
	}
	for split, metrics := range chosen.Measured().Metrics {
		curve.Metrics[split] = map[string][]float64{}
		for metric := range metrics {
			ends := make([]float64, 0, len(ranked))
			for _, i := range ranked {
				if values := runs[i].Measured().Metrics[split][metric]; len(values) > 0 {
					ends = append(ends, values[len(values)-1])
				}
			}
			if len(ends) < len(ranked) {
				continue // not recorded of each
			}
			for m := least; m <= len(runs); m++ {
				curve.Metrics[split][metric] = append(curve.Metrics[split][metric], expectedBest(ends, len(runs), m))
			}
		}
	}
	chosen.Reason = ""
	return chosen.With(curve), true
}

// ranked returns the indices of the candidates that are in the race, the best first: the
// selected one, and then by score.
func (c *Series) ranked(moreIsBetter bool) []int {
	var ranked []int
	for i, cand := range c.Candidates {
		if cand.Scored {
			ranked = append(ranked, i)
		}
	}
	slices.SortStableFunc(ranked, func(i, j int) int {
		a, b := c.Candidates[i], c.Candidates[j]
		switch {
		case a.Selected:
			return -1
		case b.Selected:
			return 1
		case moreIsBetter:
			return cmp.Compare(b.Score, a.Score)
		}
		return cmp.Compare(a.Score, b.Score)
	})
	return ranked
}

// expectedBest returns the mean, over all sets of m of n candidates, of the value of the
// best in the set. values are those of the best candidates of all, the best first; the
// others, of which there are less than m, are worse and have none.
//
// The best in the set is the j-th of all, from 0, in C(n-1-j, m-1) of the C(n, m) sets.
func expectedBest(values []float64, n, m int) float64 {
	share, mean := float64(m)/float64(n), 0.0
	for j, v := range values {
		mean += share * v
		share *= float64(n-j-m) / float64(n-j-1)
		if share == 0 { // the best of all sets is among those before
			break
		}
	}
	return mean
}

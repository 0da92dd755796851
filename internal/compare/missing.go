package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// absent names the cells of the baseline that the candidate lacks by the largest part that it lacks
// altogether: an experiment, a data set, a series, a series on a data set.
func (w *work) absent() {
	for i := range w.cells {
		if c := &w.cells[i]; c.groups[1] == nil {
			c.Missing = []string{w.absence(c) + " is missing"}
		}
	}
}

// absence names the largest part of a cell's experiment that has the cell and nothing of the candidate.
func (w *work) absence(c *cell) string {
	if c.sides[1].Name == "" {
		return c.Experiment
	}
	has := func(same func(*group) bool) bool {
		return slices.ContainsFunc(w.cells, func(o cell) bool {
			return o.Experiment == c.Experiment && o.groups[1] != nil && same(o.groups[1])
		})
	}
	name := c.Series + " on " + c.Dataset
	switch {
	case !has(func(g *group) bool { return g.dataset == c.Dataset }):
		name = c.Dataset
	case !has(func(g *group) bool { return g.series == c.Series }):
		name = c.Series
	case has(c.groups[0].sibling):
		name = c.Series + "(" + c.Params + ") on " + c.Dataset
	}
	if slices.ContainsFunc(w.cells, func(o cell) bool { return o.Experiment != c.Experiment }) {
		name = c.Experiment + ": " + name
	}
	return name
}

// missing lists what of the baseline's work on a cell the candidate has not done.
func missing(base, cand *group) (texts []string) {
	if n, of := len(cand.grid), len(base.grid); n < of {
		texts = append(texts, fmt.Sprintf("%d of %d candidates of the grid", n, of))
	}
	if n, of := cand.complete(), base.complete(); n < of {
		text := fmt.Sprintf("%d of %s", n, words.Count(of, "repeat"))
		if skipped := cand.skipped(); skipped > base.skipped() {
			text += fmt.Sprintf(" (%s skipped)", words.Count(skipped, "run"))
		}
		texts = append(texts, text)
	}
	n, of := cand.iterations(usedUp), base.iterations(started)
	if 0 < n && n < of && !cand.samePasses(base) {
		texts = append(texts, fmt.Sprintf("%d of %d iterations", n, of))
	}
	return texts
}

// complete counts the repeats of which all candidates of the grid were started.
func (g *group) complete() int {
	runs := make(map[string][]string)
	for _, r := range g.all {
		if started(r) {
			runs[unit(r)] = words.AddOnce(runs[unit(r)], r.Key)
		}
	}
	n := 0
	for _, keys := range runs {
		if len(keys) >= len(g.grid) {
			n++
		}
	}
	return n
}

func (g *group) skipped() (n int) {
	for _, r := range g.all {
		if !started(r) {
			n++
		}
	}
	return n
}

// iterations returns the fewest iterations that any of some runs was to make, 0 if there is no such run.
func (g *group) iterations(of func(*record.Run) bool) (least int64) {
	for _, r := range g.all {
		n, err := strconv.ParseInt(record.ParseExtent(r.Extent).Budget, 10, 64)
		if err == nil && of(r) && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// usedUp reports whether a run made all its iterations. With more of them, one that converged,
// diverged or failed would not have gone on.
func usedUp(r *record.Run) bool { return finished(r) && strings.HasPrefix(r.Reason, "budget of ") }

// samePasses reports whether the runs of g evaluate the kernel as often as those of another group
// do. A pass over the data has fewer iterations if each works on more coefficients.
func (g *group) samePasses(other *group) bool {
	evals := func(g *group) (most int64) {
		for _, r := range g.all {
			if column := r.Measured().Cost[record.CostKernelEvals]; len(column) > 0 {
				most = max(most, column[len(column)-1])
			}
		}
		return most
	}
	n := evals(other)
	return n > 0 && evals(g) >= n
}

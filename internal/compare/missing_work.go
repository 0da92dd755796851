package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// findMissingCells names, for each cell of only one side, the largest part that the other side lacks: the
// experiment, the data set, the series, the series on the data set, or the cell.
func (r *comparison) findMissingCells() {
	parts := func(c *cell) []string {
		prefix := c.Experiment + ": "
		return []string{c.Experiment, prefix + c.Dataset, prefix + c.Series, prefix + c.Series + " on " + c.Dataset}
	}
	var has [2][]string
	for i := range r.cells {
		for side, g := range r.cells[i].groups {
			if g != nil {
				has[side] = append(has[side], parts(&r.cells[i])...)
			}
		}
	}
	for i := range r.cells {
		c := &r.cells[i]
		for side, g := range c.groups {
			if g != nil {
				continue
			}
			names := append(parts(c), fmt.Sprintf("%s: %s(%s) on %s", c.Experiment, c.Series, c.Params, c.Dataset))
			lacks := func(name string) bool { return !slices.Contains(has[side], name) }
			name := strings.Replace(names[slices.IndexFunc(names, lacks)], "()", "", 1) // no list has the last name
			if side == 1 {
				c.Missing = []string{name + " is missing"}
			} else {
				r.Warnings = words.AddOnce(r.Warnings, name+" is only in the candidate")
			}
		}
	}
}

// missing lists the baseline's work on a cell that the candidate lacks.
func missing(base, cand *group) (texts []string) {
	compare := func(n, of int64, what string) {
		if 0 <= n && n < of {
			texts = append(texts, fmt.Sprintf("%d of %d %s", n, of, what))
		}
	}
	compare(int64(len(cand.grid)), int64(len(base.grid)), "candidates of the grid")
	b, _ := base.repeats("")
	c, _ := cand.repeats("")
	compare(int64(len(c)), int64(len(b)), "repeats")
	compare(cand.iterations(false), base.iterations(true), "iterations")
	return texts
}

// iterations returns the smallest budget of the started runs, or of the runs that used their budget: a larger
// budget would not change a run that converged or failed. It returns -1 if no budget is known.
func (g *group) iterations(allStarted bool) int64 {
	least := int64(-1)
	for _, r := range g.all {
		n, err := strconv.ParseInt(record.ParseExtent(r.Extent).Budget, 10, 64)
		counts := allStarted && started(r) || finished(r) && strings.HasPrefix(r.Reason, "budget of ")
		if err == nil && counts && (least < 0 || n < least) {
			least = n
		}
	}
	return least
}

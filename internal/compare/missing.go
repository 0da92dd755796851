package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// absent says of the cells that one side lacks what that side lacks altogether: an experiment, a data
// set, a series, a series on a data set, or else the cell.
func (w *work) absent() {
	parts := func(c *cell) []string {
		of := c.Experiment + ": "
		return []string{c.Experiment, of + c.Dataset, of + c.Series, of + c.Series + " on " + c.Dataset}
	}
	var has [2][]string
	for i := range w.cells {
		for side, g := range w.cells[i].groups {
			if g != nil {
				has[side] = append(has[side], parts(&w.cells[i])...)
			}
		}
	}
	for i := range w.cells {
		c := &w.cells[i]
		for side, g := range c.groups {
			if g != nil {
				continue
			}
			names := append(parts(c), fmt.Sprintf("%s: %s(%s) on %s", c.Experiment, c.Series, c.Params, c.Dataset))
			lacks := func(name string) bool { return !slices.Contains(has[side], name) }
			name := strings.Replace(names[slices.IndexFunc(names, lacks)], "()", "", 1) // no side has the last one
			if side == 1 {
				c.Missing = []string{name + " is missing"}
			} else {
				w.Warnings = words.AddOnce(w.Warnings, name+" is only in the candidate")
			}
		}
	}
}

// missing lists the baseline's work on a cell that the candidate lacks.
func missing(base, cand *group) (texts []string) {
	less := func(n, of int64, what string) {
		if 0 <= n && n < of {
			texts = append(texts, fmt.Sprintf("%d of %d %s", n, of, what))
		}
	}
	less(int64(len(cand.grid)), int64(len(base.grid)), "candidates of the grid")
	b, _ := base.repeats("")
	c, _ := cand.repeats("")
	less(int64(len(c)), int64(len(b)), "repeats")
	less(cand.iterations(false), base.iterations(true), "iterations")
	return texts
}

// iterations returns the fewest iterations that a run was to make, -1 if no run says. Unless all count,
// it is of the runs that made them all: with more, one that converged or failed would not have gone on.
func (g *group) iterations(all bool) int64 {
	least := int64(-1)
	for _, r := range g.all {
		n, err := strconv.ParseInt(record.ParseExtent(r.Extent).Budget, 10, 64)
		counts := all && started(r) || finished(r) && strings.HasPrefix(r.Reason, "budget of ")
		if err == nil && counts && (least < 0 || n < least) {
			least = n
		}
	}
	return least
}

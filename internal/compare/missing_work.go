package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// findMissingCells sets, for each cell of only one side, what the other side lacks. It names the largest missing part:
// the experiment, the data set, the series, the series on the data set, or the cell.
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
			name := names[slices.IndexFunc(names, lacks)] // has lacks at least the last name
			name = strings.Replace(name, "()", "", 1)     // without parameters
			if side == 1 {
				c.Missing = []string{name + " is missing"}
			} else {
				r.Warnings = words.AddOnce(r.Warnings, name+" is only in the candidate")
			}
		}
	}
}

// missing lists the baseline's work on a cell that the candidate lacks, given the numbers of repeats.
func missing(base, cand *group, repeatsB, repeatsC int) (texts []string) {
	compareCounts := func(n, of int, what string) {
		if 0 <= n && n < of {
			texts = append(texts, fmt.Sprintf("%d of %d %s", n, of, what))
		}
	}
	compareCounts(len(cand.grid), len(base.grid), "candidates of the grid")
	compareCounts(repeatsC, repeatsB, "repeats")
	// A larger budget would not change a run that converged or failed.
	usedBudget := func(r *record.Run) bool { return finished(r) && strings.HasPrefix(r.Reason, "budget of ") }
	compareCounts(leastBudget(cand.all, usedBudget), leastBudget(base.all, started), "iterations")
	return texts
}

// leastBudget returns the smallest budget of the runs that satisfy a condition, in iterations. It returns -1 if no
// budget is known.
func leastBudget(runs []*record.Run, condition func(*record.Run) bool) int {
	least := -1
	for _, r := range runs {
		n, err := strconv.Atoi(r.Budget())
		if err == nil && condition(r) && (least < 0 || n < least) {
			least = n
		}
	}
	return least
}

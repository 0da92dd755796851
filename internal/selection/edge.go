package selection

import (
	"math"
	"slices"
	"strconv"

	"stochopt/internal/record"
)

// edge tells whether the chosen value of a tuned number is the first or the last
// of more than one.
func (c *Series) edge(name string) (end string, value any) {
	chosen, ok := record.Number(c.Chosen[name])
	grid := c.grid(name)
	switch {
	case !ok || len(grid) < 2:
		return "", nil
	case chosen == grid[0]:
		return "low", c.Chosen[name]
	case chosen == grid[len(grid)-1]:
		return "high", c.Chosen[name]
	}
	return "", nil
}

// grid returns the values of a tuned number in ascending order.
func (c *Series) grid(name string) (grid []float64) {
	for _, cand := range c.Candidates {
		if v, ok := record.Number(cand.Params[name]); ok {
			grid = append(grid, v)
		}
	}
	slices.Sort(grid)
	return slices.Compact(grid)
}

// beyond returns two values that continue a grid beyond an end: in geometric progression
// or, if values there are equidistant or not positive, or a whole number would become a
// fraction, in arithmetic progression.
func (c *Series) beyond(name, end string) (near, far string) {
	grid := c.grid(name)
	linear := grid[0] <= 0
	if end == "low" {
		slices.Reverse(grid)
	}
	n := len(grid)
	before, last := grid[n-2], grid[n-1]
	ratio, step := last/before, last-before
	next := []float64{last * ratio, last * ratio * ratio}
	_, integer := c.Chosen[name].(int64)
	if linear || n > 2 && step == before-grid[n-3] || integer && next[1] != math.Trunc(next[1]) {
		next = []float64{last + step, last + 2*step}
	}
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }
	return text(next[0]), text(next[1])
}

package selection

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// mostListed is the number of names that a warning lists.
const mostListed = 5

// Warnings returns the warnings of all series, each with a short name of its series.
func (s *Choice) Warnings() []string {
	var out []string
	for i := range s.Series {
		c := &s.Series[i]
		for _, w := range c.Warnings {
			out = append(out, s.shortName(c)+": "+w)
		}
	}
	return out
}

// shortName returns the name of a series with k and the parameters in which it differs from another
// series of that name and dataset.
func (s *Choice) shortName(c *Series) string {
	short := record.Params{}
	for name, v := range c.Params {
		differs := func(o Series) bool { return o.Dataset == c.Dataset && o.Name == c.Name && o.Params[name] != v }
		if name == "k" || slices.ContainsFunc(s.Series, differs) {
			short[name] = v
		}
	}
	if len(short) == 0 {
		return c.Dataset + " " + c.Name
	}
	return fmt.Sprintf("%s %s[%s]", c.Dataset, c.Name, short)
}

func (c *Series) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// warnOfDuplicates warns about each series from which another one differs only in the seed or the data.
func (s *Choice) warnOfDuplicates() {
	for i := range s.Series {
		c := &s.Series[i]
		duplicate := func(o Series) bool {
			return o.Dataset == c.Dataset && o.Name == c.Name && o.Algorithm == c.Algorithm &&
				(o.Seed != c.Seed || o.DatasetHash != c.DatasetHash) && o.Params.String() == c.Params.String()
		}
		if slices.ContainsFunc(s.Series, duplicate) {
			c.warn("other runs differ only in the seed or the data: they belong to different experiments, " +
				"and parameters are selected for each; give each its own --out")
		}
	}
}

// warnOfCandidates warns about candidates with unfinished repeats, and about candidates with fewer repeats than others.
// The warning of the former contains the consequence.
func (c *Series) warnOfCandidates(consequence string) {
	most := 0
	for _, cand := range c.Candidates {
		most = max(most, cand.Finished)
	}
	for _, cand := range c.Candidates {
		switch {
		case len(cand.Problems) > 0:
			c.warn("%s%s: %s", cand.name(), consequence, words.List(cand.Problems, mostListed))
		case cand.Finished < most:
			c.warn("%s has %d finished repeats, others have %d", cand.name(), cand.Finished, most)
		}
	}
}

// warnOfSizes warns about problems with the selection at each support size.
func (s *Choice) warnOfSizes(c *Series) {
	c.warnOfCandidates("")
	if len(c.Sizes) == 0 {
		c.warn("no run has a classifier with support vectors")
		return
	}
	var chosen []record.Params
	for _, votes := range c.Votes {
		chosen = append(chosen, votes[0].Params)
	}
	for _, name := range s.Tune {
		if !c.setsSize(name) {
			c.warnOfEdge(name, chosen, edgeValues, edgeSizes)
		}
	}
}

// warnOfSizes warns about a grid of at least edgeValues values whose choice is at one end for at least edgeSizes sizes
// and for half of all sizes. With two values, each is an end. The smallest and largest sizes often have only one
// candidate.
const (
	edgeValues = 3
	edgeSizes  = 10
)

// setsSize reports whether a tuned parameter determines the support size: either each run has a single support, or the
// value is an upper bound that some run reaches. The choice then follows from the size.
func (c *Series) setsSize(name string) bool {
	single, bounded, reached := true, true, false
	for _, own := range c.classifiers {
		supports := make(map[*record.Run]int)
		for _, o := range own {
			first, known := supports[o.Run]
			single = single && (!known || o.Support == first)
			supports[o.Run] = o.Support
			bound, ok := c.Candidates[o.candidate].Params[name].(int64)
			bounded = bounded && ok && int64(o.Support) <= bound
			reached = reached || ok && int64(o.Support) == bound
		}
	}
	return single || bounded && reached
}

// warnOfEdge warns if at least leastChoices choices of a parameter, and half of all, are at one end of its grid: the
// best value may lie outside the grid. It ignores grids of fewer than leastValues numbers.
func (c *Series) warnOfEdge(name string, chosen []record.Params, leastValues, leastChoices int) {
	var grid []float64
	for _, cand := range c.Candidates {
		if v, ok := record.Number(cand.Params[name]); ok {
			grid = append(grid, v)
		}
	}
	slices.Sort(grid)
	if grid = slices.Compact(grid); len(grid) < leastValues {
		return
	}
	for i, end := range []string{"low", "high"} {
		last, n := grid[i*(len(grid)-1)], 0
		for _, p := range chosen {
			if v, ok := record.Number(p[name]); ok && v == last {
				n++
			}
		}
		if n >= leastChoices && 2*n >= len(chosen) {
			c.Edge = cmp.Or(c.Edge, end)
			c.warn("%s = %s is at the %s end of its grid: widen it", name, record.FormatParam(last), end)
		}
	}
}

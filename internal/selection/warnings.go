package selection

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/words"
)

// mostListed is how many names a warning lists.
const mostListed = 5

// Warnings returns the warnings of all series, each under a short name of the series; with
// choices at each support size also a line of each series and parameter whose choices are at
// an end of the grid, and one of each dataset whose test rows are of one class.
func (s *Choice) Warnings() []string {
	var out []string
	for i := range s.Series {
		c := &s.Series[i]
		for _, w := range c.Warnings {
			out = append(out, s.shortName(c)+": "+w)
		}
	}
	if s.BySize() {
		out = slices.Concat(out, s.warningsOfEdges(), s.warningsOfOneClass())
	}
	return out
}

// shortName names a series. Where it has one choice, that is with k and the parameters in which it
// differs from another of its name.
func (s *Choice) shortName(c *Series) string {
	if s.BySize() {
		return c.Dataset + " " + c.Name
	}
	short := record.Params{}
	for name, v := range c.Params {
		differs := func(o Series) bool { return o.Name == c.Name && o.Params[name] != v }
		if name == "k" || slices.ContainsFunc(s.Series, differs) {
			short[name] = v
		}
	}
	return fmt.Sprintf("%s %s[%s]", c.Dataset, c.Name, short)
}

func (s *Choice) warningsOfOneClass() []string {
	var out []string
	for _, r := range s.all {
		if v, ok := r.Facts[record.FactConstantError]; ok && v == 0 {
			out = append(out, r.Dataset+": all test rows are of one class: the errors, and the choices made by them, say nothing about the other class")
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// warnOfTwins warns of series that only the seed or the data keep apart.
func (s *Choice) warnOfTwins() {
	type twins struct{ seeds, hashes []string }
	all := map[seriesID]*twins{}
	of := func(c *Series) *twins {
		id := seriesID{dataset: c.Dataset, series: c.Name, algorithm: c.Algorithm, params: c.Params.String()}
		if all[id] == nil {
			all[id] = &twins{}
		}
		return all[id]
	}
	for i := range s.Series {
		c := &s.Series[i]
		t := of(c)
		t.seeds, t.hashes = words.AddOnce(t.seeds, fmt.Sprint(c.Seed)), words.AddOnce(t.hashes, c.DatasetHash)
	}
	for i := range s.Series {
		t := of(&s.Series[i])
		var what []string
		if len(t.seeds) > 1 {
			what = append(what, "the seed ("+words.List(t.seeds, mostListed)+")")
		}
		if len(t.hashes) > 1 {
			what = append(what, "the data (hashes "+words.List(t.hashes, mostListed)+")")
		}
		if len(what) > 0 {
			s.Series[i].warn("there are other runs that differ only in %s: they are of different experiments, "+
				"and parameters are selected for each; give each its own --out", strings.Join(what, " and "))
		}
	}
}

func (s *Choice) warnOfSizes(c *Series) {
	for _, status := range record.Unfinished() {
		var lost []string
		reached := 0
		for _, cand := range c.Candidates {
			for _, i := range cand.runs {
				if r := &s.all[i]; r.Status == status {
					lost = append(lost, fmt.Sprintf("%s repeat %d: %s", cand.name(), r.Repeat, r.Reason))
					reached += min(r.Points(), 1)
				}
			}
		}
		text := words.List(lost, mostListed)
		switch {
		case status != record.StatusOutOfTime || reached == 0:
		case reached == 1:
			text += "; the curve of one is used up to that point"
		default:
			text += "; their curves are used up to that point"
		}
		if len(lost) > 0 {
			c.warn("status %s: %s", status, text)
		}
	}
	if len(c.Sizes) == 0 {
		c.warn("no run has a classifier with support vectors")
		return
	}
	runs, most := make([]int, len(c.Repeats)), 0
	for i, own := range c.classifiers {
		var known []*record.Run
		for _, o := range own {
			known = words.AddOnce(known, o.Run)
		}
		runs[i], most = len(known), max(most, len(known))
	}
	for i, repeat := range c.Repeats {
		if runs[i] < most {
			c.warn("repeat %d chooses among %d candidates, others among %d", repeat, runs[i], most)
		}
	}
	var chosen []record.Params
	for _, votes := range c.Votes {
		chosen = append(chosen, votes[0].Params)
	}
	for _, name := range s.Tune {
		if !c.setsSize(name) {
			c.addEdges(name, chosen, edgeValues, edgeSizes)
		}
	}
}

// A grid may be too narrow if it has at least edgeValues values and the choice is at
// one end of it for at least edgeSizes sizes and one half of all: of two values
// each is an end, and for the least and the largest sizes there is often but one
// candidate.
const (
	edgeValues = 3
	edgeSizes  = 10
)

// setsSize reports whether a tuned parameter says how large the support is, so
// that its choice follows from the size: no run has classifiers of several
// supports, or the value bounds the support and is reached.
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

// Edge is a tuned parameter whose choice is the value at an end of its grid, so that the best
// value may lie outside.
type Edge struct {
	Param string
	Value any
	// End is "low" or "high".
	End string
}

// String says it in short.
func (e Edge) String() string {
	return fmt.Sprintf("%s = %s is at an end of its grid", e.Param, record.FormatParam(e.Value))
}

// addEdges adds the ends of the grid of a tuned number, which has at least so many values, where
// at least so many choices and half of all are.
func (c *Series) addEdges(name string, chosen []record.Params, leastValues, leastChoices int) {
	grid := c.grid(name)
	if len(grid) < leastValues {
		return
	}
	for i, end := range []string{"low", "high"} {
		var at []any
		for _, p := range chosen {
			if v, ok := record.Number(p[name]); ok && v == grid[i*(len(grid)-1)] {
				at = append(at, p[name])
			}
		}
		if n := len(at); n >= leastChoices && 2*n >= len(chosen) {
			c.Edges = append(c.Edges, Edge{name, at[0], end})
		}
	}
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
func (c *Series) beyond(e Edge) (near, far string) {
	grid := c.grid(e.Param)
	linear := grid[0] <= 0
	if e.End == "low" {
		slices.Reverse(grid)
	}
	n := len(grid)
	before, last := grid[n-2], grid[n-1]
	ratio, step := last/before, last-before
	next := []float64{last * ratio, last * ratio * ratio}
	_, integer := e.Value.(int64)
	if linear || n > 2 && step == before-grid[n-3] || integer && next[1] != math.Trunc(next[1]) {
		next = []float64{last + step, last + 2*step}
	}
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }
	return text(next[0]), text(next[1])
}

// warningsOfEdges words the edges of all series, a line a series and parameter.
func (s *Choice) warningsOfEdges() []string {
	type grid struct{ series, param string }
	type place struct {
		grid
		dataset string
	}
	var grids []grid
	datasets, values := map[grid][]string{}, map[place][]string{}
	for i := range s.Series {
		c := &s.Series[i]
		for _, e := range c.Edges {
			g := grid{c.Name, e.Param}
			at := place{g, c.Dataset}
			grids = words.AddOnce(grids, g)
			datasets[g] = words.AddOnce(datasets[g], c.Dataset)
			values[at] = words.AddOnce(values[at], record.FormatParam(e.Value))
		}
	}
	lines := make([]string, len(grids))
	for i, g := range grids {
		var where []string
		for _, d := range datasets[g] {
			where = append(where, fmt.Sprintf("%s (%s)", d, strings.Join(values[place{g, d}], ", ")))
		}
		lines[i] = fmt.Sprintf("%s: %s is at a grid edge for most support sizes on %s: widen the grid", g.series, g.param, strings.Join(where, ", "))
	}
	return lines
}

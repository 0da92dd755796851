package compare

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// cell is a Cell in the making.
type cell struct {
	Cell
	sides  [2]Side
	groups [2]*group
	// tradeoffs are those of both sides, if the cell is compared by them.
	tradeoffs [2]*selection.Series
	// equal says which completed runs of the baseline the candidate has too, equal bit for bit.
	equal     map[ref]bool
	pool      *stats.Pool
	questions []question

	// read reads the curve at a place of the pool, survey holds what is kept of it: the curves of a
	// cell may be more than memory holds. Their floor and the range of their costs, from lo to hi, are
	// those of all candidates of both sides, whatever is chosen. lines says to interpolate along
	// lines for want of common recorded costs.
	read          func(place int) (observe.Curve, error)
	survey        []surveyed
	lo, hi, floor float64
	lines         bool
}

// observe takes the measures of a cell, or settles its verdict where none are needed or to be had.
func (c *cell) observe(o Options) error {
	for side, lacking := range []string{OnlyCandidate, OnlyBaseline} {
		if c.groups[side] == nil {
			c.settle(Incomparable, lacking)
			return c.countAlone(c.groups[1-side])
		}
	}
	if note := gridNote(c.groups[0], c.groups[1]); note != "" {
		c.Notes = append(c.Notes, note)
	}
	if c.tradeoffs[0] != nil {
		return c.observeTradeoffs(o)
	}
	rows, paired, pairNotes := pairUp(c.groups[0], c.groups[1])
	t, err := newTable(c.groups, rows, paired)
	if err != nil {
		return err
	}
	c.pool = &t.Pool
	if err := c.choose(t, o.Alpha); err != nil {
		return err
	}
	c.Changed = changes(c.groups[0], c.groups[1])
	c.Baseline, c.Candidate = len(c.groups[0].runs), len(c.groups[1].runs)
	if paired {
		c.Pairs = len(rows[0])
	}
	if c.lacksRuns() || c.otherProblem() {
		return nil
	}
	reason := c.chooseAxes(o)
	if text := observe.DeclaredNote(c.all(), c.Cost); text != "" {
		c.Notes = append(c.Notes, text)
	}
	if c.identical() {
		c.settle(Identical, "")
		if c.Pairs > 0 {
			c.Notes = append(c.Notes, pairNotes...)
		}
		c.Notes = append(c.Notes, unfinished(c.Base, sideNames[0])...)
		return nil
	}
	if reason != "" {
		c.settle(Incomparable, reason)
		return nil
	}
	c.Notes = append(c.Notes, pairNotes...)
	if reason := c.alike(); reason != "" {
		c.settle(Equivalent, reason)
		return nil
	}
	c.Notes = slices.Concat(c.Notes, unfinished(c.Base, sideNames[0]), unfinished(c.Cand, sideNames[1]))
	if c.noneFinished() {
		return nil
	}
	c.floor = o.Floor
	c.read = func(place int) (observe.Curve, error) {
		if t.runs[place] == nil {
			return observe.Curve{}, nil
		}
		return c.readCurve(t.runs[place])
	}
	notes := c.recordings(t)
	covered, reason, err := c.look()
	if err != nil || reason != "" {
		c.settle(Incomparable, reason)
		return err
	}
	raised, err := c.ask(o)
	if err != nil {
		return err
	}
	c.Notes = slices.Concat(c.Notes, raised, notes, covered)
	if c.drawn() && !c.sameSeeds() {
		c.Notes = append(c.Notes, otherRows)
	}
	if c.exact() {
		c.Notes = append(c.Notes, withoutRandomness)
	}
	return nil
}

// recordings sets lines, and says why, if the sides record at different costs.
func (c *cell) recordings(t *table) (notes []string) {
	var texts [2][]string
	for place, r := range t.runs {
		side := 0
		if place >= t.Rows[0]*t.Candidates {
			side = 1
		}
		if r != nil {
			texts[side] = words.AddOnce(texts[side], record.ParseExtent(r.Extent).Recorded())
		}
	}
	b, k := unique(texts[0]), unique(texts[1])
	if c.lines = !slices.Equal(b, k); c.lines {
		notes = append(notes, fmt.Sprintf("the sides record at different costs (%s / %s), so curves are interpolated linearly in the logarithms; steps would favour one side", words.List(b, mostListed), words.List(k, mostListed)))
	}
	return notes
}

// countAlone counts the runs of a cell that one side lacks.
func (c *cell) countAlone(g *group) error {
	if g.by.Chooses() {
		if _, err := g.takeAll(); err != nil {
			return err
		}
	}
	if c.groups[0] == nil {
		c.Candidate = len(g.runs)
	} else {
		c.Baseline = len(g.runs)
	}
	return nil
}

// tests counts the measures of a cell that there are tests of.
func (c *cell) tests() int {
	n := 0
	for _, q := range c.questions {
		tested := c.repeats() > 1 || c.Halvings > 0 && c.deterministic()
		if q.empty == "" && tested {
			n++
		}
	}
	return n
}

// test estimates all measures of a cell; so many tests are made in all. One that is too small to
// say anything has no estimate.
func (c *cell) test(o Options, tests int) {
	var asked []*question
	var values [][]float64
	var streams []string
	for i := range c.questions {
		if q := &c.questions[i]; q.empty == "" {
			asked, values, streams = append(asked, q), append(values, q.values), append(streams, q.stream)
		}
	}
	if c.repeats() > 1 {
		settings := stats.Settings{Alpha: o.Alpha, Tests: tests, Seed: o.Seed, Stream: c.id(), Resamples: o.resamples}
		for i, e := range c.pool.Estimate(values, streams, settings) {
			asked[i].estimate = e
		}
		if c.pool.Chooses() && c.pool.Approximate {
			c.Notes = append(c.Notes, approximately(settings.ApproximateLevel()))
		}
		return
	}
	for _, q := range asked {
		base, cand := c.pool.Taken(q.values)
		switch {
		case c.Halvings > 0:
			q.estimate = stats.OverHalvings(base, cand, o.Alpha)
			if e := q.estimate; e != nil && !c.deterministic() {
				e.Idle, e.Least = true, 1
			}
		case c.exact():
			q.estimate = stats.Exactly(base[0], cand[0])
		}
	}
}

// exact reports whether one run a side into which no randomness enters is compared with
// the other. Halvings may be others on the two sides even then.
func (c *cell) exact() bool {
	return c.Cost != TradeoffCost && c.repeats() < 2 && c.deterministic()
}

// repeats is the number of repeats that a verdict rests on.
func (c *cell) repeats() int {
	switch {
	case c.pool == nil:
		return 0
	case c.Halvings > 0:
		return 1
	}
	return c.pool.Repeats()
}

func (c *cell) all() []*record.Run { return slices.Concat(c.groups[0].all, c.groups[1].all) }

// id names a cell, and its random streams.
func (c *cell) id() string {
	return strings.Join([]string{c.Experiment, c.Dataset, c.Series, c.Params}, " ")
}

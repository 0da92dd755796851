package compare

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// cell is a Cell in the making.
type cell struct {
	Cell
	sides  [2]Side
	groups [2]*group
	// equal says which completed runs of the baseline the candidate has too, equal bit for bit.
	equal     map[ref]bool
	pool      *stats.Pool
	questions []question
	// charged are the measures of the costs at equal iterations.
	charges *charges
	charged []question
	// timed is the measure of the CPU seconds, nil unless it is asked for.
	timed *question

	// curves reads the curve at each place of the pool that has one and calls do with it, from several
	// goroutines: the curves of a cell may be more than memory holds.
	curves func(do func(place int, c observe.Curve))
	span   span
}

// observe takes the measures of a cell, or decides its verdict where none are needed or available.
func (c *cell) observe(o Options) error {
	base, cand := c.groups[0], c.groups[1]
	switch {
	case base == nil:
		c.setVerdict(Incomparable, onlyIn+sideNames[1])
		c.Candidate = len(cand.all) / len(cand.grid)
		return nil
	case cand == nil:
		c.setVerdict(Incomparable, onlyIn+sideNames[0])
		c.Baseline = len(base.all) / len(base.grid)
		return nil
	}
	c.Missing = missing(base, cand)
	c.note(gridNote(base, cand))
	if base.tradeoff != nil {
		c.observeTradeoffs(o)
		return nil
	}
	rows, apart, details := pairUp(base, cand)
	t, err := newTable(c.groups, rows, apart == "")
	if err != nil {
		return err
	}
	c.pool = &t.Pool
	c.choose(t)
	c.Changed = changes(base, cand)
	c.Baseline, c.Candidate = len(base.runs), len(cand.runs)
	if t.Paired {
		c.Pairs = len(rows[0])
	}
	if c.lacksRuns() || c.otherProblem() {
		return nil
	}
	reason := c.chooseAxes(o)
	c.note(observe.DeclaredNote(c.all(), c.Cost))
	c.note(apart)
	c.Details = details
	c.unfinished(0, c.Base, "count as worst", started)
	switch {
	case c.identical():
		c.setVerdict(Identical, "")
		c.askTime(o, t.runs)
		return nil
	case reason != "":
		c.setVerdict(Incomparable, reason)
		return nil
	}
	if reason := c.alike(); reason != "" {
		c.setVerdict(Equivalent, reason)
		c.askTime(o, t.runs)
		return nil
	}
	c.unfinished(1, c.Cand, "count as worst", started)
	if !slices.ContainsFunc(slices.Concat(c.Base, c.Cand), finished) {
		c.setVerdict(Incomparable, "no run finished on either side")
		return nil
	}
	for _, g := range c.groups {
		if text := g.by.Criterion(c.Metric, c.Split); text != "" && len(g.grid) > 1 {
			c.Notes = words.AddOnce(c.Notes, text)
		}
	}
	c.curves = c.curvesOf(t.runs)
	if c.measure(o); c.Verdict == "" {
		c.askTime(o, t.runs)
	}
	return nil
}

func (c *cell) note(texts ...string) {
	c.Notes = append(c.Notes, slices.DeleteFunc(texts, func(text string) bool { return text == "" })...)
}

// setVerdict gives a cell a verdict that needs no measures.
func (c *cell) setVerdict(verdict, reason string) { c.Verdict, c.Reason = verdict, reason }

func finished(r *record.Run) bool { return r.Status == record.StatusFinished }

func started(r *record.Run) bool { return r.Status != record.StatusSkipped }

// choose finds what each side chooses, over the repeats that are compared, and makes its runs those to compare.
func (c *cell) choose(t *table) {
	c.Base, c.Cand = t.chosen(0), t.chosen(1)
	for side, g := range c.groups {
		if g.by.Chooses() {
			g.take(t.chosen(side))
		}
	}
	if choice := t.Choice(); t.HasChoice() && choice[0] >= 0 && choice[1] >= 0 {
		c.Choice = &Choice{Baseline: t.columns[choice[0]], Candidate: t.columns[choice[1]], Approximate: t.Approximate}
	}
}

// asked returns the questions that have something to test.
func (c *cell) asked() (asked []*question) {
	for i := range c.questions {
		if q := &c.questions[i]; q.empty == "" {
			asked = append(asked, q)
		}
	}
	if c.timed != nil && c.timed.empty == "" {
		asked = append(asked, c.timed)
	}
	return asked
}

// tests counts the measures of a cell that are tested.
func (c *cell) tests() int {
	if c.repeats() > 1 {
		return len(c.asked())
	}
	return 0
}

// test estimates all measures of a cell; tests is the number of tests of all cells. A cell that is
// too small to say anything has no estimates.
func (c *cell) test(o Options, tests int) {
	asked := c.asked()
	var values [][]float64
	for _, q := range asked {
		values = append(values, q.values)
	}
	settings := o.settings()
	settings.Tests, settings.Stream = tests, c.id()
	if c.repeats() > 1 {
		for i, e := range c.pool.Estimate(values, settings) {
			asked[i].estimate = e
		}
		if c.pool.HasChoice() && c.pool.Approximate {
			c.note(fmt.Sprintf("the sides choose among different candidates, or in different ways: there is no exact test, and approximate confidence intervals at %s%% decide",
				words.Digits(100*settings.ApproximateLevel(), 4)))
		}
		return
	}
	for _, q := range asked {
		if base, cand := c.pool.Selected(q.values); c.exact() && q.Kind != CPUSeconds {
			q.estimate = stats.ExactEstimate(base[0], cand[0])
		}
	}
}

// exact reports whether one run a side into which no randomness enters is compared with
// the other. Sides with different seeds have different halvings even then.
func (c *cell) exact() bool {
	return c.repeats() < 2 && c.deterministic() && (c.Cost != TradeoffCost || c.Pairs > 0)
}

// repeats is the number of repeats that a verdict rests on.
func (c *cell) repeats() int {
	if c.pool == nil {
		return 0
	}
	return c.pool.Repeats()
}

// deterministic reports whether no randomness enters the runs of either side.
func (c *cell) deterministic() bool {
	for i, s := range c.sides {
		if s.Deterministic == nil || !s.Deterministic(c.groups[i].dataset, c.groups[i].series) {
			return false
		}
	}
	return true
}

// otherRows reports whether the sides have rows that different seeds have drawn.
func (c *cell) otherRows() bool {
	drawn := slices.ContainsFunc(c.sides[:], func(s Side) bool { return s.Drawn != nil && s.Drawn(c.Dataset) })
	return drawn && len(distinct(c.all(), seedOf)) > 1
}

func seedOf(r *record.Run) string { return fmt.Sprint(r.Seed) }

func (c *cell) all() []*record.Run { return slices.Concat(c.groups[0].all, c.groups[1].all) }

// id names a cell, and its random streams.
func (c *cell) id() string {
	return strings.Join([]string{c.Experiment, c.Dataset, c.Series, c.Params}, " ")
}

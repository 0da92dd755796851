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

// cell is the state of the comparison of a Cell.
type cell struct {
	Cell
	sides  [2]Side
	groups [2]*group
	// equal has the completed runs of the baseline, and whether the candidate has the same run with equal bits.
	equal      map[ref]bool
	pool       *stats.Pool
	quantities []quantity
	// charges has the counters at equal iterations, charged their measures.
	charges *charges
	charged []quantity
	// cpuTime is the measure of CPU seconds, nil unless Options.Time is set.
	cpuTime *quantity

	// curves calls do concurrently with the curve at each place of the pool that has a run. It reads the
	// curves on each call, because those of a cell may not fit in memory.
	curves func(do func(place int, c observe.Curve))
	span   span
}

// observe reads the measures of a cell, or sets its verdict if no measures are needed or available.
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
	rows, unpaired, details := pairRepeats(base, cand)
	p, err := newRunPool(c.groups, rows, unpaired == "")
	if err != nil {
		return err
	}
	c.pool = &p.Pool
	c.choose(p)
	c.Changed = changes(base, cand)
	c.Baseline, c.Candidate = len(base.runs), len(cand.runs)
	if p.Paired {
		c.Pairs = len(rows[0])
	}
	if c.decideWithoutRuns() || c.decideOtherProblem() {
		return nil
	}
	reason := c.chooseCurves(o)
	c.note(observe.DeclaredNote(c.all(), c.Cost))
	c.note(unpaired)
	c.Details = details
	c.noteUnfinished(0, c.Base, "count as worst", started)
	switch {
	case c.identical():
		c.setVerdict(Identical, "")
		c.addCPUTime(o, p.runs)
		return nil
	case reason != "":
		c.setVerdict(Incomparable, reason)
		return nil
	}
	if reason := c.equalRuns(); reason != "" {
		c.setVerdict(Equivalent, reason)
		c.addCPUTime(o, p.runs)
		return nil
	}
	c.noteUnfinished(1, c.Cand, "count as worst", started)
	if !slices.ContainsFunc(slices.Concat(c.Base, c.Cand), finished) {
		c.setVerdict(Incomparable, "no run finished on either side")
		return nil
	}
	for _, g := range c.groups {
		if text := g.rule.Criterion(c.Metric, c.Split); text != "" && len(g.grid) > 1 {
			c.Notes = words.AddOnce(c.Notes, text)
		}
	}
	c.curves = c.curvesOf(p.runs)
	if c.measure(o); c.Verdict == "" {
		c.addCPUTime(o, p.runs)
	}
	return nil
}

func (c *cell) note(text string) {
	if text != "" {
		c.Notes = append(c.Notes, text)
	}
}

func (c *cell) setVerdict(verdict, reason string) { c.Verdict, c.Reason = verdict, reason }

func finished(r *record.Run) bool { return r.Status == record.StatusFinished }

func started(r *record.Run) bool { return r.Status != record.StatusSkipped }

// choose selects a candidate on each side over the compared repeats, and restricts the groups to its runs.
func (c *cell) choose(p *runPool) {
	c.Base, c.Cand = p.selected(0), p.selected(1)
	for side, g := range c.groups {
		if g.rule.Chooses() {
			g.restrictTo(p.selected(side))
		}
	}
	if choice := p.Choice(); p.HasChoice() && choice[0] >= 0 && choice[1] >= 0 {
		c.Choice = &Choice{Baseline: p.columns[choice[0]], Candidate: p.columns[choice[1]], Approximate: p.Approximate}
	}
}

// available returns the quantities that can be compared.
func (c *cell) available() (available []*quantity) {
	for i := range c.quantities {
		if q := &c.quantities[i]; q.unavailable == "" {
			available = append(available, q)
		}
	}
	if c.cpuTime != nil && c.cpuTime.unavailable == "" {
		available = append(available, c.cpuTime)
	}
	return available
}

// tests returns the number of tests of the cell.
func (c *cell) tests() int {
	if c.repeats() > 1 {
		return len(c.available())
	}
	return 0
}

// test estimates all measures of a cell. tests is the number of tests of all cells. A cell with one run on a
// side has no estimates, unless it is exact.
func (c *cell) test(o Options, tests int) {
	available := c.available()
	var values [][]float64
	for _, q := range available {
		values = append(values, q.values)
	}
	settings := o.settings()
	settings.Tests, settings.Stream = tests, c.id()
	if c.repeats() > 1 {
		for i, e := range c.pool.Estimate(values, settings) {
			available[i].estimate = e
		}
		if c.pool.HasChoice() && c.pool.Approximate {
			c.note(fmt.Sprintf("the sides select among different candidates or by different rules, so there is no "+
				"exact test: approximate confidence intervals at %s%% decide", words.Digits(100*settings.ApproximateLevel(), 4)))
		}
		return
	}
	for _, q := range available {
		if base, cand := c.pool.Selected(q.values); c.exact() && q.Kind != CPUSeconds {
			q.estimate = stats.ExactEstimate(base[0], cand[0])
		}
	}
}

// exact reports whether the cell has one deterministic run on each side. Trade-offs must also have the same
// halvings, that is, the same seed.
func (c *cell) exact() bool {
	return c.repeats() < 2 && c.deterministic() && (c.Cost != record.CostSupportSize || c.Pairs > 0)
}

// repeats returns the number of repeats of the smaller side, 0 if nothing was measured.
func (c *cell) repeats() int {
	if c.pool == nil {
		return 0
	}
	return c.pool.Repeats()
}

// deterministic reports whether the runs of both sides are deterministic.
func (c *cell) deterministic() bool {
	for i, s := range c.sides {
		if s.Deterministic == nil || !s.Deterministic(c.groups[i].dataset, c.groups[i].series) {
			return false
		}
	}
	return true
}

// differentSubsets reports whether different seeds drew different rows of the data set.
func (c *cell) differentSubsets() bool {
	drawn := slices.ContainsFunc(c.sides[:], func(s Side) bool { return s.DrawsRows != nil && s.DrawsRows(c.Dataset) })
	return drawn && len(distinct(c.all(), seedOf)) > 1
}

func seedOf(r *record.Run) string { return fmt.Sprint(r.Seed) }

func (c *cell) all() []*record.Run { return slices.Concat(c.groups[0].all, c.groups[1].all) }

// id returns the name of the cell and of its random streams.
func (c *cell) id() string {
	return strings.Join([]string{c.Experiment, c.Dataset, c.Series, c.Params}, " ")
}

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

// cell is a Cell with the state of its comparison. A place is an index of a run, or of its value, in the tables
// of the pool.
type cell struct {
	Cell
	sides  [2]Side
	groups [2]*group
	// equal reports, for completed runs of the baseline, whether the candidate has the same run with equal bits.
	equal      map[ref]bool
	pool       *stats.Pool
	quantities []quantity
	// counters has the counters at equal iterations, and counted the quantities made from them.
	counters *counters
	counted  []quantity
	// cpuTime is the quantity of CPU seconds, nil unless Options.Time is set.
	cpuTime *quantity

	// eachCurve calls do with the curve at each place that has a run, concurrently. Each call of eachCurve reads
	// the curves again, because those of a cell may not fit in memory.
	eachCurve func(do func(place int, c observe.Curve))
	span      span
}

// prepare reads the quantities to test. If there is nothing to test, it sets the verdict instead.
func (c *cell) prepare(o Options) error {
	base, cand := c.groups[0], c.groups[1]
	switch {
	case base == nil:
		c.setOneSided(1)
		c.Candidate = len(cand.all) / len(cand.grid)
		return nil
	case cand == nil:
		c.setOneSided(0)
		c.Baseline = len(base.all) / len(base.grid)
		return nil
	}
	repeatsB, detailsB := base.repeats()
	repeatsC, detailsC := cand.repeats()
	c.Missing = missing(base, cand, len(repeatsB), len(repeatsC))
	c.note(gridNote(c.groups))
	if base.tradeoff != nil {
		c.prepareTradeoffs(o)
		return nil
	}
	rows, unpaired, detail := pairRepeats(c.groups, repeatsB, repeatsC)
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
	c.Details = slices.Concat(detailsB, detailsC)
	c.detail(detail)
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
	// The cases above have the same unfinished runs on both sides, or compare no runs.
	c.noteUnfinished(1, c.Cand, "count as worst", started)
	if !slices.ContainsFunc(slices.Concat(c.Base, c.Cand), finished) {
		c.setVerdict(Incomparable, "no run finished on either side")
		return nil
	}
	for _, g := range c.groups {
		text := g.rule.Criterion(c.Metric, c.Split)
		if text != "" && len(g.grid) > 1 {
			c.Notes = words.AddOnce(c.Notes, text)
		}
	}
	c.readCurvesOf(p.runs)
	c.measure(o)
	if c.Verdict == "" {
		c.addCPUTime(o, p.runs)
	}
	return nil
}

// note adds a note, unless it is "".
func (c *cell) note(text string) {
	if text != "" {
		c.Notes = append(c.Notes, text)
	}
}

// detail adds a detail, unless it is "".
func (c *cell) detail(text string) {
	if text != "" {
		c.Details = append(c.Details, text)
	}
}

func (c *cell) setVerdict(verdict, reason string) { c.Verdict, c.Reason = verdict, reason }

// setOneSided sets the verdict of a cell that only the given side has.
func (c *cell) setOneSided(side int) {
	c.OneSided = true
	c.setVerdict(Incomparable, "only in the "+sideNames[side])
}

func finished(r *record.Run) bool { return r.Status == record.StatusFinished }

func started(r *record.Run) bool { return r.Status != record.StatusSkipped }

// choose selects a candidate on each side over the compared repeats, and restricts the groups to its runs.
func (c *cell) choose(p *runPool) {
	c.Base, c.Cand = p.selected(0), p.selected(1)
	for side, runs := range [2][]*record.Run{c.Base, c.Cand} {
		if g := c.groups[side]; g.rule.Chooses() {
			g.restrictTo(runs)
		}
	}
	if choice := p.Choice(); p.HasChoice() && choice[0] >= 0 && choice[1] >= 0 {
		c.Choice = &Choice{Baseline: p.columns[choice[0]], Candidate: p.columns[choice[1]], Approximate: p.Approximate}
	}
}

// available returns the quantities that can be compared, without counters.
func (c *cell) available() (out []*quantity) {
	for i := range c.quantities {
		if q := &c.quantities[i]; q.unavailable == "" {
			out = append(out, q)
		}
	}
	if c.cpuTime != nil && c.cpuTime.unavailable == "" {
		out = append(out, c.cpuTime)
	}
	return out
}

// estimate sets the estimates of all available quantities, given the number of tests of all cells. A cell with
// one run on a side has no estimates, unless it is exact.
func (c *cell) estimate(o Options, tests int) {
	available := c.available()
	var values [][]float64
	for _, q := range available {
		values = append(values, q.values)
	}
	settings := o.settings()
	settings.Tests = tests
	settings.Stream = strings.Join([]string{c.Experiment, c.Dataset, c.Series, c.Params}, " ")
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
	if !c.exact() {
		return
	}
	for _, q := range available {
		if q.Kind != CPUSeconds { // times vary, also of deterministic runs
			base, cand := c.pool.Selected(q.values)
			q.estimate = stats.ExactEstimate(base[0], cand[0])
		}
	}
}

// exact reports whether the cell has one deterministic run on each side. Trade-offs must also have the same
// halvings, that is, the same seed.
func (c *cell) exact() bool {
	return c.repeats() < 2 && c.deterministic() && (c.Cost != record.CostSupportSize || c.Pairs > 0)
}

// repeats returns the number of repeats of the smaller side, or 0 if nothing was measured.
func (c *cell) repeats() int {
	if c.pool == nil {
		return 0
	}
	return c.pool.Repeats()
}

// deterministic reports whether the runs of both sides are deterministic.
func (c *cell) deterministic() bool {
	return !slices.ContainsFunc(c.sides[:], func(s Side) bool {
		return s.Deterministic == nil || !s.Deterministic(c.Dataset, c.Series)
	})
}

// differentSubsets reports whether different seeds drew different rows of the data set.
func (c *cell) differentSubsets() bool {
	drawn := slices.ContainsFunc(c.sides[:], func(s Side) bool { return s.DrawsRows != nil && s.DrawsRows(c.Dataset) })
	return drawn && len(distinct(c.all(), seedOf)) > 1
}

func seedOf(r *record.Run) string { return fmt.Sprint(r.Seed) }

// all returns the runs of both sides, with the whole grid.
func (c *cell) all() []*record.Run { return slices.Concat(c.groups[0].all, c.groups[1].all) }

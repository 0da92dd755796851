package compare

import (
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/selection"
)

// Compare compares the experiments of the candidate with those of the baseline
// that have the same name. The report depends neither on the order of runs nor on
// the units of metric and cost, and the same input gives the same report.
//
// It is an error if the options are out of range, or name a metric, a split or a
// cost that no run has; if an experiment is there twice on a side, or none is on
// both; if the sides have no cell in common; or if a value is not finite.
func Compare(base, cand []Side, o Options) (*Report, error) {
	w, err := measured(base, cand, o)
	if err != nil {
		return nil, err
	}
	w.decide()
	return w.report, nil
}

// measured takes all that Compare decides by.
func measured(base, cand []Side, o Options) (*work, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	w := &work{o: o, report: &Report{Options: o}}
	if err := w.matchSides(base, cand); err != nil {
		return nil, err
	}
	for i := range w.cells {
		if err := w.cells[i].measure(o); err != nil {
			return nil, err
		}
		w.cells[i].forget()
	}
	tests := 0
	for i := range w.cells {
		tests += w.cells[i].tests()
	}
	for i := range w.cells {
		w.cells[i].estimateAll(o, tests)
	}
	return w, nil
}

// work is a comparison on its way.
type work struct {
	o      Options
	report *Report
	cells  []comparison
}

// comparison is a Cell in the making.
type comparison struct {
	Cell
	match
	baseSide, candSide Side
	// baseSeries and candSeries have the trade-offs, if the cell is compared by them.
	baseSeries, candSeries *selection.Series
	equal                  equality
	set                    *curveSet
	measurements           []measurement
	estimates              []*estimate
}

// measure takes the measures of a cell, or settles its verdict where none are needed or to
// be had.
func (c *comparison) measure(o Options) error {
	switch {
	case c.cand == nil:
		c.settle(Incomparable, OnlyBaseline)
		return c.countAlone(c.base, &c.Baseline)
	case c.base == nil:
		c.settle(Incomparable, OnlyCandidate)
		return c.countAlone(c.cand, &c.Candidate)
	}
	if note := gridNote(c.base, c.cand); note != "" {
		c.Notes = append(c.Notes, note)
	}
	read := c.runCurves
	if c.baseSeries != nil {
		read = c.tradeoffCurves
	}
	s, err := read(o)
	if err != nil || s == nil {
		return err
	}
	c.set = s
	c.measurements = s.observe(o, c.id())
	return nil
}

// forget lets go of the curves of a cell, once its measures are taken.
func (c *comparison) forget() {
	if s := c.set; s != nil {
		s.curve, s.survey, s.runs = nil, nil, nil
	}
}

// countAlone counts the runs of a cell that one side lacks.
func (c *comparison) countAlone(g *group, runs *int) error {
	if g.by.Chooses() {
		if _, err := g.ownChoice(); err != nil {
			return err
		}
	}
	*runs = len(g.runs)
	return nil
}

// tests counts the measures of a cell that there are tests of.
func (c *comparison) tests() int {
	n := 0
	for _, m := range c.measurements {
		tested := c.repeats() > 1 || c.Halvings > 0 && c.deterministic()
		if c.Verdict == "" && m.empty == "" && tested {
			n++
		}
	}
	return n
}

// estimateAll estimates all measures of a cell; so many tests are made in all.
func (c *comparison) estimateAll(o Options, tests int) {
	if c.set != nil && c.set.chooses() && c.repeats() > 1 {
		c.estimates = c.set.estimateChosen(c.measurements, o, tests, c.id())
		if !c.set.alike {
			c.Notes = append(c.Notes, approximately(1-o.Alpha/float64(max(tests, 1))))
		}
		return
	}
	c.estimates = make([]*estimate, len(c.measurements))
	for i, m := range c.measurements {
		if m.empty == "" {
			c.estimates[i] = c.estimate(m.sample, o)
		}
	}
}

// estimate returns what a sample says, nil if it is too small to say anything.
func (c *comparison) estimate(s sample, o Options) *estimate {
	var e estimate
	switch {
	case c.Halvings > 0:
		var ok bool
		if e, ok = s.overHalvings(o.Alpha); !ok {
			return nil
		}
		if e.idle = !c.deterministic(); e.idle {
			e.least = 1
		}
	case c.repeats() > 1:
		e = s.estimate(o)
	case c.exact():
		e = s.exactly()
	default:
		return nil
	}
	return &e
}

// exact reports whether one run a side into which no randomness enters is compared with
// the other. Halvings may be others on the two sides even then.
func (c *comparison) exact() bool {
	return c.Cost != TradeoffCost && c.repeats() < 2 && c.deterministic()
}

// runCurves reads the curves of the runs of a cell. There are none where its verdict is
// settled.
func (c *comparison) runCurves(o Options) (*curveSet, error) {
	p := pairUp(c.base, c.cand)
	pool, err := newPool(c.base, c.cand, p)
	if err != nil {
		return nil, err
	}
	if err := c.choose(pool, o.Alpha); err != nil {
		return nil, err
	}
	c.Changed = changes(c.base, c.cand)
	c.Baseline, c.Candidate = len(c.base.runs), len(c.cand.runs)
	if p.paired {
		c.Pairs = len(p.base)
	}
	if c.lacksRuns() || c.otherProblem() {
		return nil, nil
	}
	l, reason := axesFor(o, c.baseSide, c.candSide, c.base.all, c.cand.all)
	c.Metric, c.Split, c.Cost = l.metric, l.split, l.cost
	if d, ok := observe.DeclaredIn(observe.EachRun(c.base.all, c.cand.all), c.Cost); ok {
		c.Notes = append(c.Notes, d.String())
	}
	if c.identical() {
		c.settle(Identical, "")
		if c.Pairs > 0 {
			c.Notes = append(c.Notes, p.notes...)
		}
		c.Notes = append(c.Notes, unfinished(c.Base, "baseline")...)
		return nil, nil
	}
	if reason != "" {
		c.settle(Incomparable, reason)
		return nil, nil
	}
	if reason := c.alike(); reason != "" {
		c.settle(Equivalent, reason)
		c.Notes = append(c.Notes, p.notes...)
		return nil, nil
	}
	c.Notes = slices.Concat(c.Notes, p.notes, unfinished(c.Base, "baseline"), unfinished(c.Cand, "candidate"))
	if c.noneFinished() {
		return nil, nil
	}
	s, reason, err := newCurveSet(pool, l, o)
	if err != nil {
		return nil, err
	}
	if reason != "" {
		c.settle(Incomparable, reason)
		return nil, nil
	}
	c.Notes = append(c.Notes, s.notes...)
	if c.drawn() && !c.sameSeeds() {
		c.Notes = append(c.Notes, otherRows)
	}
	if c.exact() {
		c.Notes = append(c.Notes, withoutRandomness)
	}
	return s, nil
}

// id names a cell, and its random streams.
func (c *comparison) id() string {
	return strings.Join([]string{c.Experiment, c.Dataset, c.Series, c.Params}, " ")
}

// decide corrects the p-values for their number, decides all verdicts and reports them.
func (w *work) decide() {
	open, approximate, all := 0, 0, 0
	for i := range w.cells {
		c := &w.cells[i]
		untested := func(j int) bool {
			return c.measurements[j].empty != "" || c.estimates[j] != nil && c.estimates[j].exact
		}
		for j := range c.measurements {
			if c.Verdict == "" && !untested(j) {
				open++
				break
			}
		}
		for _, e := range c.estimates {
			if c.Verdict == "" && e != nil && e.approximate {
				approximate++
			}
		}
		all += c.tests()
	}
	// Each interval that decides has its share of alpha; the tests have the rest.
	share := 1.0
	if approximate > 0 {
		share = float64(all-approximate) / float64(all)
	}
	f := newFamily(w.cells, w.o.Alpha*share)
	adjusted := f.adjusted(func(t test) float64 { return w.cells[t.cell].estimates[t.measure].p }, share)
	for i := range w.cells {
		c := &w.cells[i]
		if c.Verdict != "" {
			continue
		}
		for j, m := range c.measurements {
			e := c.estimates[j]
			switch {
			case m.empty != "":
				m.Verdict = Incomparable
				m.Notes = append(m.Notes, m.empty)
			case e == nil:
				m.Verdict = Inconclusive
			default:
				m.Measure.decide(*e, w.o, adjusted[test{i, j}])
				if m.Verdict == Inconclusive && e.idle && !e.halvings {
					m.Notes = append(m.Notes, tooFewChosen)
				}
			}
			c.Measures = append(c.Measures, m.Measure)
		}
		c.Cell.decide()
		if c.Verdict == Inconclusive {
			c.Reason = c.lacks(leastRepeats(c.Pairs > 0, w.o.Alpha, open))
		}
	}
	w.report.Tests = len(adjusted) + approximate
	if text := f.warning(); text != "" {
		w.report.Warnings = append(w.report.Warnings, text)
	}
	for _, c := range w.cells {
		w.report.Cells = append(w.report.Cells, c.Cell)
	}
}

package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// Compare compares the experiments of the candidate with those of the baseline
// that have the same name. The report depends neither on the order of runs nor on
// the units of metric and cost, and the same input gives the same report.
//
// It is an error if the options are out of range, if the sides have no cell in common, or if a value
// is not finite.
func Compare(base, cand []Side, o Options) (*Report, error) {
	w, err := estimated(base, cand, o)
	if err != nil {
		return nil, err
	}
	w.decide()
	return &w.Report, nil
}

// work is a report in the making.
type work struct {
	Report
	cells []cell
}

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

// estimated does all that Compare does but to decide.
func estimated(base, cand []Side, o Options) (*work, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	w := &work{Report: Report{Options: o}}
	if err := w.match(base, cand); err != nil {
		return nil, err
	}
	tests := 0
	for i := range w.cells {
		c := &w.cells[i]
		if err := c.observe(o); err != nil {
			return nil, err
		}
		c.read, c.survey = nil, nil
		tests += c.tests()
	}
	for i := range w.cells {
		if c := &w.cells[i]; c.Verdict == "" {
			c.test(o, tests)
		}
	}
	return w, nil
}

// match lists the cells of all experiments, those of the candidate alone last, and the runs that
// differ in their bits.
func (w *work) match(base, cand []Side) error {
	named := func(sides []Side, name string) (s Side, ok bool) {
		if i := slices.IndexFunc(sides, func(s Side) bool { return s.Name == name }); i >= 0 {
			return sides[i], true
		}
		return Side{}, false
	}
	var groups [2][]*group
	for _, b := range base {
		c, ok := named(cand, b.Name)
		found := w.add(b, c)
		if !ok {
			w.warn("%s is only in the baseline", b.Name)
			continue
		}
		groups[0], groups[1] = append(groups[0], found[0]...), append(groups[1], found[1]...)
	}
	for _, c := range cand {
		if _, known := named(base, c.Name); !known {
			w.add(Side{}, c)
			w.warn("%s is only in the candidate", c.Name)
		}
	}
	if !slices.ContainsFunc(w.cells, func(c cell) bool { return c.groups[0] != nil && c.groups[1] != nil }) {
		return fmt.Errorf("compare: no cell is on both sides: the baseline has %s; the candidate has %s", describe(groups[0]), describe(groups[1]))
	}
	slices.SortStableFunc(w.cells, func(a, b cell) int {
		alone := func(c cell) int { return map[bool]int{true: 1}[c.groups[0] == nil] }
		return alone(a) - alone(b)
	})
	return nil
}

func (w *work) warn(format string, args ...any) {
	w.Warnings = append(w.Warnings, fmt.Sprintf(format, args...))
}

// add adds the cells of an experiment, one side of which may be missing, and returns its groups.
func (w *work) add(sides ...Side) (found [2][]*group) {
	b, c := sides[0], sides[1]
	var equal map[ref]bool
	both := len(b.Runs) > 0 && len(c.Runs) > 0
	if both {
		if w.Options.Metric == "" && b.Metric != c.Metric && b.Metric != "" && c.Metric != "" {
			w.warn("%s: the baseline shows %s, the candidate %s; what the baseline shows is compared", b.Name, b.Metric, c.Metric)
		}
		if excuse := excuse(b, c); excuse != "" {
			w.warn("%s: %s; expect different bits", b.Name, excuse)
		}
		var diffs []Difference
		diffs, equal = exact(b, c)
		w.Differences = append(w.Differences, diffs...)
	}
	for i, s := range sides {
		tradeoffs := w.Options.tradeoffs(s) && (!both || w.Options.tradeoffs(sides[1-i]))
		found[i] = groups(s, tradeoffs)
	}
	for _, pair := range matchGroups(found[0], found[1]) {
		out := cell{sides: [2]Side(sides), groups: pair, equal: equal}
		first := cmp.Or(pair[0], pair[1])
		out.Experiment = cmp.Or(b.Name, c.Name)
		out.Dataset, out.Series, out.Params = first.dataset, first.series, first.params
		for i, g := range pair {
			if g == nil {
				continue
			}
			out.StandIn = out.StandIn || slices.ContainsFunc(g.all, func(r *record.Run) bool { return r.StandIn })
			if g.tradeoffs {
				out.tradeoffs[i] = tradeoffOf(sides[i], g)
			}
		}
		w.cells = append(w.cells, out)
	}
	return found
}

// observe takes the measures of a cell, or settles its verdict where none are needed or to
// be had.
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
	if d, ok := observe.DeclaredIn(slices.Values(c.all()), c.Cost); ok {
		c.Notes = append(c.Notes, d.String())
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

// all returns the runs of both sides, those of the whole grids.
func (c *cell) all() []*record.Run { return slices.Concat(c.groups[0].all, c.groups[1].all) }

// id names a cell, and its random streams.
func (c *cell) id() string {
	return strings.Join([]string{c.Experiment, c.Dataset, c.Series, c.Params}, " ")
}

// decide corrects the p-values for their number, decides all verdicts and reports them.
func (w *work) decide() {
	o := w.Options
	open, approximate, all := 0, 0, 0
	chains := make([][]*stats.Estimate, len(w.cells))
	for i := range w.cells {
		c := &w.cells[i]
		all += c.tests()
		untested := true
		for _, q := range c.questions {
			e := q.estimate
			untested = untested && (q.empty != "" || e != nil && e.Exact)
			switch {
			case e == nil:
				continue
			case q.Kind == Area: // is tested first
				chains[i] = slices.Insert(chains[i], 0, e)
			default:
				chains[i] = append(chains[i], e)
			}
			if e.Approximate {
				approximate++
			}
		}
		if !untested {
			open++
		}
	}
	// Each interval that decides has its share of alpha; the tests have the rest.
	share := 1.0
	if approximate > 0 {
		share = float64(all-approximate) / float64(all)
	}
	family := stats.NewFamily(chains, o.Alpha*share)
	w.Tests = family.Adjust(share) + approximate
	if text := warning(family); text != "" {
		w.Warnings = append(w.Warnings, text)
	}
	for i := range w.cells {
		c := &w.cells[i]
		if c.Verdict == "" {
			c.decide(o)
		}
		if c.Verdict == Inconclusive {
			c.Reason = c.lacks(stats.LeastRepeats(c.Pairs > 0, o.Alpha, open))
		}
		w.Report.Cells = append(w.Report.Cells, c.Cell)
	}
}

// warning says what a family of tests leaves out, or is empty.
func warning(f stats.Family) string {
	switch {
	case f.Left > 0 && f.Chains() == 0:
		return fmt.Sprintf("with so few repeats, tests of %s cannot be significant after correction, so none is tested: compare fewer cells, or run more repeats", words.Count(f.Left, "cell"))
	case f.Left > 0:
		return fmt.Sprintf("not tested, because with so few repeats and so many cells they cannot be significant: %s; compare fewer cells, or run more repeats", words.Count(f.Left, "cell"))
	case f.Gated():
		return fmt.Sprintf("with so few repeats, tests of all measures of %s cannot be significant: a cell's other measures are tested only if its first one, the area, is significant (gatekeeping)", words.Count(f.Chains(), "cell"))
	}
	return ""
}

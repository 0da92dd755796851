package compare

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// Compare compares the experiments of the candidate with those of the baseline that have the same name. The
// report depends neither on the order of runs nor on the units of metric and cost, and is reproducible.
//
// It returns an error if the options are out of range or the sides have no cell in common.
func Compare(base, cand []Side, o Options) (*Report, error) {
	r := &comparison{Report: Report{Options: o}}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := r.match(base, cand); err != nil {
		return nil, err
	}
	for i := range r.cells {
		c := &r.cells[i]
		if err := c.prepare(o); err != nil {
			return nil, err
		}
		c.eachCurve = nil // releases the runs
		if c.repeats() > 1 {
			r.tests += len(c.available())
		}
	}
	for i := range r.cells {
		if c := &r.cells[i]; c.Verdict == "" || len(c.available()) > 0 {
			c.estimate(o, r.tests)
		}
	}
	r.decide()
	r.collectMissing()
	return &r.Report, nil
}

// comparison is the state of Compare.
type comparison struct {
	Report
	cells []cell
	// tests is the number of tests of all cells.
	tests int
}

// match sets the cells, first those of the baseline, and the runs that differ in their bits. It returns an error if no
// cell is on both sides.
func (r *comparison) match(base, cand []Side) error {
	find := func(sides []Side, name string) Side {
		if i := slices.IndexFunc(sides, func(s Side) bool { return s.Name == name }); i >= 0 {
			return sides[i]
		}
		return Side{}
	}
	for _, b := range base {
		r.add(b, find(cand, b.Name))
	}
	for _, c := range cand {
		if find(base, c.Name).Name == "" {
			r.add(Side{}, c)
		}
	}
	if !slices.ContainsFunc(r.cells, func(c cell) bool { return c.groups[0] != nil && c.groups[1] != nil }) {
		return fmt.Errorf("compare: no cell is on both sides: the baseline has %s; the candidate has %s",
			r.seriesOf(0), r.seriesOf(1))
	}
	r.findMissingCells()
	onlyCandidate := func(c cell) bool { return c.groups[0] == nil }
	added := slices.DeleteFunc(slices.Clone(r.cells), func(c cell) bool { return !onlyCandidate(c) })
	r.cells = append(slices.DeleteFunc(r.cells, onlyCandidate), added...)
	return nil
}

// seriesOf lists the series of a side, each with its data set.
func (r *comparison) seriesOf(side int) string {
	var names []string
	for _, c := range r.cells {
		if g := c.groups[side]; g != nil {
			names = append(names, g.dataset+" "+g.series)
		}
	}
	return cmp.Or(words.List(unique(names), mostListed), "nothing")
}

func (r *comparison) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// add adds the cells of an experiment, with the baseline b and the candidate c. One of them may have no runs.
func (r *comparison) add(b, c Side) {
	var equal map[ref]bool
	if len(b.Runs) > 0 && len(c.Runs) > 0 {
		if r.Options.Metric == "" && b.Metric != c.Metric && b.Metric != "" && c.Metric != "" {
			r.warn("%s: the figures of the baseline show %s, those of the candidate %s; %s is compared",
				b.Name, b.Metric, c.Metric, b.Metric)
		}
		if excuse := excuse(b, c); excuse != "" {
			r.warn("%s: %s; expect different bits", b.Name, excuse)
		}
		var diffs []Difference
		diffs, equal = compareBits(b, c)
		r.Differences = append(r.Differences, diffs...)
	}
	sides := [2]Side{b, c}
	comparesRuns := func(s Side) bool { return len(s.Runs) > 0 && !r.Options.tradeoffs(s) }
	tradeoffs := !slices.ContainsFunc(sides[:], comparesRuns)
	for _, pair := range matchGroups(groups(sideNames[0], b, tradeoffs), groups(sideNames[1], c, tradeoffs)) {
		added := cell{sides: sides, groups: pair, equal: equal}
		first := cmp.Or(pair[0], pair[1])
		added.Experiment = cmp.Or(b.Name, c.Name)
		added.Dataset, added.Series, added.Params = first.dataset, first.series, first.params
		added.StandIn = slices.ContainsFunc(pair[:], (*group).usesStandIn)
		r.cells = append(r.cells, added)
	}
}

// decide corrects the p-values for the number of tests and sets all verdicts.
func (r *comparison) decide() {
	o := r.Options
	approximate := 0 // the number of tests by approximate intervals
	undecided := 0   // the number of cells that exact ratios do not decide
	chains := make([][]*stats.Estimate, len(r.cells))
	for i := range r.cells {
		exact := true
		for _, q := range r.cells[i].available() {
			e := q.estimate
			exact = exact && e != nil && e.Exact
			switch {
			case e == nil:
				continue
			case q.Kind == Area: // the first test of the cell
				chains[i] = slices.Insert(chains[i], 0, e)
			default:
				chains[i] = append(chains[i], e)
			}
			if e.Approximate {
				approximate++
			}
		}
		if !exact {
			undecided++
		}
	}
	// Each approximate interval has an equal share of alpha. The other tests have the rest.
	share := 1.0
	if approximate > 0 {
		share = float64(r.tests-approximate) / float64(r.tests)
	}
	family := stats.Correct(chains, o.Alpha, share)
	r.Tests = family.Tests + approximate
	const advice = "compare fewer cells, or run more repeats (a number fixed in advance)"
	cells := words.Count(family.Untested, "cell")
	switch {
	case family.Untested > 0 && family.Chains == 0:
		r.warn("too few repeats: after the correction no test of %s can be significant, so none is made: %s", cells, advice)
	case family.Untested > 0:
		r.warn("%s not tested, because no difference could be significant with these repeats and cells: %s", cells, advice)
	case family.Gated:
		r.warn("too few repeats to test all measures of %s: other measures of a cell are tested only if "+
			"its first one, the area, is significant (gatekeeping)", words.Count(family.Chains, "cell"))
	}
	r.warnOfMissingCPUTimes()
	for i := range r.cells {
		c := &r.cells[i]
		if c.Verdict == "" {
			c.decide(o)
		}
		c.decideCPUTime(o)
		if c.Verdict == Inconclusive && c.Reason == "" {
			c.Reason = c.inconclusiveReason(stats.LeastRepeats(c.Pairs > 0, o.Alpha, undecided))
		}
		r.Report.Cells = append(r.Report.Cells, c.Cell)
	}
}

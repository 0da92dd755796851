package compare

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/internal/record"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// Compare compares the experiments of the candidate with those of the baseline
// that have the same name. The report depends neither on the order of runs nor on
// the units of metric and cost, and the same input gives the same report.
//
// It is an error if the options are out of range, or if the sides have no cell in common.
func Compare(base, cand []Side, o Options) (*Report, error) {
	w := &work{Report: Report{Options: o}}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := w.match(base, cand); err != nil {
		return nil, err
	}
	for i := range w.cells {
		c := &w.cells[i]
		if err := c.observe(o); err != nil {
			return nil, err
		}
		c.curves = nil // it holds the runs
		w.tests += c.tests()
	}
	for i := range w.cells {
		if c := &w.cells[i]; c.Verdict == "" || len(c.asked()) > 0 {
			c.test(o, w.tests)
		}
	}
	w.decide()
	w.lacks()
	return &w.Report, nil
}

// work is a report in the making.
type work struct {
	Report
	cells []cell
	// tests is the number of tests of all cells.
	tests int
}

// match lists the cells of all experiments, those of the candidate alone last, and the runs that
// differ in their bits.
func (w *work) match(base, cand []Side) error {
	find := func(sides []Side, name string) Side {
		if i := slices.IndexFunc(sides, func(s Side) bool { return s.Name == name }); i >= 0 {
			return sides[i]
		}
		return Side{}
	}
	for _, b := range base {
		w.add(b, find(cand, b.Name))
	}
	for _, c := range cand {
		if find(base, c.Name).Name == "" {
			w.add(Side{}, c)
		}
	}
	var names [2][]string
	for _, c := range w.cells {
		for side, g := range c.groups {
			if g != nil {
				names[side] = append(names[side], g.dataset+" "+g.series)
			}
		}
	}
	if b, c := names[0], names[1]; len(b)+len(c) == len(w.cells) {
		return fmt.Errorf("compare: no cell is on both sides: the baseline has %s; the candidate has %s",
			cmp.Or(words.List(unique(b), mostListed), "nothing"), cmp.Or(words.List(unique(c), mostListed), "nothing"))
	}
	w.absent()
	ofCandidate := func(c cell) int { return map[bool]int{true: 1}[c.groups[0] == nil] }
	slices.SortStableFunc(w.cells, func(a, b cell) int { return ofCandidate(a) - ofCandidate(b) })
	return nil
}

func (w *work) warn(format string, args ...any) {
	w.Warnings = append(w.Warnings, fmt.Sprintf(format, args...))
}

// add adds the cells of an experiment, one side of which may be missing.
func (w *work) add(sides ...Side) {
	b, c := sides[0], sides[1]
	var equal map[ref]bool
	if len(b.Runs) > 0 && len(c.Runs) > 0 {
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
	others := slices.ContainsFunc(sides, func(s Side) bool { return len(s.Runs) > 0 && !w.Options.tradeoffs(s) })
	for _, pair := range matchGroups(groups(b, !others), groups(c, !others)) {
		out := cell{sides: [2]Side(sides), groups: pair, equal: equal}
		first := cmp.Or(pair[0], pair[1])
		out.Experiment = cmp.Or(b.Name, c.Name)
		out.Dataset, out.Series, out.Params = first.dataset, first.series, first.params
		for _, g := range pair {
			out.StandIn = out.StandIn || g != nil && slices.ContainsFunc(g.all, func(r *record.Run) bool { return r.StandIn })
		}
		w.cells = append(w.cells, out)
	}
}

// decide corrects the p-values for their number, decides all verdicts and reports them.
func (w *work) decide() {
	o := w.Options
	open, approximate := 0, 0
	chains := make([][]*stats.Estimate, len(w.cells))
	for i := range w.cells {
		undecided := false
		for _, q := range w.cells[i].asked() {
			e := q.estimate
			undecided = undecided || e == nil || !e.Exact
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
		if undecided {
			open++
		}
	}
	// Each interval that decides has its share of alpha; the tests have the rest.
	share := 1.0
	if approximate > 0 {
		share = float64(w.tests-approximate) / float64(w.tests)
	}
	family := stats.Correct(chains, o.Alpha, share)
	w.Tests = family.Tests + approximate
	const few = "with so few repeats, tests of "
	switch {
	case family.Left > 0 && family.Chains == 0:
		w.warn(few+"%s cannot be significant after correction, so none is tested: compare fewer cells, or run more repeats (a number fixed in advance)", words.Count(family.Left, "cell"))
	case family.Left > 0:
		w.warn("%s cannot be significant with these few repeats and many cells, and are not tested: compare fewer cells, or run more repeats (a number fixed in advance)", words.Count(family.Left, "cell"))
	case family.Gated:
		w.warn(few+"all measures of %s cannot be significant: a cell's other measures are tested only if its first one, the area, is significant (gatekeeping)", words.Count(family.Chains, "cell"))
	}
	w.warnTimes()
	for i := range w.cells {
		c := &w.cells[i]
		if c.Verdict == "" {
			c.decide(o)
		}
		c.decideTime(o)
		if c.Verdict == Inconclusive && c.Reason == "" {
			c.Reason = c.lacks(stats.LeastRepeats(c.Pairs > 0, o.Alpha, open))
		}
		w.Report.Cells = append(w.Report.Cells, c.Cell)
	}
}

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
	family := stats.Correct(chains, o.Alpha, share)
	w.Tests = family.Tests + approximate
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
	case f.Left > 0 && f.Chains == 0:
		return fmt.Sprintf("with so few repeats, tests of %s cannot be significant after correction, so none is tested: compare fewer cells, or run more repeats", words.Count(f.Left, "cell"))
	case f.Left > 0:
		return fmt.Sprintf("not tested, because with so few repeats and so many cells they cannot be significant: %s; compare fewer cells, or run more repeats", words.Count(f.Left, "cell"))
	case f.Gated:
		return fmt.Sprintf("with so few repeats, tests of all measures of %s cannot be significant: a cell's other measures are tested only if its first one, the area, is significant (gatekeeping)", words.Count(f.Chains, "cell"))
	}
	return ""
}

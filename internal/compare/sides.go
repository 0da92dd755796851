package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// matchSides lists the cells of all experiments, and the runs that differ in
// their bits.
func (w *work) matchSides(base, cand []Side) error {
	theirs, err := byName(cand, "candidate")
	if err != nil {
		return err
	}
	if _, err := byName(base, "baseline"); err != nil {
		return err
	}
	var named columnCounts
	var groupsB, groupsC []*group
	common := 0
	for _, b := range base {
		c, ok := theirs[b.Name]
		gb, gc := w.match(b, c)
		if !ok {
			w.warn("%s is only in the baseline", b.Name)
			continue
		}
		common++
		delete(theirs, b.Name)
		if w.o.Metric != "" || w.o.Split != "" || w.o.Cost != "" {
			for r := range each(b.Runs, c.Runs) {
				named.add(r.Columns())
			}
		}
		groupsB, groupsC = append(groupsB, gb...), append(groupsC, gc...)
	}
	for _, c := range cand {
		if _, left := theirs[c.Name]; left {
			w.match(Side{}, c)
			w.warn("%s is only in the candidate", c.Name)
		}
	}
	if common == 0 {
		return fmt.Errorf("compare: no experiment is on both sides: the baseline has %s, the candidate %s", sideNamesOf(base), sideNamesOf(cand))
	}
	if !slices.ContainsFunc(w.cells, func(c comparison) bool { return c.base != nil && c.cand != nil }) {
		return fmt.Errorf("compare: no cell is on both sides: the baseline has %s; the candidate has %s", describe(groupsB), describe(groupsC))
	}
	// Those of the candidate alone come last.
	of := func(only bool) []comparison {
		return slices.DeleteFunc(slices.Clone(w.cells), func(c comparison) bool { return (c.base == nil) != only })
	}
	w.cells = append(of(false), of(true)...)
	return named.checkNames(w.o)
}

// match adds the cells of an experiment, one side of which may be missing.
func (w *work) match(b, c Side) (base, cand []*group) {
	var equal equality
	both := len(b.Runs) > 0 && len(c.Runs) > 0
	if both {
		w.warnOf(b, c)
		var diffs []Difference
		diffs, equal = exact(b, c)
		w.report.Differences = append(w.report.Differences, diffs...)
	}
	bySize := func(s, other Side) bool { return w.bySize(s) && (!both || w.bySize(other)) }
	base, cand = groups(b, bySize(b, c)), groups(c, bySize(c, b))
	for _, m := range matchGroups(base, cand) {
		w.add(m, b, c, equal)
	}
	return base, cand
}

func (w *work) warn(format string, args ...any) {
	w.report.Warnings = append(w.report.Warnings, fmt.Sprintf(format, args...))
}

// byName finds the experiments of a side, each of which must be there once and
// have runs.
func byName(sides []Side, which string) (map[string]Side, error) {
	if len(sides) == 0 {
		return nil, errors.New("compare: the " + which + " has no experiment")
	}
	out := map[string]Side{}
	for _, s := range sides {
		if old, ok := out[s.Name]; ok {
			return nil, fmt.Errorf("compare: the %s has %s twice, in %s and in %s", which, s.Name, old.Dir, s.Dir)
		}
		if len(s.Runs) == 0 {
			return nil, fmt.Errorf("compare: the %s has no runs of %s (%s)", which, s.Name, s.Dir)
		}
		out[s.Name] = s
	}
	return out, nil
}

func sideNamesOf(sides []Side) string {
	var names []string
	for _, s := range sides {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// warnOf warns of what the sides of an experiment do not agree in.
func (w *work) warnOf(b, c Side) {
	if w.o.Metric == "" && b.Metric != c.Metric && b.Metric != "" && c.Metric != "" {
		w.warn("%s: the baseline shows %s, the candidate %s; what the baseline shows is compared", b.Name, b.Metric, c.Metric)
	}
	if excuse := excuse(b, c); excuse != "" {
		w.warn("%s: %s; expect different bits", b.Name, excuse)
	}
}

func (w *work) add(m match, b, c Side, equal equality) {
	out := comparison{match: m, baseSide: b, candSide: c, equal: equal}
	out.Experiment = cmp.Or(b.Name, c.Name)
	first := cmp.Or(m.base, m.cand)
	out.Dataset, out.Series, out.Params = first.dataset, first.series, first.params
	for _, g := range []*group{m.base, m.cand} {
		if g != nil {
			for r := range each(g.all) {
				out.StandIn = out.StandIn || r.StandIn
			}
		}
	}
	if m.base != nil && m.cand != nil && m.base.whole && m.cand.whole {
		out.baseSeries, out.candSeries = tradeoffOf(b, m.base), tradeoffOf(c, m.cand)
	}
	w.cells = append(w.cells, out)
}

package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stochopt/results/record"
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
	var runs []record.Run
	var common, matched int
	var groupsB, groupsC []*group
	for _, b := range base {
		c, ok := theirs[b.Name]
		if !ok {
			w.alone(groups(b, w.halved(b)), nil, b, Side{})
			w.report.Warnings = append(w.report.Warnings, fmt.Sprintf("%s is only in the baseline", b.Name))
			continue
		}
		common++
		delete(theirs, b.Name)
		runs = slices.Concat(runs, b.Runs, c.Runs)
		w.warnOf(b, c)
		diffs, equal := exact(b, c)
		w.report.Differences = append(w.report.Differences, diffs...)
		byHalvings := w.halved(b) && w.halved(c)
		gb, gc := groups(b, byHalvings), groups(c, byHalvings)
		groupsB, groupsC = append(groupsB, gb...), append(groupsC, gc...)
		for _, m := range matchGroups(gb, gc) {
			if m.base != nil && m.cand != nil {
				matched++
			}
			w.add(m, b, c, equal)
		}
	}
	for _, c := range cand {
		if _, left := theirs[c.Name]; left {
			w.alone(nil, groups(c, w.halved(c)), Side{}, c)
			w.report.Warnings = append(w.report.Warnings, fmt.Sprintf("%s is only in the candidate", c.Name))
		}
	}
	if common == 0 {
		return fmt.Errorf("compare: no experiment is on both sides: the baseline has %s, the candidate %s", sideNamesOf(base), sideNamesOf(cand))
	}
	if matched == 0 {
		return fmt.Errorf("compare: no cell is on both sides: the baseline has %s; the candidate has %s", describe(groupsB), describe(groupsC))
	}
	slices.SortStableFunc(w.cells, func(a, b comparison) int {
		// Those of the candidate alone come last.
		return boolean(a.base == nil) - boolean(b.base == nil)
	})
	return checkNames(w.o, runs)
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
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
		w.report.Warnings = append(w.report.Warnings, fmt.Sprintf("%s: the baseline shows %s, the candidate %s; the baseline's is compared", b.Name, b.Metric, c.Metric))
	}
	if excuse := excuse(b, c); excuse != "" {
		w.report.Warnings = append(w.report.Warnings, b.Name+": "+excuse+"; other bits are to be expected")
	}
}

// alone adds the cells of an experiment that is on one side only.
func (w *work) alone(base, cand []*group, b, c Side) {
	for _, g := range base {
		w.add(match{g, nil}, b, c, nil)
	}
	for _, g := range cand {
		w.add(match{nil, g}, b, c, nil)
	}
}

func (w *work) add(m match, b, c Side, equal map[ref]bool) {
	out := comparison{match: m, baseSide: b, candSide: c, equal: equal}
	first := m.base
	out.Experiment = b.Name
	if first == nil {
		first = m.cand
		out.Experiment = c.Name
	}
	out.Dataset, out.Series, out.Params = first.dataset, first.series, first.params
	for _, g := range []*group{m.base, m.cand} {
		if g != nil && slices.ContainsFunc(g.all, func(r record.Run) bool { return r.StandIn }) {
			out.StandIn = true
		}
	}
	if m.base != nil {
		out.Baseline = len(m.base.runs)
	}
	if m.cand != nil {
		out.Candidate = len(m.cand.runs)
	}
	if m.base != nil && m.cand != nil && m.base.whole && m.cand.whole {
		out.baseHalved, out.candHalved = tradeoffOf(b, m.base), tradeoffOf(c, m.cand)
	}
	w.cells = append(w.cells, out)
}

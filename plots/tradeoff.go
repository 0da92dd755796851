package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
)

// Facts of the reference classifier: its error on the test split and its number of support vectors.
const (
	factReferenceError   = "reference_error"
	factReferenceSupport = "reference_support"
)

// isTradeoff reports whether the panel shows test errors against support sizes.
func (c *pane) isTradeoff() bool { return c.spec.Draw == DrawTradeoff }

// addTradeoffs adds the curves of the classifiers that were selected at each support size, the first series on top.
func (c *pane) addTradeoffs() {
	c.splits, c.constant = []string{record.SplitTest}, constantError(c.runs)
	for _, r := range c.in.referencesOf(c.runs) {
		line := func(quantity string, x, y *float64) ChartLine {
			label := joinParts(", ", referenceName+": "+quantity, r.problem)
			return ChartLine{Key: referenceName, X: x, Y: y, Label: label, Style: referenceStyle}
		}
		c.Lines = append(c.Lines, line("support vectors", &r.support, nil), line("test error", nil, &r.error))
	}
	series, runsOf := tradeoffsOf(c.in.Choice, c.runs)
	var shown []record.Run
	for _, s := range series {
		shown = append(shown, templateRun(s))
	}
	for _, note := range c.in.unfinishedNotes(c.runs) { // without warnings: the selection has them
		c.note(note)
	}
	for i, s := range series {
		finished := func(r *record.Run) bool { return r.Status == record.StatusFinished }
		if len(s.Sizes) == 0 && len(filter(runsOf[s], finished)) > 0 { // else unfinishedNotes reports it
			note := fmt.Sprintf("%s has no classifier to show on %s", c.in.Name(s.Name), s.Dataset)
			c.warn("%s", note)
			c.note(note)
		}
		id := seriesOf(&shown[i])
		vars := observe.Distinguish(filter(shown, func(r *record.Run) bool { return seriesOf(r) == id }))
		first := len(c.Curves)
		c.addTradeoff(s)
		for k := range c.Curves[first:] {
			c.Curves[first+k].curveID = curveID{id, c.in.describe(&shown[i], vars)}
		}
	}
	slices.SortStableFunc(c.Curves, func(a, b ChartCurve) int { return c.in.compare(a.series, b.series) })
	slices.Reverse(c.Curves)
	c.warnOfSeries()
	c.why = "no run has a classifier to show"
}

// tradeoffsOf returns the series of the choice with some of the runs, and their runs. It returns no series unless the
// choice is made at each support size.
func tradeoffsOf(
	choice *selection.Choice, runs []record.Run,
) (series []*selection.Series, runsOf map[*selection.Series][]record.Run) {
	runsOf = make(map[*selection.Series][]record.Run)
	for i := range runs {
		s := choice.Of(&runs[i])
		runsOf[s] = append(runsOf[s], runs[i])
	}
	for i := 0; choice.BySize() && i < len(choice.Series); i++ {
		if s := &choice.Series[i]; runsOf[s] != nil {
			series = append(series, s)
		}
	}
	return series, runsOf
}

// templateRun returns a run with the parameters of a series that are not tuned.
func templateRun(s *selection.Series) record.Run {
	return record.Run{
		Dataset: s.Dataset, Group: s.Group, StandIn: s.StandIn, Series: s.Name, Algorithm: s.Algorithm, Params: s.Params,
	}
}

// addTradeoff adds the mean curve of a trade-off with its band, or the curves of its repeats.
func (c *pane) addTradeoff(s *selection.Series) {
	mean := ChartCurve{X: floats(s.Sizes), Y: s.Error, N: len(s.Repeats)}
	levels, banded := bandLevels[c.spec.Band]
	for i, m := range s.Error {
		switch {
		case c.spec.Band == BandHalvings:
			mean.Lo, mean.Hi = append(mean.Lo, max(m-s.SD[i], 0)), append(mean.Hi, m+s.SD[i])
		case banded && len(s.ByRepeat) > 1:
			errors := slices.Sorted(slices.Values(s.ErrorsAt(i)))
			mean.Lo = append(mean.Lo, min(stats.Quantile(errors, levels[0]), m))
			mean.Hi = append(mean.Hi, max(stats.Quantile(errors, levels[1]), m))
		}
	}
	c.add(mean)
	if n := len(s.ByRepeat); c.spec.Band == BandRuns && n > 1 {
		for i, errors := range s.ByRepeat {
			c.add(singleRun(i, n, mean.X, errors))
		}
	}
}

// reference holds the error and the support size of a reference classifier, as means over repeats.
type reference struct {
	error, support float64
	// problem lists the parameters in which the problems on the same data differ.
	problem string
}

// referencesOf returns the recorded references, one for each problem.
func (c Catalog) referencesOf(runs []record.Run) []reference {
	known := filter(runs, func(r *record.Run) bool {
		_, ok := r.Facts[factReferenceError]
		_, also := r.Facts[factReferenceSupport]
		return ok && also
	})
	problems := observe.Grouped(known, func(r *record.Run) string { return key(r, problemVars) })
	vars := varyingProblemVars(known)
	var refs []reference
	for _, own := range problems {
		r := reference{problem: c.describe(&own[0], vars)}
		repeats := observe.Grouped(own, func(r *record.Run) int { return r.Repeat })
		for _, repeat := range repeats {
			facts := repeat[0].Facts
			r.error, r.support = r.error+facts[factReferenceError], r.support+facts[factReferenceSupport]
		}
		n := float64(len(repeats))
		r.error, r.support = r.error/n, r.support/n
		if !slices.ContainsFunc(refs, func(o reference) bool { return o.error == r.error && o.support == r.support }) {
			refs = append(refs, r)
		}
	}
	return refs
}

// constantError returns the largest recorded error of a constant classifier.
func constantError(runs []record.Run) (largest float64) {
	for i := range runs {
		largest = max(largest, runs[i].Facts[record.FactConstantError])
	}
	return largest
}

// oneClassNote lists the datasets whose test rows are all of one class. It is "" without such datasets.
func oneClassNote(runs []record.Run) string {
	var names []string
	for i := range runs {
		if v, ok := runs[i].Facts[record.FactConstantError]; ok && v == 0 && !slices.Contains(names, runs[i].Dataset) {
			names = append(names, runs[i].Dataset)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "ONE CLASS: the test rows of " + strings.Join(names, ", ") +
		" are all of one class; their errors say nothing about the other class"
}

// biasNote lists the series without a bias if other series have one. It is "" without such series.
func (c Catalog) biasNote(runs []record.Run) string {
	has := func(runs []record.Run, bias bool) bool {
		return slices.ContainsFunc(runs, func(r record.Run) bool { return r.Params["bias"] == bias })
	}
	var names []string
	for _, own := range c.bySeries(runs) {
		if has(runs, true) && has(own.runs, false) && !has(own.runs, true) {
			names = append(names, own.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "no bias: " + strings.Join(names, ", ")
}

// varyingParams returns the tuned parameters that have several values in some series.
func varyingParams(runs []record.Run, tune []string) []string {
	series := observe.Grouped(runs, func(r *record.Run) string { return r.Series })
	return slices.DeleteFunc(slices.Clone(tune), func(name string) bool {
		return !slices.ContainsFunc(series, func(own []record.Run) bool { return len(distinct(own, name)) > 1 })
	})
}

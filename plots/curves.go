package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/words"
)

// curveRuns holds the runs of a curve.
type curveRuns struct {
	curveID
	runs []record.Run
}

// fill makes the curves of the panel from its runs, in drawing order.
func (c *pane) fill() {
	if len(c.runs) == 0 {
		c.why = joinParts(" of ", "no runs", cmp.Or(c.Title, c.where))
		c.warnings = append(c.warnings, "no data: "+joinParts(" of ", "no runs", c.where))
		return
	}
	if c.isTradeoff() {
		c.addTradeoffs()
	} else if usable := c.usable(); len(usable) > 0 && c.spec.Profiles() {
		c.addProfiles(usable)
	} else if len(usable) > 0 {
		for _, g := range c.groups(usable) {
			first := len(c.Curves)
			c.addCurves(g)
			for i := range c.Curves[first:] {
				c.Curves[first+i].curveID = g.curveID
			}
		}
		if len(c.Curves) == 0 {
			c.why = "the runs could not be averaged"
		}
	}
	// Draw single runs and eigenvalues below the others.
	thin := slices.DeleteFunc(slices.Clone(c.Curves), func(cv ChartCurve) bool { return !cv.Thin })
	c.Curves = append(thin, slices.DeleteFunc(c.Curves, func(cv ChartCurve) bool { return cv.Thin })...)
}

// byCurve groups the runs by series and setting, in the order of the catalog. settingVars returns the variables that
// distinguish the settings of a series.
func (c Catalog) byCurve(runs []record.Run, settingVars func([]record.Run) []string) []curveRuns {
	var curves []curveRuns
	for _, own := range observe.Grouped(runs, seriesOf) {
		vars := settingVars(own)
		for _, part := range partition(own, vars) {
			curves = append(curves, curveRuns{curveID{seriesOf(&part[0]), c.describe(&part[0], vars)}, part})
		}
	}
	slices.SortStableFunc(curves, func(a, b curveRuns) int { return c.compare(a.series, b.series) })
	return curves
}

// groups returns the runs of each curve, in drawing order.
func (c *pane) groups(runs []record.Run) []curveRuns {
	groups := c.in.byCurve(runs, observe.Distinguish)
	if c.illustration().static && len(groups) > 1 {
		c.warn("of %d classifiers with responses only %s is drawn", len(groups), c.in.Name(groups[0].series.id))
		groups = groups[:1]
	}
	if c.illustrates() { // draw the first on top: between its dashes an equal function is visible
		slices.Reverse(groups)
	}
	return groups
}

// usable returns the runs that can be drawn, and adds warnings and notes on the others. It sets c.why to the reason that
// applies if there are no such runs.
func (c *pane) usable() []record.Run {
	var runs []record.Run
	var lacking []string
	for _, r := range c.runs {
		switch {
		case r.Status != record.StatusFinished:
		case c.has(&r):
			runs = append(runs, r)
		default:
			lacking = words.AddOnce(lacking, c.in.Name(r.Series))
		}
	}
	for _, note := range c.in.unfinishedNotes(c.runs) {
		c.warn("%s", note)
		c.note(note)
	}
	c.why = fmt.Sprintf("none of the %d runs finished", len(c.runs))
	if len(lacking) > 0 {
		c.why = "no record of " + shownPart(c.spec)
		note := strings.Join(lacking, ", ") + ": " + c.why + ", left out"
		c.warn("%s", note)
		c.notes = append(c.notes, note) // without the title: the note is the same for all panels
	}
	c.warnOfSeries()
	return runs
}

// note adds a note that names the panel.
func (c *pane) note(text string) {
	c.notes = append(c.notes, joinParts(": ", c.Title, text))
}

// shownPart describes the part of a record that a panel shows.
func shownPart(p Panel) string {
	switch {
	case p.Draw != "" && !p.Profiles():
		return "the vectors " + strings.Join(illustrations[p.Draw].vectors, ", ")
	case p.Y == observe.Spectrum:
		return "the spectrum"
	}
	s := fmt.Sprintf("%q against %q", p.Y, p.X)
	if p.Split != "" {
		s += fmt.Sprintf(" on the %s split", p.Split)
	}
	return s
}

// has reports whether a record has the data that the panel shows. It adds the split of the metric to c.splits.
func (c *pane) has(r *record.Run) bool {
	if c.illustrates() {
		return c.illustration().has(r)
	}
	if x, ok := along(r, c.spec.X); !ok || len(x) == 0 || x[len(x)-1] <= 0 { // costs that do not apply are 0
		return false
	}
	if c.spec.Y == observe.Spectrum {
		return len(r.Measured().Spectrum) > 0
	}
	split, ok := observe.UnseenSplit(r, c.spec.Split, c.spec.Y)
	ok = ok && (!c.spec.Profiles() || c.spec.runtimes().Recorded(r))
	if ok && split != record.SplitState {
		c.splits = words.AddOnce(c.splits, split)
	}
	return ok
}

// addCurves adds the curves of runs that differ only in their repeat.
func (c *pane) addCurves(g curveRuns) {
	p, runs := c.spec, g.runs
	first := slices.MinFunc(runs, func(a, b record.Run) int { return cmp.Compare(a.Repeat, b.Repeat) })
	name := c.in.Name(first.Series)
	switch {
	case c.illustrates():
		c.illustration().show(c, &first)
		return
	case p.Y == observe.Spectrum:
		for _, cv := range eigenvalueCurves(first.Measured(), p.X) {
			c.add(cv)
		}
		return
	}
	split, _ := observe.UnseenSplit(&runs[0], p.Split, p.Y)
	mean, warnings, err := p.average(runs, split)
	if err != nil {
		c.warn("%s: %v", name, err)
		return
	}
	for _, w := range warnings {
		c.warn("%s: %s", name, w)
	}
	last := mean.X[len(mean.X)-1]
	mean.Converged = allConverged(runs)
	if slices.Contains(p.FirstEpoch, first.Series) {
		if at := c.firstEpoch(runs); at > 0 && len(mean.X) > 1 && at < last {
			mean.Dashed = &at
		}
	}
	c.add(mean)
	if p.Band != BandRuns || len(runs) < 2 || mean.Points {
		return
	}
	for i := range runs {
		x, _ := along(&runs[i], p.X)
		c.add(singleRun(i, len(runs), x, runs[i].Measured().Metrics[split][p.Y]))
	}
}

func allConverged(runs []record.Run) bool {
	return !slices.ContainsFunc(runs, func(r record.Run) bool { return !r.Converged() })
}

// singleRun returns the thin curve of run i of n runs.
func singleRun(i, n int, x, y []float64) ChartCurve {
	return ChartCurve{X: x, Y: y, N: 1, Thin: true, Label: fmt.Sprintf("run %d of %d", i+1, n)}
}

func floats[T int | int64](v []T) []float64 {
	f := make([]float64, len(v))
	for i := range v {
		f[i] = float64(v[i])
	}
	return f
}

// eigenvalueCurves returns a curve for the largest eigenvalue, for the second largest, and so on. Each begins at the
// first spectrum with as many eigenvalues, and is zero where a later spectrum has fewer.
func eigenvalueCurves(c record.Curve, x string) []ChartCurve {
	cost := floats(c.Cost[x])
	var curves []ChartCurve
	for t, spectrum := range c.Spectrum[:min(len(cost), len(c.Spectrum))] {
		for len(curves) < len(spectrum) {
			curves = append(curves, ChartCurve{N: 1, Thin: true, Label: "eigenvalue"})
		}
		for j := range curves {
			value := 0.0
			if j < len(spectrum) {
				value = spectrum[j]
			}
			curves[j].X, curves[j].Y = append(curves[j].X, cost[t]), append(curves[j].Y, value)
		}
	}
	return curves
}

// firstEpoch returns the mean x at which the runs completed a pass over the training data. It is 0 if some run did not
// complete a pass, or if its record lacks the number of rows or the iterations.
func (c *pane) firstEpoch(runs []record.Run) float64 {
	var sum float64
	for i := range runs {
		r := &runs[i]
		n := float64(r.Rows[record.SplitTrain])
		x, _ := along(r, c.spec.X)
		iterations := floats(r.Measured().Cost[record.CostIterations])
		if n == 0 || len(iterations) == 0 || len(iterations) != len(x) || iterations[len(iterations)-1] < n {
			return 0
		}
		sum += observe.Curve{X: iterations, Y: x}.LineAt(n)
	}
	return sum / float64(len(runs))
}

package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
)

// fill turns the runs of a panel into curves. Failed and diverged
// runs, and those that lack the counter or metric, are left out, with a warning.
func (c *pane) fill(color string) {
	if c.tradesOff() {
		c.fillTradeoffs(color)
		return
	}
	runs := c.usable()
	alike := func(r *record.Run) string { return key(r, []string{varSeries, varAlgorithm, color}) }
	for _, group := range observe.Grouped(runs, alike) {
		vars := observe.Distinguish(group)
		if len(vars) > 0 {
			c.warn("runs of %s also differ in %s: each setting has its own curve", c.in.Name(group[0].Series), strings.Join(vars, ", "))
		}
		for _, v := range partition(group, vars) {
			if cv, ok := c.build(v); ok {
				cv.color, cv.extra = v[0].Value(color), c.in.describe(&v[0], vars)
				c.curves = append(c.curves, cv)
			}
		}
	}
	slices.SortStableFunc(c.curves, func(a, b curve) int {
		return cmp.Or(c.in.compare(a.series, b.series), compareNumbers(a.color, b.color))
	})
	if len(c.curves) > 1 && c.kind().static {
		c.warn("there are responses of %d classifiers: only those of %s are drawn", len(c.curves), c.in.Name(c.curves[0].series.series))
		c.curves = c.curves[:1]
	}
	if len(c.curves) == 0 && c.why == "" {
		c.why = "the runs could not be averaged"
	}
}

// warn adds a warning about the panel.
func (c *pane) warn(format string, args ...any) {
	c.warnings = append(c.warnings, warning{c.where, fmt.Sprintf(format, args...)})
}

// noRuns reports whether there is nothing to draw, and says so.
func (c *pane) noRuns() bool {
	if len(c.runs) > 0 {
		return false
	}
	c.why = joinParts(" of ", "no runs", c.where)
	c.warnings = append(c.warnings, warning{text: "no data: " + c.why})
	return true
}

// warnOfSeries warns of series that the panel names and that have no runs.
func (c *pane) warnOfSeries() {
	for _, s := range c.panel.Series {
		if !slices.ContainsFunc(c.runs, func(r record.Run) bool { return r.Series == s }) {
			c.warn("no runs of series %q", s)
		}
	}
}

// usable returns the runs of the pane that can be drawn, each repeat once. If
// there are none it sets why.
func (c *pane) usable() []record.Run {
	p := c.panel
	if c.noRuns() {
		return nil
	}
	var runs []record.Run
	lacking := 0
	var double []string
	lost := make(map[string][]record.Run)
	seen := make(map[string]bool)
	var without []string
	for _, r := range c.runs {
		id := r.Series + observe.Signature(&r) + fmt.Sprint(r.Repeat)
		switch {
		case seen[id]:
			double = append(double, r.Name())
		case r.Status != record.StatusFinished:
			lost[r.Status] = append(lost[r.Status], r)
		case c.lacksCounter(&r):
			without = append(without, r.Series)
		case !c.has(&r):
			lacking++
		default:
			runs = append(runs, r)
		}
		seen[id] = true
	}
	total := len(c.runs)
	for _, status := range record.Unfinished() {
		if l := lost[status]; len(l) > 0 {
			names := make([]string, 0, len(l))
			for _, own := range c.in.bySeries(l) {
				names = append(names, own.name)
			}
			note := fmt.Sprintf("%d of %d runs %s and are left out (%s: %s)", len(l), total, happened[status], strings.Join(names, ", "), l[0].Reason)
			c.warn("%s", note)
			c.notes = append(c.notes, joinParts(": ", c.title, note))
		}
	}
	if len(double) > 0 {
		c.warn("%s left out, the first is %s", words.Count(len(double), "duplicate record"), double[0])
	}
	if lacking > 0 {
		c.warn("%d of %d runs have no record of %s", lacking, total, needs(p))
	}
	for _, s := range unique(without) {
		c.leaveOut(s)
	}
	c.warnOfSeries()
	if len(runs) == 0 {
		switch {
		case lacking > 0 || len(without) > 0:
			c.why = "no record of " + needs(p)
		default:
			c.why = allLost(total, lost)
		}
	}
	return runs
}

// lacksCounter reports whether the run, but not every other, is without the cost
// that the x axis shows: it does not apply to the method.
func (c *pane) lacksCounter(r *record.Run) bool {
	has := func(r record.Run) bool { return r.Measured().Cost[c.panel.X] != nil }
	return !c.illustrates() && c.panel.X != xSeconds && r.Points() > 0 && !has(*r) && slices.ContainsFunc(c.runs, has)
}

// leaveOut says that a series has no cost to be drawn against.
func (c *pane) leaveOut(series string) {
	name, cost := c.in.Name(series), inSentence(c.panel.X)
	c.warn("%s has no %s to show", name, cost)
	c.notes = append(c.notes, fmt.Sprintf("%s has no %s and is left out", name, cost))
}

// needs names what a panel reads from a record.
func needs(p Panel) string {
	switch {
	case p.Draw != "":
		return "the vectors " + strings.Join(illustrations[p.Draw].vectors, ", ")
	case p.Y == ySpectrum:
		return "the spectrum"
	}
	s := fmt.Sprintf("%q against %q", p.Y, p.X)
	if p.Split != "" {
		s += fmt.Sprintf(" on the %s split", p.Split)
	}
	return s
}

// has reports whether the record has what the panel shows, and notes the split
// it is measured on.
func (c *pane) has(r *record.Run) bool {
	p := c.panel
	if c.illustrates() {
		return c.kind().has(r)
	}
	if x, ok := c.along(*r); !ok || len(x) == 0 {
		return false
	}
	if p.Y == ySpectrum {
		return len(r.Measured().Spectrum) > 0
	}
	split, ok := observe.UnseenSplit(r, p.Split, p.Y)
	if ok && split != record.SplitState && !slices.Contains(c.splits, split) {
		c.splits = append(c.splits, split)
	}
	return ok
}

// build makes the curve of runs that differ in their repeat only.
func (c *pane) build(runs []record.Run) (cv curve, ok bool) {
	p := c.panel
	cv.series = seriesOf(&runs[0])
	if c.illustrates() {
		return c.illustration(cv, runs)
	}
	if p.Y == ySpectrum {
		first := slices.MinFunc(runs, func(a, b record.Run) int { return cmp.Compare(a.Repeat, b.Repeat) })
		cv.thin = strands(first.Measured(), p.X)
		return cv, len(cv.thin) > 0
	}
	split, _ := observe.UnseenSplit(&runs[0], p.Split, p.Y)
	band, err := selection.Aggregate(runs, p.X, split, p.Y)
	if err != nil {
		c.warn("%s: %v", c.in.Name(runs[0].Series), err)
		return cv, false
	}
	for _, w := range band.Warnings {
		c.warn("%s: %s", c.in.Name(runs[0].Series), w)
	}
	if band.X[len(band.X)-1] <= 0 {
		c.leaveOut(runs[0].Series)
		return cv, false
	}
	cv.mean = ChartCurve{X: band.X, Y: band.Mean, N: band.N}
	cv.converged = allConverged(runs)
	if slices.Contains(p.FirstEpoch, runs[0].Series) {
		if at := c.firstEpoch(runs); at > 0 && len(band.X) > 1 && at < band.X[len(band.X)-1] {
			cv.mean.Dashed = &at
		}
	}
	if band.N < 2 {
		return cv, true
	}
	switch p.Band {
	case BandQuantiles:
		cv.mean.Lo, cv.mean.Hi = band.Lo, band.Hi
	case BandMinMax:
		cv.mean.Lo, cv.mean.Hi = band.Min, band.Max
	case BandRuns:
		for i := range runs {
			x, _ := c.along(runs[i])
			cv.thin = append(cv.thin, ChartCurve{X: x, Y: runs[i].Measured().Metrics[split][p.Y]})
		}
	}
	return cv, true
}

func floats[T int | int64](v []T) []float64 {
	f := make([]float64, len(v))
	for i := range v {
		f[i] = float64(v[i])
	}
	return f
}

// strands returns the lines of the eigenvalues, the j-th being that of the
// j-th largest. A line has gaps where the spectrum is too short for it.
func strands(c record.Curve, x string) []ChartCurve {
	cost := floats(c.Cost[x])
	n := min(len(cost), len(c.Spectrum))
	var lines []ChartCurve
	for j, more := 0, true; more; j++ {
		more = false
		gap := true
		for t, s := range c.Spectrum[:n] {
			if j >= len(s) {
				gap = true
				continue
			}
			if gap {
				lines = append(lines, ChartCurve{})
				gap, more = false, true
			}
			l := &lines[len(lines)-1]
			l.X, l.Y = append(l.X, cost[t]), append(l.Y, s[j])
		}
	}
	return lines
}

// along returns the abscissae of a run: a cost counter, or the seconds.
func (c *pane) along(r record.Run) ([]float64, bool) {
	if c.panel.X == xSeconds {
		return r.Seconds()
	}
	return r.Measured().Along(c.panel.X)
}

// firstEpoch returns where on the x axis the runs had looked at as many
// examples as there are to train on, on average; 0 if they never had, or the
// records do not tell.
func (c *pane) firstEpoch(runs []record.Run) float64 {
	var sum float64
	for i := range runs {
		n := runs[i].Rows[record.SplitTrain]
		if n == 0 {
			c.warn("%s: the first epoch is not marked, because the record lacks the number of training rows", c.in.Name(runs[i].Series))
			return 0
		}
		x, _ := c.along(runs[i])
		iterations := floats(runs[i].Measured().Cost[record.CostIterations])
		if len(iterations) == 0 || len(iterations) != len(x) || iterations[len(iterations)-1] < float64(n) {
			return 0
		}
		sum += observe.Curve{X: iterations, Y: x}.LineAt(float64(n))
	}
	return sum / float64(len(runs))
}

// allConverged reports whether the methods of all runs found that they were done.
// One that has nothing left to work on ends without that.
func allConverged(runs []record.Run) bool {
	return !slices.ContainsFunc(runs, func(r record.Run) bool { return !r.Converged() })
}

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

// group is the runs of a curve.
type group struct {
	identity
	runs []record.Run
}

// fill turns the runs of a panel into curves, in drawing order.
func (c *pane) fill() {
	if len(c.runs) == 0 {
		c.why = joinParts(" of ", "no runs", cmp.Or(c.Title, c.where))
		c.warnings = append(c.warnings, "no data: "+joinParts(" of ", "no runs", c.where))
		return
	}
	if c.tradesOff() {
		c.fillTradeoffs()
	} else if usable := c.usable(); len(usable) > 0 && c.spec.Profiles() {
		c.fillProfiles(usable)
	} else if len(usable) > 0 {
		for _, g := range c.groups(usable) {
			first := len(c.Curves)
			c.build(g)
			for i := range c.Curves[first:] {
				c.Curves[first+i].identity = g.identity
			}
		}
		if len(c.Curves) == 0 {
			c.why = "the runs could not be averaged"
		}
	}
	// Single runs and eigenvalues are below the others.
	thin := slices.DeleteFunc(slices.Clone(c.Curves), func(cv ChartCurve) bool { return !cv.Thin })
	c.Curves = append(thin, slices.DeleteFunc(c.Curves, func(cv ChartCurve) bool { return cv.Thin })...)
}

// groups returns the runs of each curve, in drawing order. Settings of parameters that a
// series also differs in have a curve each.
func (c *pane) groups(runs []record.Run) []group {
	var groups []group
	for _, own := range observe.Grouped(runs, func(r *record.Run) string { return key(r, []string{varSeries, varAlgorithm}) }) {
		vars := observe.Distinguish(own)
		for _, part := range partition(own, vars) {
			r := &part[0]
			groups = append(groups, group{identity{seriesOf(r), c.in.describe(r, vars)}, part})
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return c.in.compare(a.series, b.series) })
	if c.kind().static && len(groups) > 1 {
		c.warn("there are responses of %d classifiers: only those of %s are drawn", len(groups), c.in.Name(groups[0].series.series))
		groups = groups[:1]
	}
	if c.illustrates() { // the first is on top: where functions are equal the dashes show
		slices.Reverse(groups)
	}
	return groups
}

// usable returns the runs of the pane that can be drawn. The others are
// left out, with a warning. If no run is left it sets why.
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
	for _, note := range c.in.lostNotes(c.runs) {
		c.warn("%s", note)
		c.note(note)
	}
	c.why = fmt.Sprintf("none of the %d runs finished", len(c.runs))
	if len(lacking) > 0 {
		c.why = "no record of " + needs(c.spec)
		note := strings.Join(lacking, ", ") + ": " + c.why + ", left out"
		c.warn("%s", note)
		c.notes = append(c.notes, note) // which is the same for all panels
	}
	c.warnOfSeries()
	return runs
}

// note adds a note on the panel, which it names.
func (c *pane) note(text string) {
	c.notes = append(c.notes, joinParts(": ", c.Title, text))
}

// needs names what a panel reads from a record.
func needs(p Panel) string {
	switch {
	case p.Draw != "" && !p.Profiles():
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

// has reports whether the record has what the panel shows, and notes the split it is measured on.
func (c *pane) has(r *record.Run) bool {
	if c.illustrates() {
		return c.kind().has(r)
	}
	if x, ok := along(r, c.spec.X); !ok || len(x) == 0 || x[len(x)-1] <= 0 { // a cost that does not apply is zero
		return false
	}
	if c.spec.Y == ySpectrum {
		return len(r.Measured().Spectrum) > 0
	}
	split, ok := observe.UnseenSplit(r, c.spec.Split, c.spec.Y)
	ok = ok && (!c.spec.Profiles() || c.spec.runtimes().Recorded(r))
	if ok && split != record.SplitState {
		c.splits = words.AddOnce(c.splits, split)
	}
	return ok
}

// build adds the curves of runs that differ in their repeat only.
func (c *pane) build(g group) {
	p, runs := c.spec, g.runs
	first := slices.MinFunc(runs, func(a, b record.Run) int { return cmp.Compare(a.Repeat, b.Repeat) })
	name := c.in.Name(first.Series)
	switch {
	case c.illustrates():
		c.kind().show(c, &first)
		return
	case p.Y == ySpectrum:
		for _, strand := range strands(first.Measured(), p.X) {
			c.add(strand)
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
	mean.Converged = !slices.ContainsFunc(runs, func(r record.Run) bool { return !r.Converged() })
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

// singleRun is the thin curve of one of n runs.
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

// strands returns the lines of the eigenvalues, the j-th being that of the j-th largest. A line begins
// where the spectrum first has it, and is zero where the spectrum is shorter. Labels have no number.
func strands(c record.Curve, x string) []ChartCurve {
	cost := floats(c.Cost[x])
	var lines []ChartCurve
	for t, spectrum := range c.Spectrum[:min(len(cost), len(c.Spectrum))] {
		for len(lines) < len(spectrum) {
			lines = append(lines, ChartCurve{N: 1, Thin: true, Label: "eigenvalue"})
		}
		for j := range lines {
			value := 0.0
			if j < len(spectrum) {
				value = spectrum[j]
			}
			lines[j].X, lines[j].Y = append(lines[j].X, cost[t]), append(lines[j].Y, value)
		}
	}
	return lines
}

// firstEpoch returns where on the x axis the runs had looked at as many
// examples as there are to train on, on average; 0 if they never had, or the
// records do not tell.
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

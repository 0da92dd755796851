package plots

import (
	"fmt"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/stats"
	"stochopt/internal/words"
)

// profilesHelp is the page that explains profiles.
const profilesHelp = "docs/results-folder.md#profiles"

// Profiles reports whether the panel shows profiles.
func (p Panel) Profiles() bool { return p.Draw == DrawRuntime || p.Draw == DrawPerformance }

// runtimes returns the definition of the costs that profiles compare.
func (p Panel) runtimes() observe.Runtimes {
	return observe.Runtimes{Cost: p.X, Metric: p.Y, Split: p.Split, Targets: p.Targets}.WithDefaults()
}

// addProfiles adds the curves of profiles, in drawing order. Each setting of a series has its own curve.
func (c *pane) addProfiles(usable []record.Run) {
	curves, problemOf := c.profiledRuns(usable)
	if len(curves) == 0 {
		c.why = "no series has runs on all problems: restrict the problems with where"
		return
	}
	runs := make([][]record.Run, len(curves))
	for i, m := range curves {
		runs[i] = m.runs
	}
	q := c.spec.runtimes()
	costs := q.Observe(runs, problemOf)
	profiles, missed := make([]stats.Profile, len(costs)), "not reached within the budget"
	if c.spec.Draw == DrawPerformance {
		profiles, missed = stats.PerformanceProfiles(costs), "not reached by half of the repeats"
	}
	var shares []string
	for i, m := range curves {
		if c.spec.Draw == DrawRuntime {
			profiles[i] = costs[i].RuntimeProfile()
		}
		cv := c.stepCurve(profiles[i], m.runs)
		cv.curveID, cv.N = m.curveID, len(observe.Grouped(m.runs, func(r *record.Run) int { return r.Repeat }))
		if cv.N < 2 || c.spec.Band == BandNone {
			cv.Lo, cv.Hi = nil, nil
		}
		cv.Converged = c.spec.Draw == DrawRuntime && allConverged(m.runs)
		shares = append(shares, fmt.Sprintf("%s %.0f %%", c.in.labelOf(m.curveID), 100*(1-cv.Y[len(cv.Y)-1])))
		c.add(cv)
	}
	c.note(fmt.Sprintf("%s: %s", missed, strings.Join(shares, ", ")))
	c.notes = append(c.notes, targetsNote(q))
}

// profiledRuns returns the runs of each curve of a profile, and a function that identifies the problem of a run. A
// problem is a dataset with the problem parameters that all runs have. Curves without runs on some problem are left
// out, with a note.
func (c *pane) profiledRuns(usable []record.Run) (curves []curveRuns, problemOf func(*record.Run) string) {
	runs := filter(c.runs, func(r *record.Run) bool {
		known := slices.ContainsFunc(usable, func(o record.Run) bool { return seriesOf(&o) == seriesOf(r) })
		return known && r.Status != record.StatusSkipped
	})
	vars := slices.DeleteFunc(append([]string{"k"}, problemVars...), func(name string) bool {
		return slices.ContainsFunc(runs, func(r record.Run) bool { return r.Value(name) == nil })
	})
	problemOf = func(r *record.Run) string { return key(r, vars) }
	curves = c.in.byCurve(runs, func(own []record.Run) (settings []string) {
		for _, same := range observe.Grouped(own, problemOf) {
			settings = unique(append(settings, observe.Distinguish(same)...))
		}
		return settings
	})
	problems := len(observe.Grouped(runs, problemOf))
	var lacking []string
	curves = slices.DeleteFunc(curves, func(m curveRuns) bool {
		incomplete := len(observe.Grouped(m.runs, problemOf)) < problems
		if incomplete {
			lacking = append(lacking, c.in.labelOf(m.curveID))
		}
		return incomplete
	})
	if len(lacking) > 0 {
		names := strings.Join(lacking, ", ")
		c.note(fmt.Sprintf("left out, because runs on some of the %d problems are missing: %s", problems, names))
	}
	return curves, problemOf
}

// stepCurve returns the curve of a profile, with two points at each step. A runtime profile ends with the longest run,
// and a performance profile 5 % beyond the last step. A profile without steps is a line at 0.
func (c *pane) stepCurve(p stats.Profile, runs []record.Run) (cv ChartCurve) {
	var share stats.Interval
	add := func(x float64) {
		cv.X, cv.Y = append(cv.X, x), append(cv.Y, share.Value)
		cv.Lo, cv.Hi = append(cv.Lo, share.Lo), append(cv.Hi, share.Hi)
	}
	end := 1.0
	for i := range runs {
		if costs, _ := along(&runs[i], c.spec.X); c.spec.Draw == DrawRuntime && len(costs) > 0 {
			end = max(end, costs[len(costs)-1])
		}
	}
	for i, x := range p.X {
		add(x)
		share = p.Shares[i]
		add(x)
		end = max(end, x)
	}
	if c.spec.Draw == DrawPerformance {
		end *= 1.05
	}
	if len(p.X) == 0 {
		add(end / 1.05)
	}
	add(end)
	return cv
}

// targetsNote returns the note on the targets of profiles.
func targetsNote(q observe.Runtimes) string {
	metric := inSentence(q.Metric)
	if q.Relative {
		metric += " as a share of the optimum"
	}
	var texts []string
	for _, target := range slices.Backward(slices.Sorted(slices.Values(q.Targets))) {
		texts = append(texts, words.Digits(target, 3))
	}
	if n := len(texts); n > maxListed {
		texts = []string{fmt.Sprintf("%d, from %s to %s", n, texts[0], texts[n-1])}
	}
	return fmt.Sprintf("targets (%s): %s; how to read profiles: %s", metric, strings.Join(texts, ", "), profilesHelp)
}

// DefaultProfiles returns a runtime profile and a performance profile of the suboptimality. It returns nothing if fewer
// than two series record the suboptimality, or if one of the figures is a profile. The cost is that of the first figure
// of the suboptimality. If parameters are selected from a grid, a second panel shows the cost of the whole grid.
func (in Input) DefaultProfiles(figures []Figure) []Figure {
	p := Panel{X: record.CostIterations, Y: record.MetricSuboptimality}
	found := false
	for _, f := range figures {
		for _, shown := range f.AllPanels() {
			switch {
			case shown.Profiles():
				return nil
			case !found && shown.Draw == "" && shown.Y == p.Y && shown.X != record.CostSeconds:
				p.X, found = shown.X, true
			}
		}
	}
	var series []string
	for _, own := range observe.Grouped(in.Choice.Runs(), seriesOf) {
		if !in.Choice.BySize() && slices.ContainsFunc(own, func(r record.Run) bool { return p.runtimes().Recorded(&r) }) {
			series = append(series, own[0].Series)
		}
	}
	if len(series) < 2 {
		return nil
	}
	var panels []Panel
	grid := func(s selection.Series) bool { return len(s.Candidates) > 1 }
	if in.Choice.Chooses() && slices.ContainsFunc(in.Choice.Series, grid) {
		panels = []Panel{{}, {Tuned: "grid"}}
	}
	p.Series = series
	profile := func(draw, title, caption string) Figure {
		p.Draw = draw
		return Figure{ID: draw, Title: joinParts(": ", title, in.Title), Caption: caption, Panel: p, Panels: panels}
	}
	return []Figure{
		profile(DrawRuntime, "Runtime profile",
			"The share of problems, repeats and targets that each series reached at no more than a cost."),
		profile(DrawPerformance, "Performance profile",
			"The share of problems and targets that each series reached at no more than a multiple of the least cost."),
	}
}

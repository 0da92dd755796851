package spec

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
	"stochopt/plots"
)

// panelSplits are what metrics are of.
var panelSplits = []string{"train", "validation", "test", "population"}

// columnOf names the metric or cost that a column of tables is computed from; the
// others take none.
var columnOf = map[string]string{
	"final_suboptimality": defaultY, "mean_rank": "rank", "max_rank": "rank", "sum_kt2": "sum_kt2",
	"final_error": record.MetricError, "best_error": record.MetricError, "kernel_evals": "kernel_evals",
}

// defaultY is what figures show that do not say.
const defaultY = "suboptimality"

// columns returns the columns of tables that runs of the task can fill.
func (c *validator) columns() []string {
	return slices.DeleteFunc(plots.Measurements(), func(column string) bool {
		of, ok := columnOf[column]
		return ok && !c.task.measures(of)
	})
}

// shown returns what runs of the task can show on a y axis.
func (c *validator) shown() []string {
	known := slices.Clone(c.task.Metrics)
	if c.task.measures("rank") {
		known = append(known, observe.Spectrum)
	}
	return known
}

// known reports a value that is none of the known ones, and whether it is one.
func (c *validator) known(value, what string, known []string, at string) bool {
	ok := slices.Contains(known, value)
	if !ok {
		c.fail(at, "unknown %s %q%s", what, value, Hint(value, known))
	}
	return ok
}

// choice is known, of a value that need not be given.
func (c *validator) choice(value, what string, known []string, at string) {
	if value != "" {
		c.known(value, what, known, at)
	}
}

func (c *validator) choices(values []string, what string, known []string, at string) {
	for i, v := range values {
		c.known(v, what, known, at+sep+strconv.Itoa(i))
	}
}

// knownKey reports a key of the mapping at a path that is none of the known ones, and
// whether it is one.
func (c *validator) knownKey(key, what string, known []string, at string) bool {
	ok := slices.Contains(known, key)
	if !ok {
		c.failKey(at+sep+key, "unknown %s %q%s", what, key, Hint(key, known))
	}
	return ok
}

func (c *validator) selection() {
	sel := &c.spec.Select
	c.halvings()
	if sel.By == selection.ByNone {
		if len(sel.Tune) > 0 {
			ways := "validation or oracle"
			if c.task.Sparse {
				ways = "halvings, validation or oracle"
			}
			c.fail(rawPath("select", "tune"), "tune has no effect without by: set by to %s", ways)
		}
		return
	}
	if sel.By != selection.ByHalvings {
		c.choice(sel.Metric, "metric", c.task.Metrics, rawPath("select", "metric"))
	}
	if sel.By == selection.ByValidation {
		for _, d := range each(c.spec.Datasets) {
			if d.Split == nil || d.Split.Validation == 0 {
				c.fail(rawPath("select", "by"), "dataset %q (%s) has no validation split to select on", d.ID, d.Pos)
			}
		}
	}
	if _, written := c.places[rawPath("select", "tune")]; !written {
		if len(sel.Tune) == 0 && (sel.By != selection.ByHalvings || c.severalValues() != "") {
			c.fail(rawPath("select"), "tune is missing: list the parameters to choose, such as tune: [%s]", c.tunable())
		}
		return
	}
	all := c.allParams()
	for i, name := range sel.Tune {
		at := rawPath("select", "tune", strconv.Itoa(i))
		p, ok := findParam(all, name)
		switch {
		case !ok:
			c.fail(at, "no algorithm here has a parameter %q%s", name, Hint(name, paramNames(all)))
		case !p.Tunable:
			c.fail(at, "parameter %q cannot be tuned", name)
		}
		for _, d := range each(c.spec.Datasets) {
			if len(d.Problem[name]) > 0 {
				c.fail(at, "%q is in the problem of dataset %q, where it cannot be tuned: move its grid to defaults.with", name, d.ID)
			}
		}
	}
}

// tunable names a parameter that can be tuned.
func (c *validator) tunable() string {
	for _, p := range c.allParams() {
		if p.Tunable {
			return p.Name
		}
	}
	return stepPrefix + "c"
}

func (c *validator) figures() {
	c.unique("figure", "figures", names(c.spec.Figures, func(f plots.Figure) string { return f.ID }))
	for i, f := range each(c.spec.Figures) {
		at := rawPath("figures", strconv.Itoa(i))
		c.facet(f, at)
		c.panel(&f.Panel, at)
		if len(f.Panels) == 0 {
			c.effective(f.Panel, at)
		}
		for j := range f.Panels {
			at := at + sep + rawPath("panels", strconv.Itoa(j))
			c.panel(&f.Panels[j], at)
			c.effective(f.Panel.With(f.Panels[j]), at)
			if draw := f.Panels[j].Draw; several(draw) {
				c.fail(at+sep+"draw", "%s makes its own panels: set it for the whole figure, without panels", draw)
			}
		}
	}
}

// several reports whether a drawing makes two panels.
func several(draw string) bool { return draw == plots.DrawWater || draw == plots.DrawBias }

// facet checks how the panels of a figure are laid.
func (c *validator) facet(f *plots.Figure, at string) {
	rows, cols, panels := f.Facet.Rows, f.Facet.Cols, len(f.Panels) > 0
	inRows, inCols := at+sep+rawPath("facet", "rows"), at+sep+rawPath("facet", "cols")
	known := c.variables("dataset", "group", "series", "algorithm")
	c.choice(rows, "variable", known, inRows)
	c.choice(cols, "variable", known, inCols)
	if rows != "" && rows == cols {
		c.fail(inCols, "rows and columns both show %q; choose two variables, or only one of rows and cols", cols)
	}
	switch {
	case panels && several(f.Draw):
		c.fail(at+sep+"panels", "draw: %s makes its own panels; remove panels", f.Draw)
	case panels && rows != "" && cols != "":
		c.fail(at+sep+"panels", "facet already uses both rows and columns; remove one of them, or panels")
	case f.Draw == plots.DrawWater && rows != "":
		c.fail(inRows, "draw: water needs two panels below each other; use cols")
	case f.Draw == plots.DrawBias && cols != "":
		c.fail(inCols, "draw: bias needs two panels side by side; use rows")
	}
	if f.Facet.Wrap > 0 && (cols == "" || rows != "" || panels || several(f.Draw)) {
		c.fail(at+sep+rawPath("facet", "wrap"), "needs a figure with one row: set facet.cols, and neither facet.rows nor panels")
	}
}

// effective checks what only the panel together with its figure can say.
func (c *validator) effective(p plots.Panel, at string) {
	if p.Y == observe.Spectrum && !c.spec.Record.Spectrum && c.task.measures("rank") {
		c.fail(at, "y is %q, which is not recorded: set record.spectrum", observe.Spectrum)
	}
	if p.Y == "" && p.Draw == "" && !c.task.measures(defaultY) {
		c.fail(at, "y is missing: say what to show, such as y: %s", c.task.Metrics[0])
	}
	tradeoff := p.Draw == plots.DrawTradeoff
	if tradeoff {
		c.bySize("draws "+p.Draw, "whose", p.Where, at)
	}
	switch {
	case p.Tuned != "" && (p.Draw != "" || p.X == record.CostSeconds || p.Y == observe.Spectrum || len(p.FirstEpoch) > 0):
		c.fail(at, "tuned needs curves of a metric over a counted cost: remove it, or draw, first_epoch, x: %s or y: %s",
			record.CostSeconds, observe.Spectrum)
	case tradeoff && (p.X != "" || p.Y != "" || p.Split != ""):
		c.fail(at, "draw: %s has fixed axes, the number of support vectors and the test error: remove x, y and split", p.Draw)
	case tradeoff && len(p.FirstEpoch) > 0:
		c.fail(at, "first_epoch cannot be combined with draw: %s", p.Draw)
	case !tradeoff && p.Band == plots.BandHalvings:
		c.fail(at, "band: %s needs draw: %s", p.Band, plots.DrawTradeoff)
	}
	if by := c.spec.Select.By; p.Tuned != "" && by != selection.ByValidation && by != selection.ByOracle {
		c.fail(at, "tuned counts the cost of selection in a grid: set select: {by: %s, …} or {by: %s, …}",
			selection.ByValidation, selection.ByOracle)
	}
	if several(p.Draw) && !c.spec.Record.Vectors {
		c.fail(at, "draw: %s needs vectors, which are not recorded: set record.vectors", p.Draw)
	}
}

func (c *validator) panel(p *plots.Panel, at string) {
	c.choice(p.X, "cost", append(slices.Clone(c.task.Costs), record.CostSeconds), at+sep+"x")
	c.choice(p.Y, "metric", c.shown(), at+sep+"y")
	c.choice(p.Split, "split", panelSplits, at+sep+"split")
	c.choices(p.Series, "series", c.spec.seriesNames(), at+sep+"series")
	c.choices(p.FirstEpoch, "series", c.spec.seriesNames(), at+sep+"first_epoch")
	c.where(p.Where, at+sep+"where")
}

// variables returns what figures may be spread or filtered by: the given
// names, and the parameters.
func (c *validator) variables(names ...string) []string {
	return append(names, paramNames(c.allParams())...)
}

// where checks a filter: its variables, and the names that it filters by.
func (c *validator) where(filter map[string]any, at string) {
	for _, name := range slices.Sorted(maps.Keys(filter)) {
		if !c.knownKey(name, "variable", c.variables("dataset", "group", "series", "algorithm"), at) {
			continue
		}
		for _, v := range observe.Alternatives(filter[name]) {
			c.whereValue(name, v, at+sep+name)
		}
	}
}

func (c *validator) whereValue(name string, v any, at string) {
	var known []string
	switch name {
	case "dataset":
		known = c.spec.datasetIDs()
	case "series":
		known = c.spec.seriesNames()
	case "group":
		for i := range c.spec.Datasets {
			// A dataset without a group is a group of its own.
			known = words.AddOnce(known, cmp.Or(c.spec.Datasets[i].Group, c.spec.Datasets[i].ID))
		}
	case "algorithm":
		for i := range c.spec.Algorithms {
			known = words.AddOnce(known, c.spec.Algorithms[i].ID)
		}
	default:
		switch v.(type) {
		case []any, map[string]any:
			c.fail(at, "must be a value or a list of values")
			return
		}
		if p, ok := findParam(c.allParams(), name); ok {
			c.values(p, Grid{v}, at)
		}
		return
	}
	if s, ok := v.(string); !ok || !slices.Contains(known, s) {
		c.fail(at, "unknown %s %q%s", name, fmt.Sprint(v), Hint(fmt.Sprint(v), known))
	}
}

// OracleOnLabels warns of the labelled real datasets that parameters are chosen on by oracle. Those named
// have stand-ins.
func (s *Spec) OracleOnLabels(standIns []string) (warnings []string) {
	for _, d := range each(s.Datasets) {
		source := s.catalog.source(d.Source)
		real := (source == nil || !source.Simulated) && !slices.Contains(standIns, d.ID)
		if s.Select.By == selection.ByOracle && s.task.Supervised && real {
			warnings = append(warnings, fmt.Sprintf("%s: dataset %q: select.by is oracle, so the test errors that are reported "+
				"also choose the parameters: give the dataset a validation split and set select.by to validation", d.Pos, d.ID))
		}
	}
	return warnings
}

package spec

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/harness/internal/claims"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/internal/selection"
	"stochopt/internal/words"
	"stochopt/plots"
)

// panelSplits are the splits of metrics.
var panelSplits = []string{"train", "validation", "test", "population"}

// vocabulary is the set of allowed names for the value of a key or for the items of its list.
type vocabulary struct {
	what  string
	known []string
}

// vocabularies returns the vocabularies of the keys of figures, tables and claims, by list and key.
func (c *validator) vocabularies() map[string]map[string]vocabulary {
	shown, split := slices.Clone(c.spec.task.Metrics), vocabulary{"split", panelSplits}
	if c.spec.task.measures("rank") {
		shown = append(shown, observe.Spectrum)
	}
	costs := func(also ...string) vocabulary { return vocabulary{"cost", slices.Concat(c.spec.task.Costs, also)} }
	series, datasets := vocabulary{"series", c.series}, vocabulary{"dataset", c.spec.datasetIDs()}
	variable, metric := vocabulary{"variable", c.variables()}, vocabulary{"metric", c.spec.task.Metrics}
	fact := vocabulary{"fact or parameter", slices.Concat(c.spec.task.Facts, paramNames(c.params))}
	var exponents, products []string
	for _, f := range c.spec.Figures {
		products = append(products, f.ID)
	}
	for _, t := range c.spec.Tables {
		products = append(products, t.ID)
		if t.Kind == plots.KindExponents {
			exponents = append(exponents, t.ID)
		}
	}
	return map[string]map[string]vocabulary{
		"figures": {
			"x": costs(record.CostSeconds), "y": {"metric", shown}, "split": split, "series": series, "first_epoch": series,
			"facet": variable, "rows": variable, "cols": variable,
		},
		"tables": {"of": metric, "cost": costs(observe.CostSupport)},
		"claims": {
			"series": series, "below": series, "than": series, "datasets": datasets, "metric": metric, "split": split,
			"cost": costs(record.CostCPUSeconds, observe.CostSupport), "fact": fact, "per": fact,
			"shown": {"figure or table", products}, "table": {"table of exponents", exponents},
			"name": {"bound", claims.Bounds()},
		},
	}
}

// namesIn checks the names in a node against the vocabularies of their keys. Other functions check filters, theory and
// styles, whose keys are names.
func (c *validator) namesIn(n *node, p path, keys map[string]vocabulary) {
	if n == nil {
		return
	}
	for i, item := range n.items {
		c.namesIn(item, p.in(i), keys)
	}
	for _, f := range n.fields {
		if f.key == "where" || f.key == "theory" || f.key == "style" {
			continue
		}
		p, v := p.in(f.key), keys[f.key]
		check := func(n *node, p path) {
			if name, ok := n.value.(string); ok && v.what != "" {
				c.known(name, v.what, v.known, p)
			}
		}
		check(f.value, p)
		for i, item := range f.value.items {
			check(item, p.in(i))
		}
		c.namesIn(f.value, p, keys)
	}
}

// variables returns the variables of facets and filters.
func (c *validator) variables() []string {
	return append([]string{"dataset", "group", "series", "algorithm"}, paramNames(c.params)...)
}

// where checks the variables and values of a filter.
func (c *validator) where(filter map[string]any, p path) {
	for _, name := range slices.Sorted(maps.Keys(filter)) {
		if c.knownKey(name, "variable", c.variables(), p) {
			for _, v := range observe.Alternatives(filter[name]) {
				c.whereValue(name, v, p.in(name))
			}
		}
	}
}

func (c *validator) whereValue(name string, v any, p path) {
	var known []string
	switch name {
	case "dataset":
		known = c.spec.datasetIDs()
	case "series":
		known = c.series
	case "group":
		for _, d := range c.spec.Datasets {
			// A dataset without a group is its own group.
			known = words.AddOnce(known, cmp.Or(d.Group, d.ID))
		}
	case "algorithm":
		for _, a := range c.spec.Algorithms {
			known = words.AddOnce(known, a.ID)
		}
	default:
		switch v.(type) {
		case []any, map[string]any:
			c.fail(p, "must be a value or a list of values")
			return
		}
		if _, err := findParam(c.params, name).Coerce(v); err != nil {
			c.fail(p, "%s", err)
		}
		return
	}
	c.known(fmt.Sprint(v), name, known, p)
}

func (c *validator) figure(f *plots.Figure, p path) {
	c.style(f.Style, p.in("style"))
	c.where(f.Where, p.in("where"))
	rows, cols, panels := f.Facet.Rows, f.Facet.Cols, len(f.Panels) > 0
	facet := p.in("facet")
	if rows != "" && rows == cols {
		c.fail(facet.in("cols"), "rows and cols are both %q: choose two variables, or remove one of them", cols)
	}
	switch {
	case panels && twoPanels(f.Draw):
		c.fail(p.in("panels"), "draw: %s has its own panels: remove panels", f.Draw)
	case panels && rows != "" && cols != "":
		c.fail(p.in("panels"), "facet already uses rows and columns: remove rows, cols or panels")
	case f.Draw == plots.DrawWater && rows != "":
		c.fail(facet.in("rows"), "draw: water has two panels in a column: use cols")
	case f.Draw == plots.DrawBias && cols != "":
		c.fail(facet.in("cols"), "draw: bias has two panels in a row: use rows")
	}
	if f.Facet.Wrap > 0 && (cols == "" || rows != "" || panels || twoPanels(f.Draw)) {
		c.fail(facet.in("wrap"), "needs a figure with one row: set facet.cols, and remove facet.rows and panels")
	}
	if !panels {
		c.panel(f.Panel, p)
	}
	for i := range f.Panels {
		p := p.in("panels", i)
		c.where(f.Panels[i].Where, p.in("where"))
		c.panel(f.Panel.With(f.Panels[i]), p)
		if draw := f.Panels[i].Draw; twoPanels(draw) {
			c.fail(p.in("draw"), "%s has its own panels: set it for the figure instead, and remove panels", draw)
		}
	}
}

// twoPanels reports whether a value of draw makes two panels.
func twoPanels(draw string) bool { return draw == plots.DrawWater || draw == plots.DrawBias }

// defaultY is the default metric of figures.
const defaultY = "suboptimality"

// panel checks a panel that was merged with the settings of its figure.
func (c *validator) panel(panel plots.Panel, p path) {
	if panel.Y == observe.Spectrum && !c.spec.Record.Spectrum && c.spec.task.measures("rank") {
		c.fail(p, "y is %q, which is not recorded: set record.spectrum", observe.Spectrum)
	}
	if panel.Y == "" && (panel.Draw == "" || panel.Profiles()) && !c.spec.task.measures(defaultY) {
		c.fail(p, "y is missing: add a metric, such as y: %s", c.spec.task.Metrics[0])
	}
	if panel.Profiles() {
		c.profile(panel, p)
	} else if len(panel.Targets) > 0 {
		c.fail(p, "targets needs draw: %s or draw: %s", plots.DrawRuntime, plots.DrawPerformance)
	}
	tradeoff := panel.Draw == plots.DrawTradeoff
	if tradeoff {
		c.needsSelectionBySize("draw: "+panel.Draw, panel.Where, p)
	}
	switch {
	case panel.Tuned != "" && (panel.Draw != "" && !panel.Profiles() || panel.X == record.CostSeconds ||
		panel.Y == observe.Spectrum || len(panel.FirstEpoch) > 0):
		c.fail(p, "tuned needs curves of a metric over a counted cost: remove tuned, or draw, first_epoch, x: %s and y: %s",
			record.CostSeconds, observe.Spectrum)
	case tradeoff && (panel.X != "" || panel.Y != "" || panel.Split != ""):
		c.fail(p, "draw: %s has fixed axes, support vectors and test error: remove x, y and split", panel.Draw)
	case tradeoff && len(panel.FirstEpoch) > 0:
		c.fail(p, "first_epoch cannot be combined with draw: %s", panel.Draw)
	case !tradeoff && panel.Band == plots.BandHalvings:
		c.fail(p, "band: %s needs draw: %s", panel.Band, plots.DrawTradeoff)
	}
	if by := c.spec.Select.By; panel.Tuned != "" && by != selection.ByValidation && by != selection.ByOracle {
		c.fail(p, "tuned counts the cost of selection in a grid: set select: {by: %s, …} or {by: %s, …}",
			selection.ByValidation, selection.ByOracle)
	}
	if twoPanels(panel.Draw) && !c.spec.Record.Vectors {
		c.fail(p, "draw: %s needs vectors, which are not recorded: set record.vectors", panel.Draw)
	}
}

// profile checks a panel of profiles.
func (c *validator) profile(panel plots.Panel, p path) {
	y := cmp.Or(panel.Y, defaultY)
	metric := observe.MetricOf(c.spec.Task, y)
	switch {
	case panel.X == record.CostSeconds:
		c.fail(p, "draw: %s needs a counted cost: set x to one of %s", panel.Draw, strings.Join(c.spec.task.Costs, ", "))
	case y == observe.Spectrum || metric.MoreIsBetter:
		c.fail(p, "draw: %s needs a metric where less is better: choose a y other than %s", panel.Draw, y)
	case len(panel.Targets) == 0 && metric.Above == "":
		c.fail(p, "draw: %s of %s needs targets: list values of the metric, such as targets: [0.1, 0.01]", panel.Draw, y)
	case len(panel.FirstEpoch) > 0 || len(panel.Log) > 0 || panel.Band != "" && panel.Band != plots.BandNone:
		c.fail(p, "draw: %s has fixed scales, dashes and bands: remove log, first_epoch and any band except %s",
			panel.Draw, plots.BandNone)
	case c.spec.Rule().BySize():
		c.fail(p, "draw: %s needs a selection for whole runs, not at each support size", panel.Draw)
	}
}

// columnSources maps columns of tables to the metric or cost from which they are computed.
var columnSources = map[string]string{
	"final_suboptimality": defaultY, "mean_rank": "rank", "max_rank": "rank", "sum_kt2": "sum_kt2",
	"final_error": record.MetricError, "best_error": record.MetricError, "kernel_evals": "kernel_evals",
}

func (c *validator) table(t *plots.Table, p path) {
	c.where(t.Where, p.in("where"))
	sized := t.Kind == plots.KindTradeoff || t.Kind == plots.KindSparsification
	hasColumns := !sized && t.Kind != plots.KindTimeToError
	for _, key := range []struct {
		name   string
		valid  bool
		advice string
	}{
		{"sizes", sized, "needs a table with kind: tradeoff or sparsification"},
		{"validation", t.Kind == plots.KindTradeoff, "needs a table with kind: tradeoff"},
		{"exponents", t.Kind == plots.KindExponents, "needs a table with kind: exponents"},
		{"columns", hasColumns, "a table with kind: " + t.Kind + " has fixed columns: remove columns"},
		{"theory", hasColumns, "a table with kind: " + t.Kind + " has no theory: remove theory"},
	} {
		if !key.valid {
			c.misplaced(p, []string{key.name}, "%s", key.advice)
		}
	}
	var known []string
	switch t.Kind {
	case "":
		known = append(c.measurements(), paramNames(c.params)...)
	case plots.KindDatasets:
		known = plots.DatasetColumns()
	case plots.KindExponents:
		known = append(c.exponents(t, p), plots.ExponentColumns...)
	default:
		if sized {
			c.needsSelectionBySize("kind: "+t.Kind, t.Where, p)
		}
		if sized && len(t.Sizes) == 0 {
			c.fail(p, "sizes is empty: list numbers of support vectors, such as sizes: [10, 30, 100, 300, 1000]")
		}
		return
	}
	known = append(known, c.theory(t, p.in("theory"))...)
	if len(t.Columns) == 0 {
		c.fail(p, "columns is empty: list some of %s", strings.Join(known, ", "))
	}
	c.choices(t.Columns, "column", known, p.in("columns"))
}

// measurements returns the columns of tables for which runs of the task have values.
func (c *validator) measurements() []string {
	return slices.DeleteFunc(plots.Measurements(), func(column string) bool {
		source, ok := columnSources[column]
		return ok && !c.spec.task.measures(source)
	})
}

// theory checks the names of rows with theory, and returns its columns. A name with a space is not a series.
func (c *validator) theory(t *plots.Table, p path) (columns []string) {
	what, known := "series", c.series
	if t.Kind == plots.KindDatasets {
		what, known = "dataset", c.spec.datasetIDs()
	}
	for _, name := range slices.Sorted(maps.Keys(t.Theory)) {
		if t.Kind == plots.KindDatasets || !strings.Contains(name, " ") {
			c.knownKey(name, what, known, p)
		}
		for _, column := range slices.Sorted(maps.Keys(t.Theory[name])) {
			columns = words.AddOnce(columns, column)
		}
	}
	return columns
}

// exponents checks the exponents of a table and returns their columns.
func (c *validator) exponents(t *plots.Table, p path) (ids []string) {
	if len(t.Exponents) == 0 {
		c.fail(p, "exponents is empty: add one, such as {over: epsilon, targets: [0.1, 0.05]}")
	}
	for i, e := range t.Exponents {
		p := p.in("exponents", i)
		id, varies := e.Column(), slices.Contains(e.Variables(), observe.OverEpsilon)
		switch {
		case slices.Contains(e.With, e.Over):
			c.fail(p, "%q is already a variable of the power law: remove it from with", e.Over)
		case varies && len(e.Targets) < 2:
			c.fail(p, "a power law in epsilon needs more than one target")
		case !varies && len(e.Targets) > 1:
			c.fail(p, "with several targets epsilon varies: add epsilon to with, or keep one target")
		case slices.Contains(ids, id):
			c.fail(p, "two exponents have the column %q: change the id of one of them", id)
		case !slices.Contains(t.Columns, id):
			c.fail(p, "the column %q is not among the columns", id)
		}
		ids = append(ids, id)
	}
	return ids
}

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

// panelSplits are what metrics are of.
var panelSplits = []string{"train", "validation", "test", "population"}

// vocabulary is the names that a key may have for its value, or for each item of its list.
type vocabulary struct {
	what  string
	known []string
}

// nameTables returns the vocabularies of the keys of figures, tables and claims, by list.
func (c *validator) nameTables() map[string]map[string]vocabulary {
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

// namesIn checks the names in a node against the vocabularies of their keys. Filters, theory and styles,
// whose keys are names, are checked elsewhere.
func (c *validator) namesIn(n *node, p path, table map[string]vocabulary) {
	if n == nil {
		return
	}
	for i, item := range n.items {
		c.namesIn(item, p.in(i), table)
	}
	for _, f := range n.fields {
		if f.key == "where" || f.key == "theory" || f.key == "style" {
			continue
		}
		p, v := p.in(f.key), table[f.key]
		check := func(n *node, p path) {
			if name, ok := n.value.(string); ok && v.what != "" {
				c.known(name, v.what, v.known, p)
			}
		}
		check(f.value, p)
		for i, item := range f.value.items {
			check(item, p.in(i))
		}
		c.namesIn(f.value, p, table)
	}
}

// variables returns what figures may be spread or filtered by.
func (c *validator) variables() []string {
	return append([]string{"dataset", "group", "series", "algorithm"}, paramNames(c.params)...)
}

// where checks a filter: its variables, and the names that it filters by.
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
			// A dataset without a group is a group of its own.
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
	c.logRanges(*f, f.Style, p.in("style"))
	c.logRanges(*f, c.spec.Style, at("style"))
	c.where(f.Where, p.in("where"))
	rows, cols, panels := f.Facet.Rows, f.Facet.Cols, len(f.Panels) > 0
	facet := p.in("facet")
	if rows != "" && rows == cols {
		c.fail(facet.in("cols"), "rows and columns both show %q; choose two variables, or only one of rows and cols", cols)
	}
	switch {
	case panels && several(f.Draw):
		c.fail(p.in("panels"), "draw: %s makes its own panels; remove panels", f.Draw)
	case panels && rows != "" && cols != "":
		c.fail(p.in("panels"), "facet already uses both rows and columns; remove one of them, or panels")
	case f.Draw == plots.DrawWater && rows != "":
		c.fail(facet.in("rows"), "draw: water needs two panels below each other; use cols")
	case f.Draw == plots.DrawBias && cols != "":
		c.fail(facet.in("cols"), "draw: bias needs two panels side by side; use rows")
	}
	if f.Facet.Wrap > 0 && (cols == "" || rows != "" || panels || several(f.Draw)) {
		c.fail(facet.in("wrap"), "needs a figure with one row: set facet.cols, and neither facet.rows nor panels")
	}
	if !panels {
		c.panel(f.Panel, p)
	}
	for i := range f.Panels {
		p := p.in("panels", i)
		c.where(f.Panels[i].Where, p.in("where"))
		c.panel(f.Panel.With(f.Panels[i]), p)
		if draw := f.Panels[i].Draw; several(draw) {
			c.fail(p.in("draw"), "%s makes its own panels: set it for the whole figure, without panels", draw)
		}
	}
}

// several reports whether a drawing makes two panels.
func several(draw string) bool { return draw == plots.DrawWater || draw == plots.DrawBias }

// defaultY is what figures show that do not say.
const defaultY = "suboptimality"

// panel checks a panel together with what its figure says for all panels.
func (c *validator) panel(p plots.Panel, at path) {
	if p.Y == observe.Spectrum && !c.spec.Record.Spectrum && c.spec.task.measures("rank") {
		c.fail(at, "y is %q, which is not recorded: set record.spectrum", observe.Spectrum)
	}
	if p.Y == "" && (p.Draw == "" || p.Profiles()) && !c.spec.task.measures(defaultY) {
		c.fail(at, "y is missing: say what to show, such as y: %s", c.spec.task.Metrics[0])
	}
	if p.Profiles() {
		c.profile(p, at)
	} else if len(p.Targets) > 0 {
		c.fail(at, "targets needs draw: %s or draw: %s", plots.DrawRuntime, plots.DrawPerformance)
	}
	tradeoff := p.Draw == plots.DrawTradeoff
	if tradeoff {
		c.bySize("draws "+p.Draw, "whose", p.Where, at)
	}
	switch {
	case p.Tuned != "" && (p.Draw != "" && !p.Profiles() || p.X == record.CostSeconds ||
		p.Y == observe.Spectrum || len(p.FirstEpoch) > 0):
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

// profile checks a panel of profiles.
func (c *validator) profile(p plots.Panel, at path) {
	y := cmp.Or(p.Y, defaultY)
	metric := observe.MetricOf(c.spec.Task, y)
	switch {
	case p.X == record.CostSeconds:
		c.fail(at, "draw: %s needs a counted cost, which x: %s is not: choose one of %s",
			p.Draw, p.X, strings.Join(c.spec.task.Costs, ", "))
	case y == observe.Spectrum || metric.MoreIsBetter:
		c.fail(at, "draw: %s needs a metric where less is better: choose another y than %s", p.Draw, y)
	case len(p.Targets) == 0 && metric.Above == "":
		c.fail(at, "draw: %s of %s needs targets: list values of it, such as targets: [0.1, 0.01]", p.Draw, y)
	case len(p.FirstEpoch) > 0 || len(p.Log) > 0 || p.Band != "" && p.Band != plots.BandNone:
		c.fail(at, "draw: %s has scales, dashes and a band of its own: remove log, first_epoch and any band but %s",
			p.Draw, plots.BandNone)
	case c.spec.Rule().BySize():
		c.fail(at, "draw: %s needs parameters that are selected for whole runs, not at each support size", p.Draw)
	}
}

// columnOf names the metric or cost that a column of tables is computed from; the
// others take none.
var columnOf = map[string]string{
	"final_suboptimality": defaultY, "mean_rank": "rank", "max_rank": "rank", "sum_kt2": "sum_kt2",
	"final_error": record.MetricError, "best_error": record.MetricError, "kernel_evals": "kernel_evals",
}

func (c *validator) table(t *plots.Table, p path) {
	c.where(t.Where, p.in("where"))
	sized := t.Kind == plots.KindTradeoff || t.Kind == plots.KindSparsification
	free := !sized && t.Kind != plots.KindTimeToError
	for _, key := range []struct {
		name   string
		suits  bool
		advice string
	}{
		{"sizes", sized, "needs a table with kind: tradeoff or sparsification"},
		{"validation", t.Kind == plots.KindTradeoff, "needs a table with kind: tradeoff"},
		{"exponents", t.Kind == plots.KindExponents, "needs a table with kind: exponents"},
		{"columns", free, "a table with kind: " + t.Kind + " has fixed columns; remove columns"},
		{"theory", free, "a table with kind: " + t.Kind + " cannot show theory; remove theory"},
	} {
		if !key.suits {
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
			c.bySize("is of the kind "+t.Kind, "for which", t.Where, p)
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

// measurements returns the columns of tables that runs of the task can fill.
func (c *validator) measurements() []string {
	return slices.DeleteFunc(plots.Measurements(), func(column string) bool {
		of, ok := columnOf[column]
		return ok && !c.spec.task.measures(of)
	})
}

// theory checks whom theory is given for, and returns its columns. No series has a name with a space.
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

// exponents checks the exponents of a table, and returns their columns.
func (c *validator) exponents(t *plots.Table, p path) (ids []string) {
	if len(t.Exponents) == 0 {
		c.fail(p, "exponents is empty: list some, such as {over: epsilon, targets: [0.1, 0.05]}")
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
			c.fail(p, "several targets mean that epsilon varies: add epsilon to with, or keep one target")
		case slices.Contains(ids, id):
			c.fail(p, "two exponents have the column %q: give one of them another id", id)
		case !slices.Contains(t.Columns, id):
			c.fail(p, "the column %q is not among the columns", id)
		}
		ids = append(ids, id)
	}
	return ids
}

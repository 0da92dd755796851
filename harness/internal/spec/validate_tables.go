package spec

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/words"
	"stochopt/plots"
)

func (c *validator) tables() {
	c.unique("table", "tables", names(c.spec.Tables, func(t plots.Table) string { return t.ID }))
	for i, t := range each(c.spec.Tables) {
		at := rawPath("tables", strconv.Itoa(i))
		c.where(t.Where, at+sep+"where")
		c.onlyOf(t, at)
		theory := c.theory(t, at+sep+"theory")
		var known []string
		switch t.Kind {
		case "":
			known = slices.Concat(c.columns(), paramNames(c.allParams()), theory)
		case plots.KindDatasets:
			known = slices.Concat(plots.DatasetColumns(), theory)
		case plots.KindExponents:
			known = slices.Concat(c.exponents(t, at), plots.ExponentColumns, theory)
		default:
			if sized(t) {
				c.bySize("is of the kind "+t.Kind, "for which", t.Where, at)
			}
			continue
		}
		if len(t.Columns) == 0 {
			c.fail(at, "columns is empty: list some of %s", strings.Join(known, ", "))
		}
		c.choices(t.Columns, "column", known, at+sep+"columns")
	}
}

// sized reports whether a table shows classifiers of some support sizes.
func sized(t *plots.Table) bool {
	return t.Kind == plots.KindTradeoff || t.Kind == plots.KindSparsification
}

// onlyOf reports keys that tables of the kind do not have, and sizes that are missing.
func (c *validator) onlyOf(t *plots.Table, at string) {
	fixed := sized(t) || t.Kind == plots.KindTimeToError
	for _, key := range []struct {
		name  string
		set   bool
		suits bool
		text  string
	}{
		{"sizes", len(t.Sizes) > 0, sized(t), "needs a table with kind: tradeoff or sparsification"},
		{"validation", t.Validation, t.Kind == plots.KindTradeoff, "needs a table with kind: tradeoff"},
		{"exponents", len(t.Exponents) > 0, t.Kind == plots.KindExponents, "needs a table with kind: exponents"},
		{"columns", len(t.Columns) > 0, !fixed, "a table with kind: " + t.Kind + " has fixed columns; remove columns"},
		{"theory", len(t.Theory) > 0, !fixed, "a table with kind: " + t.Kind + " cannot show theory; remove theory"},
	} {
		if key.set && !key.suits {
			c.failKey(at+sep+key.name, "%s", key.text)
		}
	}
	if sized(t) && len(t.Sizes) == 0 {
		c.fail(at, "sizes is empty: list numbers of support vectors, such as sizes: [10, 30, 100, 300, 1000]")
	}
}

// theory checks whom theory is given for, and returns its columns.
func (c *validator) theory(t *plots.Table, at string) []string {
	what, known := "series", c.spec.seriesNames()
	if t.Kind == plots.KindDatasets {
		what, known = "dataset", c.spec.datasetIDs()
	}
	var columns []string
	for _, name := range slices.Sorted(maps.Keys(t.Theory)) {
		c.knownKey(name, what, known, at)
		for _, column := range slices.Sorted(maps.Keys(t.Theory[name])) {
			columns = words.AddOnce(columns, column)
		}
	}
	return columns
}

// exponents checks the exponents of a table, and returns their columns.
func (c *validator) exponents(t *plots.Table, at string) []string {
	if len(t.Exponents) == 0 {
		c.fail(at, "exponents is empty: list some, such as {over: epsilon, targets: [0.1, 0.05]}")
	}
	var ids []string
	for i, e := range t.Exponents {
		at := at + sep + rawPath("exponents", strconv.Itoa(i))
		c.choice(e.Of, "metric", c.task.Metrics, at+sep+"of")
		c.choice(e.Cost, "cost", append(slices.Clone(c.task.Costs), observe.CostSupport), at+sep+"cost")
		id, varies := e.Column(), slices.Contains(e.Variables(), observe.OverEpsilon)
		switch {
		case slices.Contains(e.With, e.Over):
			c.fail(at, "%q is already a variable of the power law: remove it from with", e.Over)
		case varies && len(e.Targets) < 2:
			c.fail(at, "a power law in epsilon needs more than one target")
		case !varies && len(e.Targets) > 1:
			c.fail(at, "several targets mean that epsilon varies: add epsilon to with, or keep one target")
		case slices.Contains(ids, id):
			c.fail(at, "two exponents have the column %q: give one of them another id", id)
		case !slices.Contains(t.Columns, id):
			c.fail(at, "the column %q is not among the columns", id)
		}
		ids = append(ids, id)
	}
	return ids
}

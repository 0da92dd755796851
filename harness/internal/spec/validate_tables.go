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
		c.mistakes(t.Mistakes(), at)
		c.where(t.Where, at+sep+"where")
		theory := c.theory(t, at+sep+"theory")
		switch t.Kind {
		case plots.KindTimeToError:
			c.choice(t.Reference, "series", c.spec.seriesNames(), at+sep+"reference")
		case plots.KindExponents:
			c.tableOfExponents(t, at)
		case plots.KindTradeoff, plots.KindSparsification:
			c.tableOfSizes(t, at)
		case "":
			known := slices.Concat(c.columns(), paramNames(c.allParams()), theory)
			if len(t.Columns) == 0 {
				c.fail(at, "columns is empty: list some of %s", strings.Join(known, ", "))
			}
			c.choices(t.Columns, "column", known, at+sep+"columns")
		}
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

// tableOfSizes checks a table of classifiers of some support sizes.
func (c *validator) tableOfSizes(t *plots.Table, at string) {
	c.bySize("is of the kind "+t.Kind, "for which", t.Where, at)
	if t.Kind == plots.KindSparsification {
		c.choice(t.Reference, "series", c.spec.seriesNames(), at+sep+"reference")
	}
}

func (c *validator) tableOfExponents(t *plots.Table, at string) {
	for i, e := range t.Exponents {
		at := at + sep + rawPath("exponents", strconv.Itoa(i))
		c.choice(e.Metric, "metric", c.task.Metrics, at+sep+"metric")
		c.choice(e.Split, "split", panelSplits, at+sep+"split")
		c.choice(e.Of, "metric", c.task.Metrics, at+sep+"of")
		c.choice(e.Cost, "cost", append(slices.Clone(c.task.Costs), observe.CostSupport), at+sep+"cost")
	}
}

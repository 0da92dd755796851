package spec

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/plots"
	"stochopt/results/analysis"
)

func (c *validator) tables() {
	for i := range c.spec.Tables {
		t := &c.spec.Tables[i]
		at := rawPath("tables", strconv.Itoa(i))
		before := func(j int) string { return c.spec.Tables[j].ID }
		c.outputID(t.ID, "table", i, before, at+sep+"id")
		c.where(t.Where, at+sep+"where")
		c.choice(t.Kind, "kind of table", plots.Kinds(), at+sep+"kind")
		theory := c.theory(t, at+sep+"theory")
		switch t.Kind {
		case plots.KindDatasets:
			c.tableOfDatasets(t, theory, at)
		case plots.KindTimeToError:
			c.tableOfTimes(t, at)
		case plots.KindExponents:
			c.tableOfExponents(t, theory, at)
		case plots.KindTradeoff, plots.KindSparsification:
			c.tableOfSizes(t, at)
		default:
			known := slices.Concat(c.columns(), paramNames(c.allParams()), theory)
			if len(t.Columns) == 0 {
				c.fail(at, "lists no columns: list some of %s", strings.Join(known, ", "))
			}
			c.choices(t.Columns, "column", known, at+sep+"columns")
		}
		if t.Kind != plots.KindTimeToError {
			c.unsuited(t.Reference != "" && t.Kind != plots.KindSparsification, "reference", plots.KindTimeToError, at)
			c.unsuited(len(t.Targets) > 0, "targets", plots.KindTimeToError, at)
		}
		sized := t.Kind == plots.KindTradeoff || t.Kind == plots.KindSparsification
		c.unsuited(len(t.Sizes) > 0 && !sized, "sizes", plots.KindTradeoff+" or "+plots.KindSparsification, at)
		c.unsuited(t.Validation && t.Kind != plots.KindTradeoff, "validation", plots.KindTradeoff, at)
		c.unsuited(len(t.Exponents) > 0 && t.Kind != plots.KindExponents, "exponents", plots.KindExponents, at)
	}
}

// unsuited reports a field that is there but belongs to another kind of table.
func (c *validator) unsuited(there bool, field, kind, at string) {
	if there {
		c.failKey(at+sep+field, "%q is for a table of the kind %s", field, kind)
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
		if !slices.Contains(known, name) {
			c.failKey(at+sep+name, "unknown %s %q%s", what, name, Hint(name, known))
		}
		for _, column := range slices.Sorted(maps.Keys(t.Theory[name])) {
			if !slices.Contains(columns, column) {
				columns = append(columns, column)
			}
		}
	}
	return columns
}

func (c *validator) tableOfDatasets(t *plots.Table, theory []string, at string) {
	known := slices.Concat(plots.DatasetColumns(), theory)
	if len(t.Columns) == 0 {
		c.fail(at, "lists no columns: list some of %s", strings.Join(known, ", "))
	}
	c.choices(t.Columns, "column", known, at+sep+"columns")
}

// tableOfSizes checks a table of classifiers of some support sizes.
func (c *validator) tableOfSizes(t *plots.Table, at string) {
	switch {
	case !c.spec.sparse():
		c.fail(at, "is of the kind %s, which belongs to searches for sparse classifiers; the task is %s", t.Kind, c.spec.Task)
	case c.spec.Select.By != ByHalvings:
		c.fail(at, "is of the kind %s, for which parameters are selected at each support size: set select: {by: %s, …}", t.Kind, ByHalvings)
	}
	if t.Kind == plots.KindTradeoff && len(t.Sizes) == 0 {
		c.fail(at, "lists no sizes: list some numbers of support vectors, such as sizes: [10, 30, 100, 300, 1000]")
	}
	if len(t.Columns) > 0 {
		c.fail(at+sep+"columns", "a table of the kind %s has columns of its own", t.Kind)
	}
	if len(t.Theory) > 0 {
		c.fail(at+sep+"theory", "a table of the kind %s has no place for theory", t.Kind)
	}
	if t.Kind == plots.KindSparsification {
		c.choice(t.Reference, "series", c.spec.seriesNames(), at+sep+"reference")
	}
	for i, s := range t.Sizes {
		if slices.Contains(t.Sizes[:i], s) {
			c.fail(at+sep+"sizes"+sep+strconv.Itoa(i), "%d occurs twice", s)
		}
	}
	for _, name := range c.spec.Select.Tune {
		if _, ok := t.Where[name]; ok {
			c.failKey(at+sep+"where"+sep+name, "%q is selected at each support size: drop it here or from select.tune", name)
		}
	}
}

func (c *validator) tableOfTimes(t *plots.Table, at string) {
	if len(t.Columns) > 0 {
		c.fail(at+sep+"columns", "a table of the kind %s has columns of its own", t.Kind)
	}
	if len(t.Theory) > 0 {
		c.fail(at+sep+"theory", "a table of the kind %s has no place for theory", t.Kind)
	}
	c.choice(t.Reference, "series", c.spec.seriesNames(), at+sep+"reference")
	c.byDataset(t.Targets, at+sep+"targets")
	for _, name := range slices.Sorted(maps.Keys(t.Targets)) {
		at := at + sep + "targets" + sep + name
		if v := t.Targets[name]; !(0 <= v && v < 1) {
			c.fail(at, "an error is a fraction, at least 0 and less than 1, got %v", v)
		}
	}
}

// byDataset checks the keys of numbers that are given by data set.
func (c *validator) byDataset(values map[string]float64, at string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if known := c.spec.datasetIDs(); !slices.Contains(known, name) {
			c.failKey(at+sep+name, "unknown dataset %q%s", name, Hint(name, known))
		}
	}
}

func (c *validator) tableOfExponents(t *plots.Table, theory []string, at string) {
	if len(t.Exponents) == 0 {
		c.fail(at, "lists no exponents")
	}
	var ids []string
	for i, e := range t.Exponents {
		at := at + sep + "exponents" + sep + strconv.Itoa(i)
		c.choice(e.Metric, "metric", c.metrics(), at+sep+"metric")
		c.choice(e.Split, "split", panelSplits, at+sep+"split")
		c.choice(e.Of, "metric", c.metrics(), at+sep+"of")
		c.choice(e.Cost, "cost", append(slices.Clone(c.costs()), analysis.CostSupport), at+sep+"cost")
		c.where(e.Where, at+sep+"where")
		c.byDataset(e.Values, at+sep+"values")
		c.byDataset(e.Floor, at+sep+"floor")
		if err := e.Validate(); err != nil {
			c.fail(at, "%v", err)
		}
		if slices.Contains(ids, e.Column()) {
			c.fail(at, "two exponents have the column %q: give one of them an id", e.Column())
		}
		ids = append(ids, e.Column())
		if !slices.Contains(t.Columns, e.Column()) {
			c.fail(at, "the column %q is not among the columns", e.Column())
		}
	}
	c.choices(t.Columns, "column", slices.Concat(ids, plots.ExponentColumns(), theory), at+sep+"columns")
}

package plots

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// format returns a value as text. Equal numbers have equal texts.
func format(v any) string { return record.FormatValue(v) }

// label returns the text for a value of a variable in titles and legends.
func (c Catalog) label(name string, v any) string {
	switch name {
	case record.VarDataset, record.VarGroup:
		return format(v)
	case record.VarSeries, record.VarAlgorithm:
		return c.Name(format(v))
	default:
		return symbol(name) + " = " + format(v)
	}
}

// symbols holds the symbols of parameters in the literature.
var symbols = map[string]string{
	"sigma2": "σ²", "gamma": "γ", "lambda": "λ", "nu": "ν", "epsilon": "ε", "eta": "η",
}

// symbol returns the symbol of a parameter, or its id.
func symbol(name string) string { return cmp.Or(symbols[name], name) }

// columnTitle returns the title of a column of theory. It replaces a parameter at the beginning of an id by its symbol:
// "nu (thesis)" becomes "ν (thesis)".
func columnTitle(id string) string {
	name, rest, _ := strings.Cut(id, " ")
	if s := symbols[name]; s != "" {
		return strings.TrimSpace(s + " " + rest)
	}
	return observe.Label(id)
}

func filter(runs []record.Run, keep func(*record.Run) bool) []record.Run {
	var kept []record.Run
	for i := range runs {
		if keep(&runs[i]) {
			kept = append(kept, runs[i])
		}
	}
	return kept
}

// distinct returns the values of a variable in the runs: numbers in ascending order, others by first occurrence.
func distinct(runs []record.Run, name string) []any {
	var values []any
	seen := make(map[string]bool)
	numeric := true
	for i := range runs {
		v := runs[i].Value(name)
		if v == nil || seen[format(v)] {
			continue
		}
		seen[format(v)] = true
		_, isNumber := record.Number(v)
		numeric = numeric && isNumber
		values = append(values, v)
	}
	if numeric {
		slices.SortStableFunc(values, compareValues)
	}
	return values
}

// textsOf returns the values of distinct as texts.
func textsOf(runs []record.Run, name string) []string {
	var texts []string
	for _, v := range distinct(runs, name) {
		texts = append(texts, format(v))
	}
	return texts
}

// byDataset groups the runs by dataset, in order of first occurrence.
func byDataset(runs []record.Run) [][]record.Run {
	return observe.Grouped(runs, func(r *record.Run) string { return r.Dataset })
}

// bySeries returns a row for each series, in the order of the catalog.
func (c Catalog) bySeries(runs []record.Run) []tableRow {
	var rows []tableRow
	for _, own := range observe.Grouped(runs, seriesOf) {
		rows = append(rows, c.row(seriesOf(&own[0]), own))
	}
	slices.SortFunc(rows, c.compareRows)
	return rows
}

// partition groups the runs by their values of vars, in the order of the values.
func partition(runs []record.Run, vars []string) [][]record.Run {
	parts := observe.Grouped(runs, func(r *record.Run) string { return key(r, vars) })
	slices.SortStableFunc(parts, func(a, b []record.Run) int { return compareVars(&a[0], &b[0], vars) })
	return parts
}

// compareVars orders runs by their values of vars.
func compareVars(a, b *record.Run, vars []string) int {
	for _, name := range vars {
		if c := compareValues(a.Value(name), b.Value(name)); c != 0 {
			return c
		}
	}
	return 0
}

// compareValues orders numbers by size and other values by text.
func compareValues(a, b any) int {
	x, _ := record.Number(a)
	y, _ := record.Number(b)
	return cmp.Or(cmp.Compare(x, y), strings.Compare(format(a), format(b)))
}

// key returns a text that is equal for runs with equal values of the variables.
func key(r *record.Run, vars []string) string {
	var b strings.Builder
	for _, name := range vars {
		fmt.Fprintf(&b, "%q;", format(r.Value(name)))
	}
	return b.String()
}

// describe returns the values of variables of a run, for titles and legends.
func (c Catalog) describe(r *record.Run, vars []string) string {
	var parts []string
	for _, name := range vars {
		if v := r.Value(name); v != nil {
			parts = append(parts, c.label(name, v))
		}
	}
	return strings.Join(parts, ", ")
}

// describeWhere returns the conditions as text, ordered by variable.
func (in Input) describeWhere(where map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(where)) {
		var texts []string
		for _, v := range observe.Alternatives(where[name]) {
			texts = append(texts, format(v))
		}
		if name == record.VarDataset {
			texts = in.titlesOf(texts)
		}
		parts = append(parts, in.label(name, strings.Join(texts, " or ")))
	}
	return strings.Join(parts, ", ")
}

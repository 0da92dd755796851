package plots

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stochopt/results/record"
)

// Variables of a run that are not parameters.
const (
	varDataset   = record.VarDataset
	varGroup     = record.VarGroup
	varSeries    = record.VarSeries
	varAlgorithm = record.VarAlgorithm
)

// valueOf returns the run's value of a variable: see results.Run.Value.
func valueOf(r *record.Run, name string) any { return r.Value(name) }

// number returns v as a float64 if it is a number.
func number(v any) (float64, bool) { return record.Number(v) }

// format returns the text of a value; equal numbers have equal texts.
func format(v any) string { return record.FormatValue(v) }

// label returns what titles and legends call a value of a variable.
func (c Catalog) label(name string, v any) string {
	switch name {
	case varDataset, varGroup:
		return format(v)
	case varSeries, varAlgorithm:
		return c.Name(format(v))
	default:
		return symbol(name) + " = " + format(v)
	}
}

// symbols are what the literature calls parameters whose ids spell them out.
var symbols = map[string]string{
	"sigma2": "σ²", "gamma": "γ", "lambda": "λ", "nu": "ν", "epsilon": "ε", "eta": "η",
}

// symbol returns the symbol of a parameter, or its id.
func symbol(name string) string { return cmp.Or(symbols[name], name) }

// columnTitle is axisLabel, but begins with the symbol of a parameter if id
// begins with its name, as "nu (thesis)" does.
func columnTitle(id string) string {
	name, rest, more := strings.Cut(id, " ")
	if s := symbols[name]; s != "" && more {
		return s + " " + rest
	} else if s != "" {
		return s
	}
	return axisLabel(id)
}

// matches reports whether a run has all the values of where.
func matches(r *record.Run, where map[string]any) bool { return record.Where(where).Matches(r) }

// filter returns the runs of which keep holds.
func filter(runs []record.Run, keep func(*record.Run) bool) []record.Run {
	var kept []record.Run
	for i := range runs {
		if keep(&runs[i]) {
			kept = append(kept, runs[i])
		}
	}
	return kept
}

// distinct returns the values that the runs have of a variable: numbers in
// ascending order, others as they first occur.
func distinct(runs []record.Run, name string) []any {
	var values []any
	seen := make(map[string]bool)
	numeric := true
	for i := range runs {
		v := valueOf(&runs[i], name)
		if v == nil || seen[format(v)] {
			continue
		}
		seen[format(v)] = true
		_, isNumber := number(v)
		numeric = numeric && isNumber
		values = append(values, v)
	}
	if numeric {
		slices.SortStableFunc(values, compareNumbers)
	}
	return values
}

func compareNumbers(a, b any) int {
	x, _ := number(a)
	y, _ := number(b)
	return cmp.Compare(x, y)
}

// key returns the run's values of the variables as a string, different where
// any of the values is.
func key(r *record.Run, vars []string) string {
	var b strings.Builder
	for _, name := range vars {
		fmt.Fprintf(&b, "%q;", format(valueOf(r, name)))
	}
	return b.String()
}

// describe names the values of the variables for a title or legend.
func (c Catalog) describe(r *record.Run, vars []string) string {
	var parts []string
	for _, name := range vars {
		if v := valueOf(r, name); v != nil {
			parts = append(parts, c.label(name, v))
		}
	}
	return strings.Join(parts, ", ")
}

// describeWhere names the conditions of where, in order of name.
func (c Catalog) describeWhere(where map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(where)) {
		v := where[name]
		if options, ok := v.([]any); ok {
			texts := make([]string, len(options))
			for i, o := range options {
				texts[i] = format(o)
			}
			v = strings.Join(texts, " or ")
		}
		parts = append(parts, c.label(name, v))
	}
	return strings.Join(parts, ", ")
}

package record

import (
	"cmp"
	"fmt"
	"slices"
)

// Variables of a run that are not parameters.
const (
	VarDataset   = "dataset"
	VarGroup     = "group"
	VarSeries    = "series"
	VarAlgorithm = "algorithm"
)

// Value returns the run's value of a variable: "dataset", "group" (the dataset's
// id where it has none), "series", "algorithm", or a parameter. It is nil if the
// run has no such parameter.
func (r *Run) Value(name string) any {
	switch name {
	case VarDataset:
		return r.Dataset
	case VarGroup:
		return cmp.Or(r.Group, r.Dataset)
	case VarSeries:
		return r.Series
	case VarAlgorithm:
		return r.Algorithm
	default:
		return r.Params[name]
	}
}

// Grouped parts runs by a key, in the order in which keys first occur.
func Grouped[K comparable](runs []Run, key func(*Run) K) [][]Run {
	var parts [][]Run
	at := make(map[K]int)
	for i := range runs {
		k := key(&runs[i])
		j, ok := at[k]
		if !ok {
			j = len(parts)
			at[k], parts = j, append(parts, nil)
		}
		parts[j] = append(parts[j], runs[i])
	}
	return parts
}

// Where restricts runs by their values of variables. A list stands for any of its
// values.
type Where map[string]any

// Matches reports whether a run has all the values.
func (w Where) Matches(r *Run) bool {
	for name := range w {
		if have := r.Value(name); have == nil || !w.Allows(name, have) {
			return false
		}
	}
	return true
}

// Allows reports whether a variable may have a value.
func (w Where) Allows(name string, value any) bool {
	want, ok := w[name]
	return !ok || slices.ContainsFunc(Alternatives(want), func(o any) bool { return FormatValue(o) == FormatValue(value) })
}

// Alternatives returns the values that a restriction allows.
func Alternatives(want any) []any {
	if list, ok := want.([]any); ok {
		return list
	}
	return []any{want}
}

// Number returns v as a float64 if it is a number of any type that YAML or a
// record yields.
func Number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// FormatValue returns the text of a value of a variable, without quotes; equal
// numbers have equal texts. It is empty for nil.
func FormatValue(v any) string {
	if x, ok := Number(v); ok {
		return formatNumber(x)
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

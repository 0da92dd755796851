package record

import (
	"cmp"
	"fmt"
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

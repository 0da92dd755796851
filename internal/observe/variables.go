package observe

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
)

// Distinguish returns a small set of variables that distinguish all runs with different data sets or parameters, in the
// order of CompareVariables.
func Distinguish(runs []record.Run) []string {
	// classes returns the number of runs with different values of variables.
	classes := func(vars []string) int {
		seen := make(map[string]bool)
		for i := range runs {
			var key strings.Builder
			for _, name := range vars {
				key.WriteString(strconv.Quote(record.FormatValue(runs[i].Value(name))))
			}
			seen[key.String()] = true
		}
		return len(seen)
	}
	settings, names := make(map[[2]string]bool), map[string]bool{record.VarDataset: true}
	for i := range runs {
		settings[[2]string{runs[i].Dataset, runs[i].Params.String()}] = true
		for name := range runs[i].Params {
			names[name] = true
		}
	}
	var vars []string
	distinguished := 1
	for _, name := range slices.SortedFunc(maps.Keys(names), CompareVariables) {
		if distinguished >= len(settings) {
			break
		}
		if n := classes(append(slices.Clone(vars), name)); n > distinguished {
			vars, distinguished = append(vars, name), n
		}
	}
	return vars
}

// CompareVariables orders variables: the data set, k and cap first, step sizes last, because they are selected for each
// setting of the others.
func CompareVariables(a, b string) int {
	first := []string{record.VarDataset, "k", "cap"}
	rank := func(name string) int {
		i := slices.Index(first, name)
		switch {
		case i >= 0:
			return i
		case strings.HasPrefix(name, "step"):
			return len(first) + 1
		}
		return len(first)
	}
	return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
}

// Grouped divides a list into groups with equal keys, in the order of the first occurrences of the keys.
func Grouped[T any, K comparable](list []T, key func(*T) K) [][]T {
	var parts [][]T
	at := make(map[K]int)
	for i := range list {
		k := key(&list[i])
		j, ok := at[k]
		if !ok {
			j = len(parts)
			at[k], parts = j, append(parts, nil)
		}
		parts[j] = append(parts[j], list[i])
	}
	return parts
}

// Where restricts runs by the values of variables. A list allows any of its values.
type Where map[string]any

// Matches reports whether a run satisfies all restrictions.
func (w Where) Matches(r *record.Run) bool {
	for name := range w {
		if have := r.Value(name); have == nil || !w.Allows(name, have) {
			return false
		}
	}
	return true
}

// Allows reports whether the restriction on a variable allows a value.
func (w Where) Allows(name string, value any) bool {
	want, ok := w[name]
	return !ok || slices.ContainsFunc(Alternatives(want), func(allowed any) bool {
		return record.FormatValue(allowed) == record.FormatValue(value)
	})
}

// Alternatives returns the values allowed by a restriction.
func Alternatives(want any) []any {
	if list, ok := want.([]any); ok {
		return list
	}
	return []any{want}
}

// CompareParams orders parameters by the values of the named ones in turn. Absent values come first, then false, true,
// numbers by value, and strings.
func CompareParams(a, b record.Params, names []string) int {
	for _, name := range names {
		if c := compareValues(a[name], b[name]); c != 0 {
			return c
		}
	}
	return 0
}

func compareValues(a, b any) int {
	x, _ := record.Number(a)
	y, _ := record.Number(b)
	byText := strings.Compare(record.FormatParam(a), record.FormatParam(b))
	return cmp.Or(valueRank(a)-valueRank(b), cmp.Compare(x, y), byText)
}

func valueRank(v any) int {
	switch v.(type) {
	case nil:
		return 0
	case bool:
		return 1
	case int64, float64:
		return 2
	default:
		return 3
	}
}

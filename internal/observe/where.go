package observe

import (
	"cmp"
	"slices"
	"strings"

	"stochopt/internal/record"
)

// Grouped parts a list, such as one of runs, by a key, in the order in which keys first occur.
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

// Where restricts runs by their values of variables. A list stands for any of its values.
type Where map[string]any

// Matches reports whether a run has all the values.
func (w Where) Matches(r *record.Run) bool {
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
	return !ok || slices.ContainsFunc(Alternatives(want), func(o any) bool { return record.FormatValue(o) == record.FormatValue(value) })
}

// Alternatives returns the values that a restriction allows.
func Alternatives(want any) []any {
	if list, ok := want.([]any); ok {
		return list
	}
	return []any{want}
}

// CompareParams orders by the values of the parameters named, in that order:
// absent, then false, true, numbers by value, then strings.
func CompareParams(a, b record.Params, names []string) int {
	for _, name := range names {
		if c := compareValues(a[name], b[name]); c != 0 {
			return c
		}
	}
	return 0
}

func compareValues(a, b any) int {
	ra, rb := valueRank(a), valueRank(b)
	if ra != rb {
		return ra - rb
	}
	if x, ok := record.Number(a); ok {
		y, _ := record.Number(b)
		return cmp.Compare(x, y)
	}
	return strings.Compare(record.FormatParam(a), record.FormatParam(b))
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

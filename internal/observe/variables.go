package observe

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
)

// Distinguish returns the variables, as few as it finds, whose values tell apart the runs that
// differ in their data set or parameters, in the order of CompareVariables.
func Distinguish(runs []record.Run) []string {
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
	have := 1
	for _, name := range slices.SortedFunc(maps.Keys(names), CompareVariables) {
		if have >= len(settings) {
			break
		}
		if n := classes(append(slices.Clone(vars), name)); n > have {
			vars, have = append(vars, name), n
		}
	}
	return vars
}

// CompareVariables orders variables by how well they name a configuration: the dataset,
// k and cap before other parameters, step sizes last, which selection gives each
// setting of its own.
func CompareVariables(a, b string) int {
	rank := func(name string) int {
		if i := slices.Index([]string{record.VarDataset, "k", "cap"}, name); i >= 0 {
			return i
		}
		if strings.HasPrefix(name, "step") {
			return 4
		}
		return 3
	}
	return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
}

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
	x, _ := record.Number(a)
	y, _ := record.Number(b)
	return cmp.Or(valueRank(a)-valueRank(b), cmp.Compare(x, y), strings.Compare(record.FormatParam(a), record.FormatParam(b)))
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

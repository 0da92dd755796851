package observe

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"stochopt/internal/record"
)

// Signature names the configuration of a run: runs of one signature differ in their repeat only.
func Signature(r *record.Run) string { return strconv.Quote(r.Dataset) + r.Params.String() }

// Distinguish returns the variables, as few as it finds, whose values tell
// apart the runs that have different signatures, in the order of CompareVariables.
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
	signatures, names := make(map[string]bool), map[string]bool{record.VarDataset: true}
	for i := range runs {
		signatures[Signature(&runs[i])] = true
		for name := range runs[i].Params {
			names[name] = true
		}
	}
	var vars []string
	have := 1
	for _, name := range slices.SortedFunc(maps.Keys(names), CompareVariables) {
		if have >= len(signatures) {
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

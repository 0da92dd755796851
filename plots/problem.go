package plots

import (
	"slices"
	"strings"

	"stochopt/internal/record"
)

// problemVars are the parameters that, with the data set, make a problem.
var problemVars = []string{varDataset, "bias", "kernel", "sigma2", "gamma", "degree", "coef0", "C", "lambda", "nu", "R"}

// problemApart returns the parameters in which the problems of runs differ.
func problemApart(runs []record.Run) []string {
	var vars []string
	for _, v := range problemVars {
		posed := filter(runs, func(r *record.Run) bool { return poses(r, v) })
		if v != varDataset && len(partition(posed, []string{v})) > 1 {
			vars = append(vars, v)
		}
	}
	return vars
}

// regularisers are the forms of one parameter of a problem.
var regularisers = []string{"C", "lambda", "nu", "R"}

// poses reports whether a parameter is one of a run's problem: an algorithm that
// does not regularise takes none of its forms.
func poses(r *record.Run, v string) bool {
	if !slices.Contains(regularisers, v) {
		return r.Value(v) != nil
	}
	return slices.ContainsFunc(regularisers, func(form string) bool { return r.Value(form) != nil })
}

// sameProblem reports whether two runs on one data set differ in no parameter
// that the problems of both have.
func sameProblem(a, b *record.Run) bool {
	return !slices.ContainsFunc(problemVars, func(v string) bool {
		return poses(a, v) && poses(b, v) && key(a, []string{v}) != key(b, []string{v})
	})
}

// problemText gives some of the parameters of a run's problem.
func problemText(r *record.Run, vars []string) string {
	var parts []string
	for _, v := range vars {
		if value := r.Value(v); value != nil {
			parts = append(parts, v+" = "+format(value))
		}
	}
	return strings.Join(parts, ", ")
}

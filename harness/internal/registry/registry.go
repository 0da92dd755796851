// Package registry maps names to constructors. Its tables list all algorithms with their parameters,
// names and looks in figures. It also describes the dataset sources. Nothing registers itself.
package registry

import (
	"slices"
	"sync"

	"stochopt/datasets"
	"stochopt/harness/internal/spec"
	"stochopt/internal/observe"
	"stochopt/internal/record"
	"stochopt/plots"
)

// tables lists the algorithms of each task.
var tables = withTasks(map[string][]Algorithm{
	record.TaskPCA: pcaTable, record.TaskSVM: svmTable, record.TaskSparse: sparseTable, record.TaskLoss: lossTable,
})

// withTasks sets the task of each algorithm.
func withTasks(tables map[string][]Algorithm) map[string][]Algorithm {
	for task, rows := range tables {
		for i := range rows {
			rows[i].Task = task
		}
	}
	return tables
}

// problemFacts are the facts of kernel SVM problems: the forms of the regularisation, the certified
// optimum, and the classifier that defines a generator's distribution. facts has the facts of each task.
var (
	problemFacts = []string{
		"lambda", "C", "nu", "R",
		"reference_primal", "reference_dual", "reference_gap", "reference_norm", "reference_hinge",
		"l_star", "u_norm", "u_error",
	}
	facts = map[string][]string{
		record.TaskSVM: slices.Concat(problemFacts, []string{"water_gamma", "water_volume", "water_bias"}),
		record.TaskSparse: slices.Concat(problemFacts, []string{
			"reference_support", "reference_bias", "reference_kernel_evals", "reference_iterations",
			"reference_error", "reference_train_error", "reference_validation_error", "constant_error",
		}),
	}
)

// Catalog returns the registry in the form that validates specs.
var Catalog = sync.OnceValue(func() *spec.Catalog {
	c := &spec.Catalog{Formats: map[string][]spec.Param{}, FormatOf: datasets.FormatOf}
	for _, format := range datasets.Formats() {
		c.Formats[format] = sourceParams(format)
	}
	for _, name := range []string{record.TaskPCA, record.TaskSVM, record.TaskSparse, record.TaskLoss} {
		task := spec.Task{
			Name: name, Costs: observe.TaskCosts(name), Metrics: observe.TaskMetrics(name), Facts: facts[name],
			Supervised: name == record.TaskSVM || name == record.TaskSparse, Sparse: name == record.TaskSparse,
			External: externalParams[name], ExternalCheck: externalCheck(name),
		}
		for i := range tables[name] {
			a := &tables[name][i]
			listed := a.Algorithm
			listed.Check = func(params map[string]any) error { return a.checkParams(params) }
			task.Algorithms = append(task.Algorithms, listed)
		}
		c.Tasks = append(c.Tasks, task)
	}
	for _, name := range datasets.Sources() {
		c.Sources = append(c.Sources, source(name))
	}
	for _, p := range datasets.Preparations() {
		c.Prepares = append(c.Prepares, p.Name)
	}
	return c
})

// Algorithms returns the algorithms of a task, or of all tasks if task is "", in table order.
func Algorithms(task string) []spec.Algorithm {
	var out []spec.Algorithm
	for _, t := range Catalog().Tasks {
		if task == "" || task == t.Name {
			out = append(out, t.Algorithms...)
		}
	}
	return out
}

// Looks returns the names and looks of the algorithms in figures and tables, in the order of legends.
// Methods of svm-sparse precede those of svm, because they may share a figure. Other tasks never share
// a figure, so their looks may coincide.
//
// The colours are the palette of Okabe and Ito, which remains distinct under the common forms of colour
// blindness. Its yellow is darkened, because it is too faint on white. Further colours are dark colours
// of Paul Tol. Within a task, no two algorithms share a colour or, except for solid lines, a dash
// pattern. They are therefore distinct in grey too.
var Looks = sync.OnceValue(func() plots.Catalog {
	return slices.Concat(looksOf(record.TaskPCA), sparseVariants, looksOf(record.TaskSparse),
		looksOf(record.TaskSVM), looksOf(record.TaskLoss), shiftedLosses)
})

// looksOf returns the looks of a task's algorithms in the order of legends.
func looksOf(task string) (looks plots.Catalog) {
	for _, a := range tables[task] {
		if a.look.Name != "" {
			a.look.ID, a.look.Crowded = a.ID, task == record.TaskSparse
			looks = append(looks, a.look)
		}
	}
	return looks
}

// Params holds the resolved parameters of a run by name.
type Params map[string]any

// Int returns an integer parameter, 0 if it is absent.
func (p Params) Int(name string) int {
	v, _ := p[name].(int64)
	return int(v)
}

// Float returns a number, 0 if it is absent.
func (p Params) Float(name string) float64 {
	v, _ := record.Number(p[name])
	return v
}

// Text returns a string parameter, "" if it is absent.
func (p Params) Text(name string) string {
	v, _ := p[name].(string)
	return v
}

// Bool returns a boolean parameter, false if it is absent.
func (p Params) Bool(name string) bool {
	v, _ := p[name].(bool)
	return v
}

// has reports whether the parameter is set.
func (p Params) has(name string) bool {
	_, ok := p[name]
	return ok
}

// fill sets a parameter unless it is set.
func (p Params) fill(name string, value any) {
	if !p.has(name) {
		p[name] = value
	}
}

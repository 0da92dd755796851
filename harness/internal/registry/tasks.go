package registry

import (
	"maps"
	"slices"

	"stochopt/results/record"
)

// The tasks.
const (
	TaskPCA    = record.TaskPCA
	TaskSVM    = record.TaskSVM
	TaskSparse = record.TaskSparse
	TaskLoss   = record.TaskLoss
)

// task is one kind of problem with its algorithms and what runs of it record; their
// metrics and costs are in the tables of package analysis.
type task struct {
	name       string
	algorithms []algorithm
	// facts are what is put on record of the problem and its reference.
	facts []string
	// supervised tasks learn labels.
	supervised bool
	// sparse tasks seek classifiers of few expansion vectors.
	sparse bool
}

// algorithm is a row of a task's table.
type algorithm interface {
	entry() Entry
	// resolved fills in the defaults that depend on other parameters.
	resolved(p Params)
	// check reports wrong combinations of single right parameters.
	check(values map[string]any) error
	// demands and bytes say what DemandsOf and MemoryOf do.
	demands(p Params) Demands
	bytes(p Params, s Shape) int64
}

var tasks = []task{
	{
		name: TaskPCA, algorithms: rows(pcaTable),
	},
	{
		name: TaskSVM, algorithms: rows(svmTable),
		facts:      slices.Concat(problemFacts, []string{"water_gamma", "water_volume", "water_bias"}),
		supervised: true,
	},
	{
		name: TaskSparse, algorithms: rows(sparseTable),
		facts: slices.Concat(problemFacts, []string{
			"reference_support", "reference_bias", "reference_kernel_evals", "reference_iterations",
			"reference_error", "reference_train_error", "reference_validation_error", "constant_error",
		}),
		supervised: true, sparse: true,
	},
	{
		name: TaskLoss, algorithms: rows(lossTable),
	},
}

// problemFacts are the facts of kernel SVM problems: the forms of their
// regularisation, their certified optimum, and the classifier that a generator's
// distribution is known by.
var problemFacts = []string{
	"lambda", "C", "nu", "R",
	"reference_primal", "reference_dual", "reference_gap", "reference_norm", "reference_hinge",
	"l_star", "u_norm", "u_error",
}

func rows[E algorithm](table []E) []algorithm {
	out := make([]algorithm, len(table))
	for i, e := range table {
		out[i] = e
	}
	return out
}

func (e Entry) entry() Entry { return e }

// lookupTask returns the task of a name, an empty one if there is none.
func lookupTask(name string) task {
	i := slices.IndexFunc(tasks, func(t task) bool { return t.name == name })
	if i < 0 {
		return task{}
	}
	return tasks[i]
}

// find returns the row of an algorithm.
func find(task, id string) (algorithm, bool) {
	rows := lookupTask(task).algorithms
	i := slices.IndexFunc(rows, func(a algorithm) bool { return a.entry().ID == id })
	if i < 0 {
		return nil, false
	}
	return rows[i], true
}

// Resolve returns the parameters with all defaults filled in, those that depend
// on other parameters included, so that what is left out and what is spelled
// out are the same run.
func Resolve(task, id string, values map[string]any) Params {
	p := Params(maps.Clone(values))
	if a, ok := find(task, id); ok {
		a.resolved(p)
	}
	return p
}

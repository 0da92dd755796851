package registry

import (
	"slices"

	"stochopt/internal/record"
	"stochopt/plots"
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
	algorithms []Algorithm
	// check reports wrong combinations of the parameters that its algorithms share, nil
	// if there are none.
	check func(a *Algorithm, p Params) error
	// demands are what runs ask of the machinery; nil if they read no kernel matrix:
	// an example an iteration, and nothing kept but what is in proportion to the data.
	demands func(a *Algorithm, p Params) Demands
	// facts are what is put on record of the problem and its reference.
	facts []string
	// supervised tasks learn labels.
	supervised bool
	// sparse tasks seek classifiers of few expansion vectors.
	sparse bool
	// series are those with a name and a look of their own.
	series []plots.Algorithm
}

var tasks = []task{
	{
		name: TaskPCA, algorithms: pcaTable, check: checkPCA,
	},
	{
		name: TaskSVM, algorithms: svmTable, check: checkKernelMethod, demands: demandsOfSVM,
		facts:      slices.Concat(problemFacts, []string{"water_gamma", "water_volume", "water_bias"}),
		supervised: true,
	},
	{
		name: TaskSparse, algorithms: sparseTable, check: checkKernelMethod, demands: demandsOfSparse,
		facts: slices.Concat(problemFacts, []string{
			"reference_support", "reference_bias", "reference_kernel_evals", "reference_iterations",
			"reference_error", "reference_train_error", "reference_validation_error", "constant_error",
		}),
		supervised: true, sparse: true,
	},
	{
		name: TaskLoss, algorithms: lossTable, series: shiftedLosses,
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

// lookupTask returns the task of a name, an empty one if there is none.
func lookupTask(name string) task {
	i := slices.IndexFunc(tasks, func(t task) bool { return t.name == name })
	if i < 0 {
		return task{}
	}
	return tasks[i]
}

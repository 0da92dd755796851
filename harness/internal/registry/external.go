package registry

import (
	"fmt"

	"stochopt/algorithms/pca"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/external"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/internal/whole"
)

// AlgorithmOf returns the algorithm of an entry: a row of the task's table, or an external algorithm. It reads
// the files of an external algorithm but does not start its program.
func AlgorithmOf(task string, e *spec.AlgorithmEntry) (*Algorithm, error) {
	if e.External == nil {
		return Lookup(task, e.ID)
	}
	x := e.External
	program, err := external.NewProgram(external.Program{
		ID: e.ID, Task: task, Version: x.Version, Env: x.Env,
		Timeout: whole.Seconds(x.Timeout),
	}, x.Command, x.Files)
	if err != nil {
		return nil, fmt.Errorf("algorithm %q: external: %w", e.Series(), err)
	}
	a := &Algorithm{
		Algorithm: spec.Algorithm{ID: e.ID, Title: e.Series(), Task: task, Version: x.Version, Params: externalParams[task]},
		Program:   program, bias: eitherBias,
	}
	switch task {
	case record.TaskPCA:
		a.pca = a.externalPCA
	case record.TaskSVM:
		a.svm, a.needs = a.externalSVM, func(Params) Needs { return Needs{Kernel: true} }
	}
	return a, nil
}

// externalParams has the parameters of each task with external algorithms. Programs need not declare
// them.
var externalParams = map[string][]spec.Param{
	record.TaskPCA: params(paramK, externalStep),
	record.TaskSVM: params(paramsProblem, paramOrder, externalStep),
}

// externalStep is the step size, whose meaning and default are up to the program.
var externalStep = []spec.Param{withDefault(stepParams[0], nil, stepParams[0].Choices...), stepParams[1]}

// StartProgram starts the program of an external algorithm. It returns the process and the part of the
// initial message that is common to all tasks.
type StartProgram func() (*external.Process, external.Init, error)

// startProgram starts the program and resolves its parameters.
func (a *Algorithm) startProgram(start StartProgram, p Params) (*external.Process, external.Init, error) {
	process, i, err := start()
	if err != nil {
		return process, i, err
	}
	var names []string
	for _, q := range a.Params {
		names = append(names, q.Name)
	}
	i.Params, err = process.Hello.Resolve(p, names)
	return process, i, err
}

func (a *Algorithm) externalPCA(e Env, p Params) (pca.Learner, error) {
	process, i, err := a.startProgram(e.External, p)
	if err != nil {
		return nil, err
	}
	i.K = p.Int("k")
	return external.NewPCA(process, i, e.Source)
}

func (a *Algorithm) externalSVM(e Env, p Params) (svm.Learner, error) {
	process, i, err := a.startProgram(e.External, p)
	if err != nil {
		return nil, err
	}
	problem := external.Problem{Problem: e.Kernel(), Order: e.Order(p.Text("order")), Kern: e.Kern}
	problem.Points, _, _ = e.Vectors()
	n := float64(problem.Rows.Train())
	switch value := p.Float(Regulariser(p)); Regulariser(p) {
	case "C":
		i.Params["lambda"] = 1 / (value * n)
	case "lambda":
		i.Params["C"] = 1 / (value * n)
	}
	if p.Text("kernel") == "gaussian" {
		i.Params["gamma"] = gaussianGamma(p)
	}
	return external.NewSVM(process, i, problem)
}

// externalCheck returns the function that checks the problem parameters of external algorithms. It is nil if
// the task does not support external algorithms.
func externalCheck(task string) func(params map[string]any) error {
	if externalParams[task] == nil {
		return nil
	}
	a := &Algorithm{Algorithm: spec.Algorithm{Task: task}, bias: eitherBias}
	return func(params map[string]any) error { return a.checkParams(params) }
}

package registry

import (
	"context"
	"fmt"
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/external"
	"stochopt/harness/internal/spec"
	"stochopt/internal/whole"
)

// Of returns the algorithm of an entry: a row of the table of its task, or the program that
// performs it, whose files it reads and which it does not start.
func Of(task string, e *spec.AlgorithmEntry) (*Algorithm, error) {
	if e.External == nil {
		return Lookup(task, e.ID)
	}
	x := e.External
	program, err := external.NewProgram(external.Program{
		ID: e.ID, Task: task, Version: x.Version, Env: x.Env,
		Patience: whole.Seconds(x.Timeout),
	}, x.Command, x.Files)
	if err != nil {
		return nil, fmt.Errorf("algorithm %q: external: %w", e.Series(), err)
	}
	a := &Algorithm{
		Algorithm: spec.Algorithm{ID: e.ID, Title: e.Series(), Task: task, Version: x.Version, Params: externalParams[task]},
		Program:   program, bias: eitherBias,
	}
	switch task {
	case TaskPCA:
		a.pca = a.externalPCA
	case TaskSVM:
		a.svm, a.needs = a.externalSVM, func(Params) Needs { return Needs{Kernel: true} }
	}
	return a, nil
}

// externalParams are the parameters of the problems of each task that has external algorithms,
// those that its programs need not list.
var externalParams = map[string][]spec.Param{
	TaskPCA: params(paramK, externalStep),
	TaskSVM: params(paramsProblem, paramOrder, externalStep),
}

// externalStep gives the step size, which is the program's affair.
var externalStep = []spec.Param{
	{Name: "step.schedule", Kind: "string", Choices: []string{"inverse-sqrt", "inverse", "constant"}, Doc: stepParams[0].Doc},
	stepParams[1],
}

// problemNames names the parameters that a program of a task need not list.
func problemNames(task string) (names []string) {
	for _, p := range externalParams[task] {
		names = append(names, p.Name)
	}
	return names
}

// CheckProgram reports a parameter of a run that a program which has said hello does not take.
func (a *Algorithm) CheckProgram(h *external.Hello, p Params) error {
	_, err := h.Resolve(p, problemNames(a.Task))
	return err
}

// ExternalRun is what a run gives to the constructor of an external algorithm.
type ExternalRun struct {
	// Context ends what the program is asked for.
	Context context.Context
	// Start starts the program, or takes one that has been started and serves many runs.
	Start func() (*external.Process, error)
	// Seed is for what the program draws itself.
	Seed   int64
	Repeat int
	Budget int64
}

// begin has the program say hello, and returns it with what all tasks tell it.
func (a *Algorithm) begin(r ExternalRun, p Params) (*external.Process, external.Init, error) {
	process, err := r.Start()
	if err != nil {
		return nil, external.Init{}, err
	}
	i := external.Init{Seed: r.Seed, Repeat: r.Repeat, Iterations: r.Budget}
	if i.Params, err = process.Hello.Resolve(p, problemNames(a.Task)); err != nil {
		return nil, i, err
	}
	if p.has("step.schedule") {
		i.Step = &external.Step{Schedule: p.Text("step.schedule"), C: p.Float("step.c")}
	}
	return process, i, nil
}

func (a *Algorithm) externalPCA(e PCAEnv, p Params, _ algorithms.Schedule) (pca.Learner, error) {
	process, i, err := a.begin(e.External, p)
	if err != nil {
		return nil, err
	}
	i.K = p.Int("k")
	return external.NewPCA(e.External.Context, process, i, e.Source)
}

// externalKernel is a problem as a program is served it. It is told of the regularisation as
// that is given; of C and lambda both are.
func externalKernel(e Env, p Params) external.Kernel {
	k := external.Kernel{
		Problem: e.Kernel(), Order: e.Order(p.Text("order")), Kern: e.Kern, Bias: e.Bias,
		C: math.NaN(), Lambda: math.NaN(), Nu: math.NaN(), R: math.NaN(),
	}
	k.Points, _, _ = e.Vectors()
	n := float64(k.Rows.Train())
	switch Regulariser(p) {
	case "C":
		k.C = p.Float("C")
		k.Lambda = 1 / (k.C * n)
	case "lambda":
		k.Lambda = p.Float("lambda")
		k.C = 1 / (k.Lambda * n)
	case "nu":
		k.Nu = p.Float("nu")
	case "R":
		k.R = p.Float("R")
	}
	return k
}

func (a *Algorithm) externalSVM(e Env, p Params) (svm.Learner, error) {
	process, i, err := a.begin(e.External, p)
	if err != nil {
		return nil, err
	}
	return external.NewSVM(e.External.Context, process, i, externalKernel(e, p))
}

// externalCheck reports wrong combinations of the parameters of a problem.
func externalCheck(task string) func(params map[string]any) error {
	if externalParams[task] == nil {
		return nil
	}
	a := &Algorithm{Algorithm: spec.Algorithm{Task: task}, bias: eitherBias}
	return func(params map[string]any) error {
		p := Params(params)
		switch schedule, c := p.has("step.schedule"), p.has("step.c"); {
		case schedule && !c:
			return fmt.Errorf("step.c is missing: give the constant of the %s schedule", p.Text("step.schedule"))
		case c && !schedule:
			return fmt.Errorf("step.schedule is missing: say which schedule c is the constant of")
		}
		return a.checked(p)
	}
}

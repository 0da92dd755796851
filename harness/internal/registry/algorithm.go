package registry

import (
	"fmt"
	"maps"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/loss"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/external"
	"stochopt/plots"
)

// Algorithm is an algorithm of any task: a row of one of the tables. What does not
// concern it is left out.
type Algorithm struct {
	Entry
	// Program performs an external algorithm, which is no row of a table but of a
	// specification; nil of all others.
	Program *external.Program
	// look is its name and look in figures and tables; without one the algorithm of that
	// id of another task has it, or it is drawn like what nobody knows.
	look plots.Algorithm
	// place is its place in legends among those of its task. Those without one come last,
	// in the order of the table.
	place int
	// fill fills in the defaults that depend on other parameters, so that what is
	// left out and what is spelled out are the same run.
	fill func(p Params)
	// check reports wrong combinations of the method's own parameters.
	check func(p Params) error

	// bias says for which problems the method is made.
	bias biasRule
	// kernel is the only kernel that the method takes, "" for any.
	kernel string
	// AssumesUnitNorm: its analysis assumes that K(x, x) is at most 1 for every x.
	AssumesUnitNorm bool
	// needs depends on the parameters; only WorkingSet, Steps and Reference may
	// depend on others than bias.
	needs func(p Params) Needs
	// memory returns how many bytes a run takes by itself besides kernel rows and
	// what is in proportion to its data.
	memory func(p Params, s Shape) int64
	// available reports whether the program that it runs is there.
	available func() error
	// theory is the step size of the algorithm's analysis.
	theory theoryStep

	// One of these constructs the algorithm, that of its task. The step is nil if it
	// takes no step size.
	pca    func(e PCAEnv, p Params, step algorithms.Schedule) (pca.Learner, error)
	svm    func(e Env, p Params) (svm.Learner, error)
	sparse func(e Env, p Params) (sparse.Learner, error)
	loss   loss.Func
}

// biasRule says for which problems a method is made.
type biasRule int

const (
	withoutBias biasRule = iota
	eitherBias
	withBias
	// ignoresBias: its classifier has no bias, and it runs on problems that have one
	// all the same: it shares datasets with others, and approximates references that
	// have one.
	ignoresBias
)

// Needs says what a run needs before its method can be constructed.
type Needs struct {
	// Kernel: the kernel matrix. All methods of the task svm-sparse read it.
	Kernel bool
	// Lambda, Nu, R: the regularisation in that form. C and lambda count as one form.
	Lambda, Nu, R bool
	// Reference: the trained classifier.
	Reference bool
	// Inputs: the input space of the Gaussian kernel.
	Inputs bool
	// Steps, if positive, is the method's own number of iterations, whatever
	// the budget, all of them recorded.
	Steps int64
	// WorkingSet is the number k of kernel rows of an iteration, those of the
	// indices that it works on: its kernel evaluations are k n. 0 is 1. Where
	// iterations differ it is what one takes as a rule; plans are told by it, and how
	// long a pass is.
	WorkingSet int
}

// CountsKernelEvals reports whether the kernel evaluations of a run are known:
// those of a kernel method that is not another program.
func (n Needs) CountsKernelEvals() bool { return n.Kernel && n.Steps == 0 }

// regularised reports whether a regularisation is needed, in whatever form.
func (n Needs) regularised() bool { return n.Lambda || n.Nu || n.R || n.Reference }

// Lookup returns the algorithm of a task.
func Lookup(task, id string) (*Algorithm, error) {
	table := lookupTask(task).algorithms
	i := slices.IndexFunc(table, func(a Algorithm) bool { return a.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("unknown algorithm %q", id)
	}
	return &table[i], nil
}

// Needs returns what a run needs.
func (a *Algorithm) Needs(p Params) Needs {
	var n Needs
	if a.needs != nil {
		n = a.needs(p)
	}
	n.WorkingSet = max(n.WorkingSet, 1)
	return n
}

// Converts reports whether a run takes its regularisation in another form than it
// is given in, so that it depends on the reference optimum. C and lambda are as good as one form.
func (a *Algorithm) Converts(p Params) bool {
	n := a.Needs(p)
	lambda := n.Lambda || n.Reference
	switch Regulariser(p) {
	case "C", "lambda":
		return n.Nu || n.R
	case "nu":
		return lambda || n.R
	case "R":
		return lambda || n.Nu
	}
	return false
}

// DependsOnReference reports whether a run depends on the trained classifier, or on
// the optimum: as what it approximates, or for its regularisation.
func (a *Algorithm) DependsOnReference(p Params) bool { return a.Needs(p).Reference || a.Converts(p) }

// Approximates reports whether a method of the task svm solves an approximation of
// the problem in place of the problem itself, so that the certified optimum is no
// bound on its objective.
func (a *Algorithm) Approximates(p Params) bool {
	return !a.Needs(p).Kernel && p.Text("kernel") != "linear"
}

// Compares reports whether a run of the task svm needs the reference optimum for
// nothing but its suboptimality. One that converts knows it anyway.
func (a *Algorithm) Compares(p Params) bool {
	form := Regulariser(p)
	return (form == "C" || form == "lambda") && !a.Converts(p) && !a.Approximates(p)
}

// Available returns an error that wraps svm.ErrNoSolver if the algorithm runs a
// program that is not installed.
func (a *Algorithm) Available() error {
	if a.available == nil {
		return nil
	}
	return a.available()
}

// Resolve returns the parameters with all defaults filled in, those that depend
// on other parameters included, so that what is left out and what is spelled
// out are the same run.
func (a *Algorithm) Resolve(values map[string]any) Params {
	p := Params(maps.Clone(values))
	resolveKernel(p)
	if a.fill != nil {
		a.fill(p)
	}
	if p.has("bias") && a.bias == ignoresBias && !a.DependsOnReference(p) {
		p["bias"] = false // it is the same run
	}
	return p
}

// rowCounts lists the parameters that count expansion vectors, of which there
// are at most as many as training points.
var rowCounts = []string{"support", "basis"}

// CheckTrainRows reports a parameter that n training points do not allow. A
// default is not the user's mistake: methods take as many as there are.
func (a *Algorithm) CheckTrainRows(p Params, n int) error {
	for _, q := range a.Params {
		if slices.Contains(rowCounts, q.Name) && p.has(q.Name) && p[q.Name] != q.Default && p.Int(q.Name) > n {
			return fmt.Errorf("%s = %d is more than the %d training points; lower it", q.Name, p.Int(q.Name), n)
		}
	}
	return nil
}

// checked reports wrong combinations of parameters that are each right by
// themselves.
func (a *Algorithm) checked(p Params) error {
	if t := lookupTask(a.Task); t.check != nil {
		if err := t.check(a, p); err != nil {
			return err
		}
	}
	if a.check != nil {
		return a.check(p)
	}
	return nil
}

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
	"stochopt/harness/internal/spec"
	"stochopt/plots"
)

// Algorithm is an algorithm of any task: what a user may know of it, and how runs construct
// it. All are rows of the tables, except for external ones.
type Algorithm struct {
	spec.Algorithm
	// Program performs an external algorithm; it is nil for all others.
	Program *external.Program
	// look is the name and look in figures and tables. A row without one has the look of
	// the row of another task with the same ID.
	look plots.Algorithm
	// fill sets the defaults that depend on other parameters, check reports wrong
	// combinations of the method's own parameters.
	fill  func(p Params)
	check func(p Params) error

	// bias says which problems the method solves.
	bias biasRule
	// kernel is the only kernel that the method takes, "" for any.
	kernel string
	// AssumesUnitNorm reports that the analysis assumes K(x, x) <= 1 for every x.
	AssumesUnitNorm bool
	// needs depends on the parameters; only WorkingSet, Steps and Reference may
	// depend on parameters other than bias.
	needs func(p Params) Needs
	// memory returns the number of bytes that a run allocates, without kernel rows and
	// without what is proportional to its data.
	memory func(p Params, s Shape) int64
	// available reports whether the program that the method runs is installed.
	available func() error
	// theory is the step size of the method's analysis.
	theory theoryStep

	// The constructor of the algorithm's task; the others are nil. The step is nil for
	// methods without a step size.
	pca    func(e PCAEnv, p Params, step algorithms.Schedule) (pca.Learner, error)
	svm    func(e Env, p Params) (svm.Learner, error)
	sparse func(e Env, p Params) (sparse.Learner, error)
	loss   loss.Func
}

// biasRule says which problems a method solves.
type biasRule int

const (
	withoutBias biasRule = iota
	eitherBias
	withBias
	// ignoresBias: the classifier has no bias, but the method accepts problems with one,
	// because it shares datasets with other methods and approximates references with a bias.
	ignoresBias
)

// Needs says what a run needs before its method can be constructed, and how long it is.
type Needs struct {
	// Kernel: the kernel matrix.
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
	// WorkingSet is the number k of training examples of a typical iteration, which
	// kernel methods charge k n kernel evaluations for; 0 means 1. A pass over n
	// examples is n/k iterations.
	WorkingSet int
}

// CountsKernelEvals reports whether the kernel evaluations of a run are known: those of
// kernel methods that are not external programs.
func (n Needs) CountsKernelEvals() bool { return n.Kernel && n.Steps == 0 }

// regularised reports whether a regularisation is needed, in whatever form.
func (n Needs) regularised() bool { return n.Lambda || n.Nu || n.R || n.Reference }

// Lookup returns the algorithm of a task.
func Lookup(task, id string) (*Algorithm, error) {
	rows := tables[task]
	i := slices.IndexFunc(rows, func(a Algorithm) bool { return a.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("unknown algorithm %q", id)
	}
	return &rows[i], nil
}

// Needs returns what a run needs.
func (a *Algorithm) Needs(p Params) Needs {
	var n Needs
	if a.needs != nil {
		n = a.needs(p)
	}
	n.Kernel = n.Kernel || a.Task == TaskSparse
	n.WorkingSet = max(n.WorkingSet, 1)
	return n
}

// Memory returns the number of bytes that a run allocates, without kernel rows and without
// what is proportional to its data; at most math.MaxInt64.
func (a *Algorithm) Memory(p Params, s Shape) int64 {
	if a.memory == nil {
		return 0
	}
	return a.memory(p, s)
}

// Converts reports whether a run needs its regularisation in another form than the given
// one, so that it depends on the reference optimum. C and lambda count as one form.
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

// DependsOnReference reports whether a run depends on the trained classifier, which it
// approximates, or on the optimum, from which it takes its regularisation.
func (a *Algorithm) DependsOnReference(p Params) bool { return a.Needs(p).Reference || a.Converts(p) }

// ReferenceKey identifies the solution that the bits of a run depend on, as part of the run
// key; it is nil if they depend on none.
func (a *Algorithm) ReferenceKey(p Params) any {
	switch {
	case !a.DependsOnReference(p):
		return nil
	case a.Task == TaskSparse:
		return map[string]any{"version": int64(ReferenceVersion), "gap": SparseReferenceGap}
	}
	return int64(ReferenceVersion)
}

// Approximates reports whether a method of the task svm solves an approximation of the
// problem, so that the certified optimum does not bound its objective.
func (a *Algorithm) Approximates(p Params) bool {
	return !a.Needs(p).Kernel && p.Text("kernel") != "linear"
}

// Compares reports whether a run needs the reference optimum for its suboptimality only.
// A run that converts knows the optimum anyway.
func (a *Algorithm) Compares(p Params) bool {
	form := Regulariser(p)
	return a.Task == TaskSVM && (form == "C" || form == "lambda") && !a.Converts(p) && !a.Approximates(p)
}

// Available returns an error that wraps svm.ErrNoSolver if the algorithm runs a
// program that is not installed.
func (a *Algorithm) Available() error {
	if a.available == nil {
		return nil
	}
	return a.available()
}

// Resolve returns the parameters with all defaults, including those that depend on other
// parameters, so that a default and the same value in a spec are the same run.
func (a *Algorithm) Resolve(values map[string]any) Params {
	p := Params(maps.Clone(values))
	resolveKernel(p)
	if a.fill != nil {
		a.fill(p)
	}
	if p.has("bias") && a.bias == ignoresBias && !a.DependsOnReference(p) {
		p["bias"] = false // the same run
	}
	return p
}

// rowCounts lists the parameters that count expansion vectors, of which there are at most as
// many as training points.
var rowCounts = []string{"support", "basis"}

// CheckTrainRows reports a parameter that n training points do not allow. A default is not
// the user's mistake: methods take as many vectors as there are points.
func (a *Algorithm) CheckTrainRows(p Params, n int) error {
	for _, q := range a.Params {
		if slices.Contains(rowCounts, q.Name) && p.has(q.Name) && p[q.Name] != q.Default && p.Int(q.Name) > n {
			return fmt.Errorf("%s = %d is more than the %d training points; lower it", q.Name, p.Int(q.Name), n)
		}
	}
	return nil
}

// checked reports wrong combinations of parameters that are each right by themselves.
func (a *Algorithm) checked(p Params) (err error) {
	switch a.Task {
	case TaskPCA:
		err = checkPCA(p)
	case TaskSVM, TaskSparse:
		err = checkKernelMethod(a, p)
	}
	if err == nil && a.check != nil {
		err = a.check(p)
	}
	return err
}

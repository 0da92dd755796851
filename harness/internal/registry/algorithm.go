package registry

import (
	"fmt"
	"maps"
	"slices"

	"stochopt/algorithms/loss"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/external"
	"stochopt/harness/internal/spec"
	"stochopt/internal/record"
	"stochopt/plots"
)

// Algorithm is an algorithm of any task: its description and its constructor. Except for external
// algorithms, each is a row of a table in this package.
type Algorithm struct {
	spec.Algorithm
	// Program is the program of an external algorithm, nil for others.
	Program *external.Program
	// look is the name and look in figures and tables. A row without a look uses the look of the row
	// with the same ID in another task.
	look plots.Algorithm
	// fill sets defaults that depend on other parameters. check returns an error for an invalid
	// combination of the method's own parameters. Both may be nil.
	fill  func(p Params)
	check func(p Params) error

	// bias tells whether the method solves problems with a bias.
	bias biasRule
	// kernel is the only kernel that the method supports, "" for any.
	kernel string
	// AssumesUnitNorm is true if the analysis of the method assumes K(x, x) <= 1.
	AssumesUnitNorm bool
	// needs returns the needs of a run. Only WorkingSet, Steps and Reference may depend on parameters
	// other than bias.
	needs func(p Params) Needs
	// memory replaces the default estimate of Memory. It may be nil.
	memory func(p Params, s Shape) int64
	// available returns an error if a program that the method runs is not installed. It may be nil.
	available func() error
	// theory returns the step size from the analysis of the method.
	theory theoryStep

	// Only the constructor for the algorithm's task is not nil.
	pca    func(e Env, p Params) (pca.Learner, error)
	svm    func(e Env, p Params) (svm.Learner, error)
	sparse func(e Env, p Params) (sparse.Learner, error)
	loss   loss.Func
}

// biasRule tells whether a method solves problems with a bias.
type biasRule int

const (
	withoutBias biasRule = iota
	eitherBias
	withBias
	// ignoresBias is for classifiers without a bias whose method accepts problems with one, so that it
	// can share datasets with other methods and approximate references with a bias.
	ignoresBias
)

// Needs has the requirements of a run.
type Needs struct {
	// Kernel is true if the method reads the kernel matrix.
	Kernel bool
	// Lambda, Nu and R tell which forms of the regularisation the method uses. C counts as lambda.
	Lambda, Nu, R bool
	// Reference is true if the method approximates the reference classifier.
	Reference bool
	// Inputs is true if the method uses the input space of the Gaussian kernel.
	Inputs bool
	// Steps, if positive, is the number of iterations. The budget is then ignored, and every iteration
	// is recorded.
	Steps int64
	// WorkingSet is the number k of training examples in a typical iteration; 0 means 1. A kernel method
	// is charged k n kernel evaluations per iteration, and a pass over n examples is n/k iterations.
	WorkingSet int
}

// CountsKernelEvals reports whether the kernel evaluations of a run are counted. They are unknown for
// kernel methods with their own number of steps, which run in another process.
func (n Needs) CountsKernelEvals() bool { return n.Kernel && n.Steps == 0 }

// regularised reports whether a regularisation is needed in any form.
func (n Needs) regularised() bool { return n.Lambda || n.Nu || n.R || n.Reference }

// Lookup returns the algorithm of a task with the given id.
func Lookup(task, id string) (*Algorithm, error) {
	rows := tables[task]
	i := slices.IndexFunc(rows, func(a Algorithm) bool { return a.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("unknown algorithm %q", id)
	}
	return &rows[i], nil
}

// Needs returns the requirements of a run.
func (a *Algorithm) Needs(p Params) Needs {
	var n Needs
	if a.needs != nil {
		n = a.needs(p)
	}
	n.Kernel = n.Kernel || a.Task == record.TaskSparse
	n.WorkingSet = max(n.WorkingSet, 1)
	return n
}

// Memory estimates the memory of a run in bytes, at most math.MaxInt64. It excludes kernel rows and
// memory proportional to the data.
func (a *Algorithm) Memory(p Params, s Shape) int64 {
	switch {
	case a.memory != nil:
		return a.memory(p, s)
	case a.Task == record.TaskPCA:
		return pcaMemory(p, s)
	case a.kernel == "linear":
		return RoundBytes(8 * 5 * float64(s.Features)) // the weights, the solution and its measurements
	}
	return 0
}

// Converts reports whether a run needs its regularisation in another form than the given one. It then
// depends on the reference optimum. C and lambda count as one form.
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

// DependsOnReference reports whether a run approximates the reference classifier or computes its
// regularisation from the reference optimum.
func (a *Algorithm) DependsOnReference(p Params) bool { return a.Needs(p).Reference || a.Converts(p) }

// ReferenceKey returns the part of the run key that identifies the reference, nil if the run does not
// depend on it.
func (a *Algorithm) ReferenceKey(p Params) any {
	switch {
	case !a.DependsOnReference(p):
		return nil
	case a.Task == record.TaskSparse:
		return map[string]any{"version": int64(ReferenceVersion), "gap": SparseReferenceGap}
	}
	return int64(ReferenceVersion)
}

// Approximates reports whether a method of task svm solves an approximation of the problem. The
// certified optimum then does not bound its objective.
func (a *Algorithm) Approximates(p Params) bool {
	return !a.Needs(p).Kernel && p.Text("kernel") != "linear"
}

// Compares reports whether a run needs the reference optimum only for its suboptimality.
func (a *Algorithm) Compares(p Params) bool {
	form := Regulariser(p)
	return a.Task == record.TaskSVM && (form == "C" || form == "lambda") && !a.Converts(p) && !a.Approximates(p)
}

// Available returns an error that wraps svm.ErrNoSolver if the algorithm runs a program that is not
// installed.
func (a *Algorithm) Available() error {
	if a.available == nil {
		return nil
	}
	return a.available()
}

// Resolve returns the parameters with all defaults, including defaults that depend on other parameters.
// A run therefore has the same key whether a default is omitted or stated.
func (a *Algorithm) Resolve(values map[string]any) Params {
	p := Params(maps.Clone(values))
	resolveKernel(p)
	if a.fill != nil {
		a.fill(p)
	}
	if p.has("bias") && a.bias == ignoresBias && !a.DependsOnReference(p) {
		p["bias"] = false // the bias does not affect the run
	}
	return p
}

// supportParams lists the parameters that are numbers of expansion vectors, at most one per training point.
var supportParams = []string{"support", "basis"}

// CheckTrainRows returns an error if a parameter exceeds the number n of training points. A default may
// exceed it: methods then use n vectors.
func (a *Algorithm) CheckTrainRows(p Params, n int) error {
	for _, q := range a.Params {
		if slices.Contains(supportParams, q.Name) && p.has(q.Name) && p[q.Name] != q.Default && p.Int(q.Name) > n {
			return fmt.Errorf("%s = %d is more than the %d training points; lower it", q.Name, p.Int(q.Name), n)
		}
	}
	return nil
}

// checkParams returns an error for an invalid combination of individually valid parameters.
func (a *Algorithm) checkParams(p Params) (err error) {
	switch a.Task {
	case record.TaskPCA:
		err = checkPCA(p)
	case record.TaskSVM, record.TaskSparse:
		err = checkKernelMethod(a, p)
	}
	if err == nil && a.check != nil {
		err = a.check(p)
	}
	return err
}

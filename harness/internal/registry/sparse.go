package registry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

// SparseEnv is what a run gives to the constructor of a method for sparse SVMs.
// A function is called once at most.
type SparseEnv struct {
	// Problem opens the rows of the kernel matrix of the training points.
	Problem func() svm.Problem
	// Inputs opens the input space. The kernel is Gaussian.
	Inputs func() sparse.Inputs
	// Reference returns the trained classifier that a post-hoc method
	// approximates; the method must say that it needs it.
	Reference func() *sparse.Reference
	// Context ends long steps.
	Context context.Context
	Kern    kernel.Kernel
	// C and Lambda = 1/(C n) are the regularisation, NaN if none is given. Nu is
	// that of the slack-constrained problem, R that of the norm-constrained one,
	// NaN unless the method needs them.
	C, Lambda, Nu, R float64
	// Bias: the problem has an unregularised bias.
	Bias bool
	// Order opens the stream of training indices of a kind, "uniform" or
	// "pass".
	Order func(kind string) svm.Order
	// Rand opens the stream of a role.
	Rand func(role string) *rand.Rand
}

// SparseNeeds says what a run needs before its method can be constructed.
type SparseNeeds struct {
	// Reference: the trained classifier.
	Reference bool
	// C, Nu, R: the regularisation in a form.
	C, Nu, R bool
	// Inputs: the input space of the Gaussian kernel.
	Inputs bool
}

// sparseEntry is a row of sparseTable.
type sparseEntry struct {
	Entry
	// biased says for which problems the method is made.
	bias biasRule
	// needs depends on the parameters.
	needs func(p Params) SparseNeeds
	// fill, if any, fills in the defaults that depend on other parameters.
	fill func(p Params)
	// checks, if any, reports wrong combinations of parameters.
	checks func(p Params) error
	// memory, if set, returns how many bytes a run takes by itself besides
	// kernel rows and what is in proportion to its data.
	memory func(p Params, n, d int) int64
	new    func(e SparseEnv, p Params) (sparse.Learner, error)
}

// sparseTable joins the names of the methods for sparse SVMs to their
// constructors: the thesis's own, then a group of rivals after another.
var sparseTable = slices.Concat(sparseOwn, sparseBasis, sparseRegression, sparseVirtual, sparseOnline)

// resolved implements algorithm.
func (a sparseEntry) resolved(p Params) {
	resolveKernel(p)
	if a.fill != nil {
		a.fill(p)
	}
}

// NewSparse constructs a method for sparse SVMs with the parameters given, which
// have passed the catalog's checks.
func NewSparse(id string, env SparseEnv, p Params) (sparse.Learner, error) {
	a, ok := findSparse(id)
	if !ok {
		return nil, fmt.Errorf("unknown algorithm %q", id)
	}
	return a.new(env, Resolve(TaskSparse, id, p))
}

func findSparse(id string) (sparseEntry, bool) {
	for _, a := range sparseTable {
		if a.ID == id {
			return a, true
		}
	}
	return sparseEntry{}, false
}

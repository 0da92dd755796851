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
	// WorkingSet is the number k of kernel rows of an iteration: its kernel
	// evaluations are k n. 0 is 1. Where iterations differ it is what one takes
	// as a rule; plans are told by it, and how long a pass is.
	WorkingSet int
}

// sparseEntry is a row of sparseTable.
type sparseEntry struct {
	Entry
	// bias says whether the method's classifier has a bias. One withoutBias runs
	// on problems that have one all the same: it shares datasets with others, and
	// approximates references that have one.
	bias biasRule
	// needs depends on the parameters. A nil one needs nothing.
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
var sparseTable = documented(slices.Concat(sparseOwn, sparseBasis, sparseRegression, sparseVirtual, sparseOnline))

// documented says of each method without a bias what bias: true means to it.
func documented(table []sparseEntry) []sparseEntry {
	for i, a := range table {
		if a.bias != withoutBias {
			continue
		}
		table[i].Params = slices.Clone(a.Params)
		for j, p := range a.Params {
			if p.Name == "bias" {
				table[i].Params[j].Doc = "whether the problem has an unregularised bias; this method's classifier has none, whatever its reference has"
			}
		}
	}
	return table
}

// resolved implements algorithm.
func (a sparseEntry) resolved(p Params) {
	resolveKernel(p)
	if a.fill != nil {
		a.fill(p)
	}
	if p.has("bias") && a.bias == withoutBias && !a.dependsOnReference(p) {
		p["bias"] = false // it is the same run
	}
}

// needed returns what a run needs.
func (a sparseEntry) needed(p Params) SparseNeeds {
	var n SparseNeeds
	if a.needs != nil {
		n = a.needs(p)
	}
	n.WorkingSet = max(n.WorkingSet, 1)
	return n
}

func (a sparseEntry) converts(p Params) bool {
	n := a.needed(p)
	return converts(p, n.C || n.Reference, n.Nu, n.R)
}

func (a sparseEntry) dependsOnReference(p Params) bool {
	return a.needed(p).Reference || a.converts(p)
}

// NeedsOfSparse returns what a run needs; it is zero for an unknown algorithm.
func NeedsOfSparse(id string, p Params) SparseNeeds {
	a, ok := findSparse(id)
	if !ok {
		return SparseNeeds{}
	}
	return a.needed(p)
}

// NeedsTrained reports whether a run depends on the trained classifier: as what it
// approximates, or for its regularisation.
func NeedsTrained(id string, p Params) bool {
	a, ok := findSparse(id)
	return ok && a.dependsOnReference(p)
}

// rowCounts lists the parameters that count expansion vectors, of which there
// are at most as many as training points.
var rowCounts = []string{"support", "basis"}

// CheckTrainRows reports a parameter that n training points do not allow. A
// default is not the user's mistake: methods take as many as there are.
func CheckTrainRows(task, id string, p Params, n int) error {
	if task != TaskSparse {
		return nil
	}
	a, _ := findSparse(id)
	for _, q := range a.Params {
		if slices.Contains(rowCounts, q.Name) && p.has(q.Name) && p[q.Name] != q.Default && p.Int(q.Name) > n {
			return fmt.Errorf("%s = %d is more than the %d training points; lower it", q.Name, p.Int(q.Name), n)
		}
	}
	return nil
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

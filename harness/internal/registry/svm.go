package registry

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
)

// ReferenceVersion is the version of how the reference optimum of an SVM
// problem is solved. Runs that take their lambda, nu or R from one depend on
// it: it is part of their keys. Raise it when the bits of references change.
const ReferenceVersion = 1

// SparseReferenceGap is the relative duality gap to which the classifier is
// trained that post-hoc methods of the task svm-sparse approximate. With
// ReferenceVersion it is part of the keys of the runs that depend on it.
const SparseReferenceGap = 1e-6

// SVMEnv is what a run gives to the constructor of an SVM algorithm.
type SVMEnv struct {
	// Kernel opens a reader of the shared kernel matrix; a kernel method calls
	// it once. Linear returns the data matrix to a linear method.
	Kernel func() svm.Problem
	Linear func() svm.LinearProblem
	// Vectors returns the points in the same order, the training points first,
	// with their number and that of the positive ones among them.
	Vectors func() (x kernel.Vectors, train, positive int)
	// Context ends external solvers and long steps.
	Context context.Context
	// Clock returns the seconds since a moment of its own. What waits for an
	// external solver times it by that.
	Clock func() float64
	// Lambda, Nu and R are the regularisation in its three forms, NaN where it
	// is not known.
	Lambda, Nu, R float64
	// Bias: the problem has an unregularised bias.
	Bias bool
	Kern kernel.Kernel
	// Order opens the stream of training indices of a kind, "uniform" or
	// "pass".
	Order func(kind string) svm.Order
	// Rand opens the stream of a role.
	Rand func(role string) *rand.Rand
}

// SVMNeeds says what a run needs before its algorithm can be constructed.
type SVMNeeds struct {
	// Kernel: the kernel matrix.
	Kernel bool
	// Lambda, Nu, R: the form of the regularisation; one at most.
	Lambda, Nu, R bool
	// Steps, if positive, is the method's own number of iterations, whatever
	// the budget, all of them recorded.
	Steps int64
	// WorkingSet is the number k of indices of an iteration: its kernel
	// evaluations are k n.
	WorkingSet int
}

// biasRule says for which problems a method is made.
type biasRule int

const (
	withoutBias biasRule = iota
	eitherBias
	withBias
)

type svmEntry struct {
	Entry
	bias biasRule
	// kernel is the only kernel that the method takes, "" for any.
	kernel string
	// unit: its analysis assumes that K(x, x) is at most 1.
	unit bool
	// needs depends on the parameters in its last two fields only.
	needs func(p Params) SVMNeeds
	// fill, if any, fills in the defaults that depend on other parameters.
	fill func(p Params)
	// available, if set, reports whether the program that it runs is there.
	available func() error
	// memory, if set, returns how many bytes a run takes that grow with its
	// parameters: what it keeps of so many points, besides kernel rows.
	memory func(p Params, points int) int64
	new    func(e SVMEnv, p Params) (svm.Learner, error)
}

// resolved implements algorithm.
func (a svmEntry) resolved(p Params) {
	resolveKernel(p)
	if a.fill != nil {
		a.fill(p)
	}
}

// resolveKernel fills in the parameters of the polynomial kernel.
func resolveKernel(p Params) {
	if p.Text("kernel") != "polynomial" {
		return
	}
	for _, d := range [...]struct {
		name  string
		value any
	}{{"degree", int64(3)}, {"gamma", 1.0}, {"coef0", 0.0}} {
		if !p.has(d.name) {
			p[d.name] = d.value
		}
	}
}

// KernelOf returns the kernel that the parameters of a run name.
func KernelOf(p Params) (kernel.Kernel, error) {
	p = maps.Clone(p)
	resolveKernel(p)
	switch name := p.Text("kernel"); name {
	case "gaussian":
		k := kernel.Gaussian{Gamma: gaussianGamma(p)}
		return k, k.Check()
	case "linear":
		return kernel.Linear{}, nil
	case "polynomial":
		k := kernel.Polynomial{Degree: p.Int("degree"), Gamma: p.Float("gamma"), Coef0: p.Float("coef0")}
		return k, k.Check()
	default:
		return nil, fmt.Errorf("unknown kernel %q", name)
	}
}

// gaussianGamma returns gamma of the Gaussian kernel.
func gaussianGamma(p Params) float64 {
	if p.has("sigma2") {
		return 1 / (2 * p.Float("sigma2"))
	}
	return p.Float("gamma")
}

// NeedsOfSVM returns what a run needs; it is zero for an unknown algorithm.
func NeedsOfSVM(id string, p Params) SVMNeeds {
	a, ok := findSVM(id)
	if !ok {
		return SVMNeeds{}
	}
	n := a.needs(p)
	n.WorkingSet = max(n.WorkingSet, 1)
	return n
}

// CountsKernelEvals reports whether the kernel evaluations of a run are known:
// those of a kernel method that is not another program.
func (n SVMNeeds) CountsKernelEvals() bool { return n.Kernel && n.Steps == 0 }

// MostPairs returns the largest number of pairs of features of so many points
// for which MemoryOf of random Fourier features is at most bytes; it may be 0.
func MostPairs(points int, bytes int64) int { return svm.RFFPairs(points, bytes) }

// Regularisers lists the forms of the regularisation in a spec.
var Regularisers = []string{"C", "lambda", "nu", "R"}

// Regulariser returns the form in which a run is given its regularisation, ""
// if it is given none.
func Regulariser(p Params) string {
	for _, name := range Regularisers {
		if p.has(name) {
			return name
		}
	}
	return ""
}

// HasReference reports whether a run's problem has a regularised objective, and
// so a reference optimum: with nu = 0, a hard margin, it has none.
func HasReference(p Params) bool {
	form := Regulariser(p)
	return form != "" && (form != "nu" || p.Float("nu") > 0)
}

// Approximates reports whether a method solves an approximation of the problem
// in place of the problem itself, so that the certified optimum is no bound on
// its objective.
func Approximates(id string, p Params) bool {
	return !NeedsOfSVM(id, p).Kernel && p.Text("kernel") != "linear"
}

// Compares reports whether a run needs the reference optimum for nothing but its
// suboptimality. One that converts knows it anyway.
func Compares(id string, p Params) bool {
	form := Regulariser(p)
	return (form == "C" || form == "lambda") && !Converts(id, p) && !Approximates(id, p)
}

// Converts reports whether a run takes its regularisation in another form than
// it is given in, so that it depends on the reference optimum.
func Converts(id string, p Params) bool {
	n := NeedsOfSVM(id, p)
	return converts(p, n.Lambda, n.Nu, n.R)
}

// converts reports whether a regularisation is given in another form than one of
// those needed. C and lambda are as good as one form.
func converts(p Params, lambda, nu, r bool) bool {
	switch Regulariser(p) {
	case "C", "lambda":
		return nu || r
	case "nu":
		return lambda || r
	case "R":
		return lambda || nu
	}
	return false
}

// AssumesUnitNorm reports whether the analysis of an SVM algorithm assumes that
// K(x, x) is at most 1 for every x.
func AssumesUnitNorm(id string) bool {
	a, _ := findSVM(id)
	return a.unit
}

// AvailableSVM returns an error that wraps svm.ErrNoSolver if an algorithm runs
// a program that is not installed.
func AvailableSVM(id string) error {
	if a, ok := findSVM(id); ok && a.available != nil {
		return a.available()
	}
	return nil
}

// NewSVM constructs an SVM algorithm with the parameters given, which have
// passed the catalog's checks.
func NewSVM(id string, env SVMEnv, p Params) (svm.Learner, error) {
	a, ok := findSVM(id)
	if !ok {
		return nil, fmt.Errorf("unknown algorithm %q", id)
	}
	return a.new(env, Resolve(TaskSVM, id, p))
}

func findSVM(id string) (svmEntry, bool) {
	for _, a := range svmTable {
		if a.ID == id {
			return a, true
		}
	}
	return svmEntry{}, false
}

package registry

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
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

// Env is what a run gives to the constructor of a method of the tasks svm and
// svm-sparse. A function is called once at most.
type Env struct {
	// Kernel opens the rows of the kernel matrix of the training points. Linear
	// returns the data matrix to a linear method, Inputs opens the input space, where
	// the kernel is Gaussian.
	Kernel func() svm.Problem
	Linear func() svm.LinearProblem
	Inputs func() sparse.Inputs
	// Reference returns the trained classifier that a post-hoc method
	// approximates; the method must say that it needs it.
	Reference func() *sparse.Reference
	// Vectors returns the points in the same order, the training points first,
	// with their number and that of the positive ones among them.
	Vectors func() (x kernel.Vectors, train, positive int)
	// Context ends external solvers and long steps.
	Context context.Context
	// Clock returns the seconds since a moment of its own. What waits for an
	// external solver times it by that.
	Clock func() float64
	// C, Lambda = 1/(C n), Nu and R are the regularisation in its forms, NaN where it
	// is not known. C is known in the task svm-sparse only.
	C, Lambda, Nu, R float64
	// Bias: the problem has an unregularised bias.
	Bias bool
	Kern kernel.Kernel
	// Order opens the stream of training indices of a kind, "uniform" or
	// "pass".
	Order func(kind string) svm.Order
	// Rand opens the stream of a role.
	Rand func(role string) *rand.Rand
	// External is for external algorithms.
	External StartProgram
}

// resolveKernel fills in the parameters of the polynomial kernel.
func resolveKernel(p Params) {
	if p.Text("kernel") == "polynomial" {
		p.fill("degree", int64(3))
		p.fill("gamma", 1.0)
		p.fill("coef0", 0.0)
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

// NewSVM constructs an SVM algorithm with the parameters given, which have
// passed the catalog's checks.
func NewSVM(a *Algorithm, env Env, p Params) (svm.Learner, error) {
	return a.svm(env, a.Resolve(p))
}

// NewSparse constructs a method for sparse SVMs with the parameters given, which
// have passed the catalog's checks.
func NewSparse(a *Algorithm, env Env, p Params) (sparse.Learner, error) {
	return a.sparse(env, a.Resolve(p))
}

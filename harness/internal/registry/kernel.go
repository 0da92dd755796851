package registry

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"

	"stochopt/algorithms"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/pca"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

// ReferenceVersion is the version of the solver for reference optima of SVM problems. It is part of the
// keys of runs that depend on a reference. Raise it when the bits of references change.
const ReferenceVersion = 1

// SparseReferenceGap is the relative duality gap of the reference classifier that methods of svm-sparse
// approximate. It is part of the keys of these runs, together with ReferenceVersion.
const SparseReferenceGap = 1e-6

// Env is the environment of a run that the constructor of its method receives. A constructor calls each
// function at most once.
type Env struct {
	// Context ends external solvers and long steps.
	Context context.Context
	// Rand opens the random stream of a role.
	Rand func(role string) *rand.Rand
	// External starts the program of an external algorithm.
	External StartProgram

	// Source, Step and Horizon are for task pca. Step is nil for methods without a step size. Horizon
	// is the budget in iterations, which the schedule "theory" uses.
	Source  pca.Source
	Step    algorithms.Schedule
	Horizon int64

	// The other fields are for the tasks svm and svm-sparse. Kernel returns the training problem with
	// kernel rows, Linear the training problem with the data matrix, and Inputs the input space of the
	// Gaussian kernel.
	Kernel func() svm.Problem
	Linear func() svm.LinearProblem
	Inputs func() sparse.Inputs
	// Reference returns the classifier that a method approximates. It requires Needs.Reference.
	Reference func() *sparse.Reference
	// Vectors returns all points, training points first, the number of training points and the number
	// of positive training points.
	Vectors func() (x kernel.Vectors, train, positive int)
	// Clock returns the seconds since an arbitrary time. It times external solvers.
	Clock func() float64
	// C, Lambda = 1/(C n), Nu and R are the forms of the regularisation. Unknown ones are NaN.
	C, Lambda, Nu, R float64
	// Bias is true if the problem has an unregularised bias.
	Bias bool
	Kern kernel.Kernel
	// Order opens a stream of training indices. Its kind is "uniform" or "pass".
	Order func(kind string) svm.Order
}

// resolveKernel sets the default parameters of the polynomial kernel.
func resolveKernel(p Params) {
	if p.Text("kernel") == "polynomial" {
		p.fill("degree", int64(3))
		p.fill("gamma", 1.0)
		p.fill("coef0", 0.0)
	}
}

// KernelOf returns the kernel that the parameters of a run describe.
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

// Regularisers lists the forms of the regularisation.
var Regularisers = []string{"C", "lambda", "nu", "R"}

// Regulariser returns the form in which the regularisation is given, or "".
func Regulariser(p Params) string {
	for _, name := range Regularisers {
		if p.has(name) {
			return name
		}
	}
	return ""
}

// NewSVM constructs an SVM algorithm. The parameters must have passed the checks of the catalog.
func NewSVM(a *Algorithm, env Env, p Params) (svm.Learner, error) {
	return a.svm(env, a.Resolve(p))
}

// NewSparse constructs a sparse SVM method. The parameters must have passed the checks of the catalog.
func NewSparse(a *Algorithm, env Env, p Params) (sparse.Learner, error) {
	return a.sparse(env, a.Resolve(p))
}

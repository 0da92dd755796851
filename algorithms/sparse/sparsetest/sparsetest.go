// Package sparsetest is a conformance suite for implementations of
// sparse.Learner.
package sparsetest

import (
	"cmp"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

// Env is what a learner may need. A learner takes from it what it wants.
type Env struct {
	// Problem holds the kernel rows of the training points, Inputs the input space
	// of the same kernel, which is Gaussian. With kernels that are not, for
	// degenerate problems, Inputs is nil.
	Problem svm.Problem
	Inputs  sparse.Inputs
	// Reference is the SVM with parameter C on the problem, with a bias if the
	// case says so.
	Reference *sparse.Reference
	C         float64
	// Order and Rand are streams of this learner alone.
	Order svm.Order
	Rand  *rand.Rand
}

// Case describes a learner to the suite.
type Case struct {
	Name string
	// New returns a learner. It uses Config, if there is one.
	New func(env Env) (sparse.Learner, error)
	// Config, if not nil, points to the configuration, which nothing may change.
	Config any

	// Bias says that the classifier may have a bias: the reference has one then.
	// Without it, the bias must be 0.
	Bias bool
	// Virtual says that expansion vectors may be constructed, from Inputs, without
	// which the learner may refuse a problem.
	Virtual bool
	// Reference says that the learner must refuse a problem without a reference,
	// or with one that does not belong to it.
	Reference bool
	// Most, if not 0, is a bound on the number of expansion vectors.
	Most int

	// Charge, if not nil, returns the least and the greatest number of kernel
	// evaluations that a step on n points may be charged. If it is nil, a step is
	// charged n for every row that it asks for, and if it asks for a row more than
	// once possibly as often, n for every call of RowTo and 1 for one of Eval.
	Charge func(n int, f Fetched) (least, most int64)
	// Permuted, if not 0, says that the order of the points within their class
	// does not matter: the scores are the same to within it, relative to the
	// greatest. It is for learners that draw nothing.
	Permuted float64
	// Steps is the number of steps after which, unless it stops earlier, the
	// learner classifies two distant clouds of 60 points in all with at most
	// Errors mistakes. It is 2000 if it is 0.
	Steps, Errors int
	// Lookahead is the number of steps of the other checks, 120 if it is 0.
	Lookahead int
}

func (c *Case) steps() int { return cmp.Or(c.Steps, 2000) }

func (c *Case) lookahead() int { return cmp.Or(c.Lookahead, 120) }

// reporter is what checks report to.
type reporter = suite.Reporter

var checks = []suite.Check[Case]{
	{Name: "Refusals", Run: checkRefusals},
	{Name: "Expansions", Run: checkExpansions},
	{Name: "Costs", Run: checkCosts},
	{Name: "Reproducible", Run: checkReproducible},
	{Name: "ExpansionToIsPassive", Run: checkPassive},
	{Name: "ExpansionToDestinations", Run: checkDestinations},
	{Name: "NotFinite", Run: checkNotFinite},
	{Name: "Stopped", Run: checkStopped},
	{Name: "Learns", Run: checkLearns},
	{Name: "Permuted", Run: checkPermuted},
	{Name: "Degenerate", Run: checkDegenerate},
}

// Run runs the suite on the learners of the cases, as subtests of t.
func Run(t *testing.T, cases ...Case) {
	t.Helper()
	for _, c := range cases {
		suite.Run(t, c.Name, checks, c, c.Config)
	}
}

// Faults runs the suite, or the checks of the given names, on the learner of c
// outside a test and returns, by the name of the check, the first thing that each
// found wrong.
func Faults(c Case, names ...string) map[string]string {
	return suite.Faults(checks, c, c.Config, names...)
}

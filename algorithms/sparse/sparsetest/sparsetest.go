// Package sparsetest is a conformance suite for implementations of sparse.Learner.
package sparsetest

import (
	"cmp"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

// Env holds the possible arguments of the constructor of a learner.
type Env struct {
	// Problem holds the kernel rows of the training points.
	Problem svm.Problem
	// Inputs is the input space of the same kernel, which is Gaussian. In degenerate problems with other
	// kernels it is nil.
	Inputs sparse.Inputs
	// Reference is the SVM with parameter C on the problem, with a bias if Case.Bias is set.
	Reference *sparse.Reference
	C         float64
	// Order and Rand are streams for this learner only.
	Order svm.Order
	Rand  *rand.Rand
}

// Case describes a learner to the suite.
type Case struct {
	Name string
	// New returns a learner, constructed from Config if it is not nil.
	New func(env Env) (sparse.Learner, error)
	// Config, if not nil, points to the configuration, which must not change.
	Config any

	// Bias is set if the classifier may have a bias. The reference then has one.
	Bias bool
	// Constructs is set if the learner may construct expansion vectors from Inputs. It may then refuse a
	// problem without Inputs.
	Constructs bool
	// Reference is set if the learner must refuse a problem without a reference, or with one that does
	// not match.
	Reference bool
	// Most, if not 0, is a bound on the number of expansion vectors.
	Most int

	// Charge, if not nil, returns the least and the greatest number of kernel evaluations that a step on
	// n points may be charged. If it is nil, a step is charged n for every row and every call of RowTo,
	// and 1 for every call of Eval. A row that is fetched repeatedly may count once.
	Charge func(n int, f Fetched) (least, most int64)
	// Permuted, if not 0, is the tolerance, relative to the greatest score, within which the scores do
	// not depend on the order of the points within a class. It is for deterministic learners.
	Permuted float64
	// Steps is the number of steps within which the learner must classify two distant clouds of 60
	// points in total with at most Errors mistakes. 0 means 2000.
	Steps, Errors int
	// Lookahead is the number of steps of the other checks. 0 means 120.
	Lookahead int
}

func (c *Case) steps() int { return cmp.Or(c.Steps, 2000) }

func (c *Case) lookahead() int { return cmp.Or(c.Lookahead, 120) }

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

// Run runs the suite on the learners of the given cases, as subtests of t.
func Run(t *testing.T, cases ...Case) {
	t.Helper()
	for _, c := range cases {
		suite.Run(t, c.Name, checks, c, c.Config)
	}
}

// Faults runs the named checks, or all if there are no names, on the learner of c outside a test. It
// returns the first fault found by each check, by its name.
func Faults(c Case, names ...string) map[string]string {
	return suite.Faults(checks, c, c.Config, names...)
}

// Package svmtest is a conformance suite for implementations of svm.Learner.
package svmtest

import (
	"cmp"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
)

// Env holds the possible arguments of the constructor of a learner: one problem in several forms, and
// random streams for this learner only.
type Env struct {
	// Problem is the kernel problem.
	Problem svm.Problem
	// Linear and Points hold the same points.
	Linear svm.LinearProblem
	Points kernel.Vectors
	// Order yields uniform training indices.
	Order svm.Order
	// Rand and Shuffle are independent random streams.
	Rand, Shuffle *rand.Rand
}

// Input tells which part of an Env a learner uses.
type Input int

const (
	// Rows means Env.Problem, a kernel matrix.
	Rows Input = iota
	// Features means Env.Linear or Env.Points.
	Features
)

// Case describes a learner to the suite.
type Case struct {
	// Name is the name of the subtest.
	Name string
	// New returns the learner.
	New func(env Env) (svm.Learner, error)
	// Config, if not nil, points to the configuration used by New. It must not change.
	Config any
	// Input is the part of the Env that New uses.
	Input Input

	// Bias is set if the learner has a bias. It must then refuse a problem with one class. Otherwise b
	// must be 0.
	Bias bool
	// Upper, if not nil, returns the bound on the coefficients for n points.
	Upper func(n int) float64
	// AnySign permits negative coefficients.
	AnySign bool
	// Current is set if Solution.Alpha is the unscaled state of the learner, not an average.
	// KernelEvalsMoved then counts its changed entries.
	Current bool

	// WorkingSet, if not 0, is the k for which a step is charged k n kernel evaluations and fetches at
	// most k different rows.
	WorkingSet int
	// Charge, if not nil, returns the least and the greatest number of kernel evaluations that a step
	// may be charged. before is the solution before the step.
	Charge func(n int, before *svm.Solution) (least, most int64)
	// InnerProducts, if not 0, is the number of inner products that each step is charged with the Input
	// Features.
	InnerProducts int64

	// KeepsPrevious is the result of the learner's method of the same name.
	KeepsPrevious bool
	// Symmetric, if not 0, is the tolerance within which swapping the classes negates the scores after
	// Steps steps.
	Symmetric float64
	// Steps is the number of steps within which the learner must classify two distant clouds without a
	// mistake. 0 means 2000.
	Steps int
}

func (c *Case) steps() int { return cmp.Or(c.Steps, 2000) }

type reporter = suite.Reporter

var checks = []suite.Check[Case]{
	{Name: "Refusals", Run: checkRefusals},
	{Name: "Solutions", Run: checkSolutions},
	{Name: "Costs", Run: checkCosts},
	{Name: "Support", Run: checkSupport},
	{Name: "Reproducible", Run: checkReproducible},
	{Name: "SolutionToIsPassive", Run: checkPassive},
	{Name: "SolutionToDestinations", Run: checkDestinations},
	{Name: "EvaluationPointsDoNotTrain", Run: checkEvaluation},
	{Name: "EvaluationPointsInAnyOrder", Run: checkPermuted},
	{Name: "NotFinite", Run: checkNotFinite},
	{Name: "Stopped", Run: checkStopped},
	{Name: "Learns", Run: checkLearns},
	{Name: "Symmetric", Run: checkSymmetric},
	{Name: "Degenerate", Run: checkDegenerate},
}

// Run runs the suite on the learner of c, as subtests of t.
func Run(t *testing.T, c Case) {
	t.Helper()
	suite.Run(t, c.Name, checks, c, c.Config)
}

// Faults runs the named checks, or all if there are no names, on the learner of c outside a test. It
// returns the first fault found by each check, by its name.
func Faults(c Case, names ...string) map[string]string {
	return suite.Faults(checks, c, c.Config, names...)
}

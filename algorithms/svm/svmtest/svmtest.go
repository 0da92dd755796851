// Package svmtest is the conformance suite of package svm: what every learner
// owes to those that run it, whatever it does inside.
package svmtest

import (
	"cmp"
	"math/rand/v2"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
)

// Env is what a learner is made of. It holds one problem in each of the forms in
// which a learner may want it; the random streams are the learner's own.
type Env struct {
	// Problem is the kernel problem.
	Problem svm.Problem
	// Linear and Points are the points themselves.
	Linear svm.LinearProblem
	Points kernel.Vectors
	// Order yields uniform training indices.
	Order svm.Order
	// Rand and Shuffle are two random streams.
	Rand, Shuffle *rand.Rand
}

// Input says which part of an Env a learner reads.
type Input int

const (
	// Rows: Env.Problem, a kernel matrix.
	Rows Input = iota
	// Features: Env.Linear, or Env.Points.
	Features
)

// Case describes a learner to the suite.
type Case struct {
	// Name is that of the subtest.
	Name string
	// New makes the learner.
	New func(env Env) (svm.Learner, error)
	// Config, if not nil, points to the configuration that New hands to the
	// constructor. It must not change.
	Config any
	// Input says what New reads.
	Input Input

	// Bias says that the learner finds a bias: it must refuse a problem with one
	// class only. Without it, b must be 0.
	Bias bool
	// Upper, if not nil, returns the bound on the coefficients for n points.
	Upper func(n int) float64
	// AnySign permits negative coefficients.
	AnySign bool
	// Current says that Solution.Alpha is the state of the learner, not an
	// average and not scaled, so that KernelEvalsMoved counts the entries that
	// change.
	Current bool

	// WorkingSet is k: a step is charged k n kernel evaluations and fetches at
	// most k different rows. If it is 0, Charge tells.
	WorkingSet int
	// Charge, if not nil, returns the least and the greatest number of kernel
	// evaluations that a step may be charged; before is the solution before it.
	Charge func(n int, before *svm.Solution) (least, most int64)
	// InnerProducts is the number of inner products that a step is charged if
	// the Input is Features; 0 if it is not the same for all steps.
	InnerProducts int64

	// KeepsPrevious is what the learner reports as a svm.PreviousKeeper.
	KeepsPrevious bool
	// Symmetric says that swapping the classes negates the scores, to within
	// this tolerance, after Steps steps. It is not checked if it is 0.
	Symmetric float64
	// Steps is the number of steps after which the learner classifies two
	// distant clouds without a mistake, 2000 if it is 0.
	Steps int
}

func (c *Case) steps() int { return cmp.Or(c.Steps, 2000) }

// reporter is what checks report to.
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

// Faults runs the suite, or the checks of the given names, on the learner of c
// outside a test and returns, by the name of the check, the first thing that each
// found wrong.
func Faults(c Case, names ...string) map[string]string {
	return suite.Faults(checks, c, c.Config, names...)
}

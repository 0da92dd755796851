package svm

// This file exports internal values of the methods for tests.

// DualObjective returns D(alpha).
func (d *dual) DualObjective() float64 { return d.qp.Objective() }

// Violation returns the violation of the KKT conditions, 0 at the optimum.
func (d *dual) Violation() float64 { return d.qp.Violation() }

// Pairs returns the number k of feature pairs.
func (a *RFF) Pairs() int { return a.features.pairs }

// Gap returns the primal and the dual objective of the linear SVM in the current features.
func (a *RFF) Gap() (primal, dual float64) { return a.solver.Gap() }

// Iterations returns the number of SMO iterations reported by svm-train.
func (a *LIBSVM) Iterations() int64 { return a.found.Iterations }

// Objective returns the objective |w|^2/2 - 1'alpha reported by svm-train, with six decimals.
func (a *LIBSVM) Objective() float64 { return a.found.Objective }

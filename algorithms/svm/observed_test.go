package svm

// What only tests ask of the methods: how far they are.

// Pairs returns the number of pairs of features, k.
func (a *RFF) Pairs() int { return a.features.pairs }

// Gap returns the primal and the dual objective of the linear SVM in the
// current features, as LinearSDCA.Gap does.
func (a *RFF) Gap() (primal, dual float64) { return a.solver.Gap() }

// Iterations returns the number of SMO iterations that svm-train reported.
func (a *LIBSVM) Iterations() int64 { return a.found.Iterations }

// Objective returns the dual objective as svm-train reported it, six decimals
// of |w|^2/2 - 1'alpha, which is minimised.
func (a *LIBSVM) Objective() float64 { return a.found.Objective }

package plan

import (
	"math"

	"stochopt/harness/internal/registry"
)

// demands returns what the run asks for.
func (it *Item) demands() registry.Demands { return it.Algorithm.Demands(it.Params) }

// ReadsKernel reports whether a run reads a kernel matrix: its algorithm does, or
// the solver of the optimum that it takes its regularisation from, or with which
// it is compared if reference says that runs are. Methods that approximate the
// kernel are not. Every search for a sparse classifier does.
func (it *Item) ReadsKernel(reference bool) bool {
	d := it.demands()
	return d.Kernel || reference && d.Compared
}

// KernelEvals returns the number of kernel evaluations that a run will be
// charged if it goes through its budget: for the Perceptron, which pays for its
// support only, the most that it can be, and for a search for a sparse
// classifier what its iterations take as a rule. It is 0 for a run without a
// kernel matrix. More than can be counted are the most that can be.
func (it *Item) KernelEvals() int64 {
	n := float64(it.Budget) * float64(it.demands().KernelRows) * float64(it.Problem.TrainRows)
	if n >= math.MaxInt64 {
		return math.MaxInt64
	}
	return it.Budget * int64(it.demands().KernelRows) * int64(it.Problem.TrainRows)
}

package kernel_test

import (
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
)

var _ sparse.Inputs = (*kernel.Inputs)(nil)

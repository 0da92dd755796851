package kernel_test

import (
	"stochopt/algorithms/kernel"
	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
)

var (
	_ svm.Rows      = (*kernel.Reader)(nil)
	_ svm.Features  = (*kernel.Features)(nil)
	_ sparse.Inputs = (*kernel.Inputs)(nil)
	_ kernel.Kernel = kernel.Gaussian{}
	_ kernel.Kernel = kernel.Linear{}
	_ kernel.Kernel = kernel.Polynomial{}
)

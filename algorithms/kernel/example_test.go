package kernel_test

import (
	"fmt"

	"stochopt/algorithms/kernel"

	"gonum.org/v1/gonum/mat"
)

// Rows of a kernel matrix over the rows of a matrix, of which the first two are
// training points.
func ExampleMatrix() {
	x := kernel.Matrix{Dense: mat.NewDense(3, 2, []float64{
		0, 0,
		1, 0,
		0, 2,
	})}
	points, err := kernel.NewPoints(x, []int{0, 1, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	cache, err := kernel.NewCache(kernel.CacheConfig{
		Kernel: kernel.Gaussian{Gamma: 0.5}, Points: points, Train: 2, Pool: kernel.NewPool(1 << 20),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cache.Close()
	rows := cache.Reader()
	defer rows.Close()
	for i := range rows.Train() {
		fmt.Printf("%.3f\n", rows.Row(i))
	}
	// Output:
	// [1.000 0.607 0.135]
	// [0.607 1.000 0.082]
}

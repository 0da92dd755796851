package svm_test

import (
	"fmt"
	"math/rand/v2"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"

	"gonum.org/v1/gonum/mat"
)

// The SBP is trained on the rows of a matrix and classifies two new points.
func ExampleSBP() {
	x := mat.NewDense(4, 2, []float64{
		0, 0,
		0, 1,
		1, 0,
		1, 1,
	})
	y := []float64{1, -1, -1, 1} // exclusive or

	order, positive, err := svm.PositiveFirst(y)
	check(err)
	points, err := kernel.NewPoints(kernel.Matrix{Dense: x}, order)
	check(err)
	gaussian := kernel.Gaussian{Gamma: 2}
	cache, err := kernel.NewCache(kernel.CacheConfig{
		Kernel: gaussian, Points: points, Train: len(order), Pool: kernel.NewPool(1 << 20),
	})
	check(err)
	defer cache.Close()
	rows := cache.Reader()
	defer rows.Close()

	problem := svm.Problem{Rows: rows, Positive: positive}
	sbp, err := svm.NewSBP(svm.SBPConfig{Nu: 0.01}, problem, rand.New(rand.NewPCG(1, 2)))
	check(err)
	for range 1000 {
		if status := sbp.Step(); status.Stop() {
			fmt.Println(status.Reason)
			return
		}
	}
	var classifier svm.Solution
	sbp.SolutionTo(&classifier)

	inputs, err := points.Inputs(len(order), gaussian)
	check(err)
	row := make([]float32, len(order))
	for _, z := range [][]float64{{0.9, 0.8}, {0.1, 0.8}} {
		inputs.RowTo(row, z)
		fmt.Printf("%v: %+.1f\n", z, problem.Score(&classifier, row))
	}
	// Output:
	// [0.9 0.8]: +0.7
	// [0.1 0.8]: -0.7
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

package pca_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"stochopt/algorithms"
	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// MSG finds the direction (3, 4)/5 of most of the second moment of 5,000 samples.
func ExampleMSG() {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(5000, 2, nil)
	for i := range 5000 {
		along, across := 0.9*rng.NormFloat64(), 0.3*rng.NormFloat64()
		x.SetRow(i, []float64{0.6*along - 0.8*across, 0.8*along + 0.6*across})
	}
	cfg := pca.MSGConfig{K: 1, Step: algorithms.InverseSqrt{C: 0.5}}
	msg, err := pca.NewMSG(cfg, pca.NewMatrixSource(x), rng)
	if err != nil {
		fmt.Println(err)
		return
	}
	var status algorithms.Status
	for !status.Stop() {
		status = msg.Step()
	}
	var state pca.State
	msg.StateTo(&state)
	u := state.TopK(1)
	fmt.Println(msg.Cost().Iterations, "samples:", status.State)
	fmt.Printf("%.1f %.1f\n", math.Abs(u.At(0, 0)), math.Abs(u.At(1, 0)))
	// Output:
	// 5000 samples: exhausted
	// 0.6 0.8
}

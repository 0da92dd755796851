package svm_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms/svm"
)

func hingeSum(scores []float64, positive int, b float64) (sum float64) {
	for i, s := range scores {
		y := 1.0
		if i >= positive {
			y = -1
		}
		sum += max(0, 1-y*(s+b))
	}
	return sum
}

// TestBestBiasMatchesBruteForce compares with the breakpoints of the loss. One of them is a minimiser, because the
// loss is piecewise linear.
func TestBestBiasMatchesBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for trial := range 2000 {
		n := 1 + rng.IntN(12)
		positive := rng.IntN(n + 1)
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = 3 * rng.NormFloat64()
			if trial%2 == 0 {
				scores[i] = math.Round(scores[i]) // ties
			}
		}
		kept := slices.Clone(scores)
		want := math.Inf(1)
		for _, s := range scores {
			want = min(want, hingeSum(scores, positive, 1-s), hingeSum(scores, positive, -1-s))
		}
		b := svm.BestBias(scores, positive)
		if got := hingeSum(scores, positive, b); !(got <= want+1e-12) {
			t.Fatalf("scores %v, %d positive: loss %v at b = %v, the minimum is %v", scores, positive, got, b, want)
		}
		if !slices.Equal(kept, scores) {
			t.Fatal("BestBias changed the scores")
		}
	}
}

func TestBestBiasIsTheMiddleOfTheMinimisers(t *testing.T) {
	for _, test := range []struct {
		scores   []float64
		positive int
		want     float64
	}{
		{[]float64{3, -3}, 1, 0},   // any |b| <= 2
		{[]float64{5, 1}, 1, -3},   // -4 <= b <= -2
		{[]float64{0, 0}, 1, 0},    // -1 <= b <= 1
		{[]float64{2, 4}, 2, -1},   // b >= -1
		{[]float64{2, 4}, 0, -5},   // b <= -5
		{[]float64{0, 0, 0}, 2, 1}, // b = 1
	} {
		if got := svm.BestBias(test.scores, test.positive); got != test.want {
			t.Errorf("%v, %d positive: b = %v, want %v", test.scores, test.positive, got, test.want)
		}
	}
}

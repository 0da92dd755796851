package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Pairs of rows and single ones give the sum of the terms, those of constructed
// vectors left out, whatever their number.
func TestAddRows(t *testing.T) {
	const n, points = 9, 37
	rng := rand.New(rand.NewPCG(3, 4))
	rows := make([][]float32, n)
	for i := range rows {
		for range points {
			rows[i] = append(rows[i], float32(rng.NormFloat64()))
		}
	}
	for trial := range 60 {
		var index []int
		var coef []float64
		for range trial % 13 {
			index, coef = append(index, rng.IntN(n+1)-1), append(coef, rng.NormFloat64())
		}
		// As of a reader, two rows are valid at a time.
		buffer, turn := [2][]float32{make([]float32, points), make([]float32, points)}, 0
		row := func(i int) []float32 {
			turn = 1 - turn
			copy(buffer[turn], rows[i])
			return buffer[turn]
		}
		got, want := make([]float64, points), make([]float64, points)
		AddRows(got, index, coef, row)
		for k, i := range index {
			for j := range want {
				if i >= 0 {
					want[j] += coef[k] * float64(rows[i][j])
				}
			}
		}
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-12*(1+math.Abs(want[j])) {
				t.Fatalf("terms %v: the score of point %d is %v, want %v", index, j, got[j], want[j])
			}
		}
	}
}

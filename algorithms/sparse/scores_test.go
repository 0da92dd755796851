package sparse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestScores checks AddRows against a plain sum, and that SharedSums gives the same bits for several
// expansions at once. The rows are valid for as few calls as the functions allow.
func TestScores(t *testing.T) {
	const n, points = 9, 37
	rng := rand.New(rand.NewPCG(3, 4))
	rows := make([][]float32, n)
	for i := range rows {
		for range points {
			rows[i] = append(rows[i], float32(rng.NormFloat64()))
		}
	}
	reader := func(valid int) func(i int) []float32 {
		buffer, turn := make([][]float32, valid), 0
		return func(i int) []float32 {
			turn = (turn + 1) % valid
			buffer[turn] = append(buffer[turn][:0], rows[i]...)
			return buffer[turn]
		}
	}
	for trial := range 60 {
		var list []*Expansion
		var each [][]float64
		for range 1 + trial%11 {
			e := new(Expansion)
			for _, i := range rng.Perm(n)[:rng.IntN(n+1)] {
				e.Add(i, rng.NormFloat64())
			}
			if trial%2 == 0 {
				slices.Sort(e.Index)
			}
			want, got := make([]float64, points), make([]float64, points)
			for k, i := range e.Index {
				for j := range want {
					want[j] += e.Coef[k] * float64(rows[i][j])
				}
			}
			AddRows(got, append([]int{-1}, e.Index...), append([]float64{1}, e.Coef...), reader(2))
			for j := range want {
				if math.Abs(got[j]-want[j]) > 1e-12*(1+math.Abs(want[j])) {
					t.Fatalf("%+v: the score of point %d is %v, want %v", e, j, got[j], want[j])
				}
			}
			list, each = append(list, e), append(each, got)
		}
		var s SharedSums
		if !s.Align(list) {
			t.Fatal("not aligned")
		}
		sums := make([][]float64, len(list))
		for m := range sums {
			sums[m] = make([]float64, points)
		}
		s.AddTo(sums, reader(SharedRows))
		for m, want := range each {
			if !slices.Equal(sums[m], want) {
				t.Fatalf("%d expansions: the scores of %+v differ from those of AddRows", len(list), list[m])
			}
		}
	}
	var constructed Expansion
	constructed.AddVector([]float64{1}, 1)
	if new(SharedSums).Align([]*Expansion{&constructed}) {
		t.Error("Align accepted a constructed vector")
	}
}

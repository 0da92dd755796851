package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/datasets"
)

func newRNG(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// tables returns a dense and an equal sparse table whose row i is (i, i*i, 0), or (i, 0, i*i) if i is odd.
func tables(t *testing.T, n int) (dense, sparse *datasets.Table) {
	t.Helper()
	var data []float64
	var text strings.Builder
	for i := range n {
		row := [3]float64{float64(i)}
		row[1+i%2] = float64(i * i)
		data = append(data, row[:]...)
		fmt.Fprintf(&text, "0 1:%d %d:%d\n", i, 2+i%2, i*i)
	}
	sparse = libsvmTable(t, text.String(), 3)
	return datasets.NewDense(n, 3, data, nil), sparse
}

// draw returns the indices of the next n samples. It fails the test if a sample is not a row.
func draw(t *testing.T, s source, n int) []int {
	t.Helper()
	rows := make([]int, n)
	for i := range rows {
		x, ok := s.Next()
		if !ok || len(x) != 3 {
			t.Fatalf("sample %d is %v, %v", i, x, ok)
		}
		rows[i] = int(x[0])
		if odd := rows[i] % 2; x[1+odd] != x[0]*x[0] || x[2-odd] != 0 {
			t.Fatalf("sample %d is %v, not a row of the table", i, x)
		}
	}
	return rows
}

func TestEveryPassIsAPermutation(t *testing.T) {
	t.Parallel()
	dense, sparse := tables(t, 20)
	train := []int{3, 1, 4, 15, 9, 2, 6, 5}
	before := slices.Clone(train)
	a := newRowSource(dense, train, newOrder("pass", len(train), newRNG(1)))
	b := newRowSource(sparse, train, newOrder("pass", len(train), newRNG(1)))
	var passes [][]int
	for pass := range 50 {
		rows := draw(t, a, len(train))
		if other := draw(t, b, len(train)); !slices.Equal(rows, other) {
			t.Fatalf("pass %d: dense and sparse differ: %v and %v", pass, rows, other)
		}
		if got, want := slices.Sorted(slices.Values(rows)), slices.Sorted(slices.Values(train)); !slices.Equal(got, want) {
			t.Fatalf("pass %d is %v, not a permutation of %v", pass, rows, train)
		}
		passes = append(passes, rows)
	}
	if slices.Equal(passes[0], passes[1]) && slices.Equal(passes[1], passes[2]) {
		t.Error("the passes have the same order")
	}
	if !slices.Equal(train, before) {
		t.Error("the source changed the rows, which other runs share")
	}
}

func TestUniformSampling(t *testing.T) {
	t.Parallel()
	dense, _ := tables(t, 20)
	train := []int{3, 1, 4, 15, 9, 2, 6, 5}
	count := make(map[int]float64)
	repeated, last := false, -1
	for _, row := range draw(t, newRowSource(dense, train, newOrder("uniform", len(train), newRNG(3))), 8000) {
		count[row]++
		repeated = repeated || row == last
		last = row
	}
	var chi2 float64
	for _, row := range train {
		chi2 += math.Pow(count[row]-1000, 2) / 1000
	}
	// 7 degrees of freedom.
	if chi2 > 30 || !repeated || len(count) != len(train) {
		t.Errorf("the draws are not uniform with replacement: chi^2 is %v, counts %v", chi2, count)
	}
}

func TestDistSource(t *testing.T) {
	t.Parallel()
	dist := datasets.NewGaussian([]float64{4, 1, 0.25})
	s, rng, want := newDistSource(dist, newRNG(4)), newRNG(4), make([]float64, 3)
	for range 3 {
		dist.Sample(want, rng)
		if x, ok := s.Next(); !ok || s.Dim() != 3 || !slices.Equal(x, want) {
			t.Errorf("sample is %v, %t, want %v", x, ok, want)
		}
	}
}

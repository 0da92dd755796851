package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/datasets"

	"gonum.org/v1/gonum/mat"
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
	a, b := newRowSource(dense, train, newOrder("pass", len(train), newRNG(1))), newRowSource(sparse, train, newOrder("pass", len(train), newRNG(1)))
	if a.Dim() != 3 || b.Dim() != 3 {
		t.Fatalf("dimensions %d and %d, want 3", a.Dim(), b.Dim())
	}
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
	// Each row is equally frequent at each position: chi^2 of 8 x 8 cells has 49 degrees of freedom.
	const n = 8000
	var count [8][20]float64
	s := newRowSource(dense, train, newOrder("pass", len(train), newRNG(2)))
	for range n {
		for place, row := range draw(t, s, 8) {
			count[place][row]++
		}
	}
	var chi2 float64
	for place := range count {
		for _, row := range train {
			chi2 += math.Pow(count[place][row]-n/8, 2) / (n / 8)
		}
	}
	if chi2 > 100 {
		t.Errorf("the shuffles are not uniform: chi^2 is %v", chi2)
	}
}

func TestUniformSampling(t *testing.T) {
	t.Parallel()
	dense, sparse := tables(t, 20)
	train := []int{3, 1, 4, 15, 9, 2, 6, 5}
	rows := draw(t, newRowSource(dense, train, newOrder("uniform", len(train), newRNG(3))), 8000)
	if other := draw(t, newRowSource(sparse, train, newOrder("uniform", len(train), newRNG(3))), 8000); !slices.Equal(rows, other) {
		t.Error("dense and sparse differ")
	}
	var count [20]float64
	repeated := false
	for i, row := range rows {
		count[row]++
		repeated = repeated || i > 0 && rows[i-1] == row
	}
	var chi2 float64
	for row, c := range count {
		if !slices.Contains(train, row) {
			if c > 0 {
				t.Fatalf("row %d is not a training row", row)
			}
			continue
		}
		chi2 += math.Pow(c-1000, 2) / 1000
	}
	// 7 degrees of freedom.
	if chi2 > 30 || !repeated {
		t.Errorf("the draws are not uniform with replacement: chi^2 is %v, counts %v", chi2, count)
	}
}

func TestDistSourceSamplesTheDistribution(t *testing.T) {
	t.Parallel()
	dist := datasets.NewGaussian([]float64{4, 1, 0.25})
	s := newDistSource(dist, newRNG(4))
	again := newDistSource(dist, newRNG(4))
	const n = 20000
	var sum mat.SymDense
	sum.ReuseAsSym(3)
	for range n {
		x, ok := s.Next()
		y, _ := again.Next()
		if !ok || !slices.Equal(x, y) {
			t.Fatalf("the same stream gave %v and %v", x, y)
		}
		sum.SymRankOne(&sum, 1.0/n, mat.NewVecDense(3, x))
	}
	for i, want := range []float64{4, 1, 0.25} {
		if got := sum.At(i, i); math.Abs(got-want) > 0.05*want {
			t.Errorf("second moment %d is %v, want %v", i, got, want)
		}
	}
	if s.Dim() != 3 {
		t.Errorf("dimension %d, want 3", s.Dim())
	}
}

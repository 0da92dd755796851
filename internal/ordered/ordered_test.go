package ordered

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func normal(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func TestAddRowsSumsEachElementInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const alpha = -0.7
	paths(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 24, 27, 31, 32, 33, 40, 56, 63, 64, 71, 784} {
			for _, rows := range []int{0, 1, 2, 5, 31} {
				stride := n + rng.IntN(3)
				a := normal(rng, rows*stride)
				scale, got := normal(rng, rows), normal(rng, n+8) // elements beyond n must not change
				want := slices.Clone(got)
				for j := range n {
					for i, s := range scale {
						want[j] += float64(float64(alpha*s) * a[i*stride+j])
					}
				}
				AddRows(got[:n], alpha, scale, a, stride)
				if !slices.Equal(got, want) {
					t.Fatalf("%d rows of %d: got %v, want %v", rows, n, got, want)
				}
			}
		}
	})
}

func TestDotsSumsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	paths(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 64, 783, 784} {
			for _, rows := range []int{0, 1, 2, 3, 4, 5, 8, 11} {
				stride := n + rng.IntN(3)
				a, x := normal(rng, max(0, rows*stride)), normal(rng, n)
				got := normal(rng, rows+1) // the last element must not change
				want := slices.Clone(got)
				for i := range rows {
					var p [8]float64
					for j, v := range x {
						p[j%8] += float64(v * a[i*stride+j])
					}
					want[i] = ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]))
				}
				Dots(got[:rows], x, a, stride)
				if !slices.Equal(got, want) {
					t.Fatalf("%d rows of %d: got %v, want %v", rows, n, got, want)
				}
			}
		}
	})
}

func BenchmarkAddRows(b *testing.B) {
	benchmark(b, func(rows, columns, a []float64) { AddRows(columns, -1, rows, a, len(columns)) })
}

func BenchmarkDots(b *testing.B) {
	benchmark(b, func(rows, columns, a []float64) { Dots(rows, columns, a, len(columns)) })
}

// benchmark calls f with a vector with one element per row, a vector with one per column, and a matrix.
func benchmark(b *testing.B, f func(rows, columns, a []float64)) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, size := range [][2]int{{30, 30}, {32, 33}, {30, 784}, {784, 784}} {
		a, rows, columns := normal(rng, size[0]*size[1]), normal(rng, size[0]), normal(rng, size[1])
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			b.SetBytes(int64(8 * len(a)))
			for b.Loop() {
				f(rows, columns, a)
			}
		})
	}
}

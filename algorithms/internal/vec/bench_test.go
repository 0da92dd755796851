package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The bytes counted are those read and those written, each once.
func BenchmarkPasses(b *testing.B) {
	const f, r, m = 8, 4, 1 // an element of a vector, a row, a mask
	for _, n := range []int{32768, 65536} {
		rnd := rand.New(rand.NewPCG(1, 1))
		u, v, alpha, diag, dst := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		k, l := make([]float32, n), make([]float32, n)
		up, low := make([]int8, n), make([]int8, n)
		for j := range n {
			u[j], v[j], diag[j], k[j], l[j] = rnd.NormFloat64(), rnd.NormFloat64(), 1, rnd.Float32(), rnd.Float32()
			alpha[j] = max(0, min(1, rnd.NormFloat64()))
			up[j], low[j] = -int8(rnd.IntN(2)), -int8(rnd.IntN(2))
		}
		for _, c := range []struct {
			name  string
			bytes int
			pass  func()
		}{
			{"AddScaled", 2*f + r, func() { AddScaled(u, 1e-9, k) }},
			{"AddScaled2", 4*f + r, func() { AddScaled2(u, 1e-9, v, 1e-9, k) }},
			{"AddScaledPair", 2*f + 2*r, func() { AddScaledPair(u, 1e-9, k, -1e-9, l) }},
			{"Below", f, func() { Below(u, 0.1) }},
			{"CompressBelow", f + f/2, func() { CompressBelow(dst, u, 0) }},
			{"ArgMaxIf", f + m, func() { ArgMaxIf(u, up) }},
			{"ArgMinIf", f + m, func() { ArgMinIf(u, up) }},
			{"AddScaledPairExtremes", 2*f + 2*r + 2*m, func() { AddScaledPairExtremes(u, 1e-9, k, -1e-9, l, up, low) }},
			{"SecondOrder", 2*f + r + m, func() { SecondOrder(u, up, k, diag, -1, 1) }},
			{"ArgMaxGain", 3 * f, func() { ArgMaxGain(u, 1, alpha, 1, diag) }},
			{"NextAbove", f + m, func() { NextAbove(u, 1, up, 4.2) }},
			{"Dot32", f + r, func() { Dot32(u, k) }},
			{"AllFinite", r, func() { AllFinite(k) }},
		} {
			paths(func(path string) {
				b.Run(fmt.Sprintf("%s/n=%d/%s", c.name, n, path), func(b *testing.B) {
					b.SetBytes(int64(c.bytes * n))
					for b.Loop() {
						c.pass()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
				})
			})
		}
	}
}

// Rows in a random order out of 128 MB, which no cache holds; the bytes are
// those of the row.
func BenchmarkRowsFromMemory(b *testing.B) {
	const n, rows = 32768, 1024
	rnd := rand.New(rand.NewPCG(1, 1))
	gram := make([]float32, n*rows)
	for i := range gram {
		gram[i] = float32(i%16) / 16
	}
	u, v := make([]float64, n), make([]float64, n)
	row := func() []float32 {
		i := rnd.IntN(rows)
		return gram[i*n : (i+1)*n]
	}
	paths(func(path string) {
		b.Run("AddScaled/"+path, func(b *testing.B) {
			b.SetBytes(4 * n)
			for b.Loop() {
				AddScaled(u, 1e-9, row())
			}
		})
		b.Run("AddScaled2/"+path, func(b *testing.B) {
			b.SetBytes(4 * n)
			for b.Loop() {
				AddScaled2(u, 1e-9, v, 1e-9, row())
			}
		})
	})
}

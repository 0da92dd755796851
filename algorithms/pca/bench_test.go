package pca

import (
	"fmt"
	"testing"

	"stochopt/algorithms"
)

// benchSource repeats samples of d = 784 with E|x|^2 = 1.
func benchSource(b *testing.B) *normalSource {
	b.Helper()
	const d = 784
	return &normalSource{rows: scaleRows(normalRows(64, d, 0.99, 80), 0.14)}
}

// BenchmarkStep is the time of a step at d = 784, k = 8.
func BenchmarkStep(b *testing.B) {
	const k = 8
	step := algorithms.InverseSqrt{C: 0.1}
	for _, bench := range []struct {
		name string
		new  func(src Source) (Learner, error)
	}{
		{"saa", func(src Source) (Learner, error) { return NewSAA(SAAConfig{K: k}, src) }},
		{"power", func(src Source) (Learner, error) {
			return NewPower(PowerConfig{K: k, Step: step}, src, streamRand(81))
		}},
		{"gha", func(src Source) (Learner, error) { return NewGHA(GHAConfig{K: k, Step: step}, src, streamRand(81)) }},
		{"grouse", func(src Source) (Learner, error) {
			return NewGROUSE(GROUSEConfig{K: k, Step: step}, src, streamRand(81))
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			l, err := bench.new(benchSource(b))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				mustStep(b, l, 1)
			}
		})
	}
}

// BenchmarkSAAStateTo is the time of the solution over a prefix of n samples at
// d = 784, k = 8.
func BenchmarkSAAStateTo(b *testing.B) {
	for _, n := range []int{10, 100, 588, 589} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, err := NewSAA(SAAConfig{K: 8}, benchSource(b))
			if err != nil {
				b.Fatal(err)
			}
			mustStep(b, s, n)
			var st State
			for b.Loop() {
				s.StateTo(&st)
			}
		})
	}
}

// BenchmarkUnrelax is the time of a decomposition of d = 784 eigenvalues.
func BenchmarkUnrelax(b *testing.B) {
	for _, n := range []int{8, 776} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			sigma := mixed(784, n, 2000, 1, streamRand(82))
			for b.Loop() {
				if _, err := Unrelax(sigma, n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package pca

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fuzzSpectrum turns bytes into a spectrum with ties and a target share of its
// multiplicities.
func fuzzSpectrum(data []byte, spread float64, share uint8) (sigma []float64, kappa []int, target int) {
	total := 0
	for i := 0; i+2 < len(data) && len(sigma) < 50; i += 3 {
		s := spread * (float64(data[i]) - 128 + float64(data[i+1])/256)
		c := 1 + int(data[i+2])%20
		sigma, kappa, total = append(sigma, s), append(kappa, c), total+c
	}
	return sigma, kappa, total * int(share) / 255
}

func seedSpectra(f *testing.F) {
	for i, s := range []float64{1, 1.0 / 128, 1e-9, 1e6, 1e280} {
		f.Add([]byte("a seed of eigenvalues and multiplicities, some equal equal")[i:], s, uint8(40*i+3))
	}
	f.Add([]byte{1, 1, 1}, 0.0, uint8(255))
}

func FuzzProjectFrobenius(f *testing.F) {
	seedSpectra(f)
	f.Fuzz(func(t *testing.T, data []byte, spread float64, share uint8) {
		sigma, kappa, k := fuzzSpectrum(data, spread, share)
		if !(math.Abs(spread) < 1e300) || len(sigma) == 0 {
			t.Skip()
		}
		got := checkFrobenius(t, sigma, kappa, k)
		if math.Abs(spread) < 1e6 {
			scale := 1 + math.Abs(slices.Max(sigma)) + math.Abs(slices.Min(sigma))
			checkClose(t, "bisection", got, frobeniusBisection(sigma, kappa, k), kappa, 1e-13*scale)
		}
	})
}

func FuzzProjectEntropy(f *testing.F) {
	seedSpectra(f)
	f.Fuzz(func(t *testing.T, data []byte, spread float64, share uint8) {
		logs, kappa, n := fuzzSpectrum(data, spread, share)
		if !(math.Abs(spread) < 1e300) || n == 0 {
			t.Skip()
		}
		got := checkEntropy(t, logs, kappa, n)
		if math.Abs(spread) < 10 {
			scale := 1 + math.Abs(slices.Max(logs)) + math.Abs(slices.Min(logs))
			want := entropyBisection(logs, kappa, n)
			for i := range got {
				if kappa[i] > 0 && math.Abs(math.Exp(got[i])-math.Exp(want[i])) > 1e-13*scale {
					t.Fatalf("bisection: entry %d of %v, want %v", i, got, want)
				}
			}
		}
	})
}

func BenchmarkProject(b *testing.B) {
	for _, m := range []int{10, 100} {
		rng := rand.New(rand.NewPCG(1, uint64(m)))
		sigma := make([]float64, m)
		for i := range sigma {
			sigma[i] = rng.Float64()
		}
		slices.SortFunc(sigma, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
		dst := make([]float64, m)
		b.Run(fmt.Sprintf("frobenius/m=%d", m), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				projectFrobenius(dst, sigma, 1, m/3)
			}
		})
		b.Run(fmt.Sprintf("entropy/m=%d", m), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				projectEntropy(dst, sigma, 1, m-m/3)
			}
		})
	}
}

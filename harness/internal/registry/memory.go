package registry

import (
	"math"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
	"stochopt/internal/whole"
)

// Shape is the size of a run's problem: the numbers of training points, points in all splits, features
// and iterations.
type Shape struct {
	Train, Points, Features int
	Iterations              int64
}

// RoundBytes converts an estimated number of bytes to an integer, at most math.MaxInt64. Less than 1 MiB
// counts as 0, because the memory of the program itself covers it.
func RoundBytes(bytes float64) int64 {
	if bytes < 1<<20 {
		return 0
	}
	return int64(whole.Within(bytes, 0, math.MaxInt64))
}

// KernelRowBytes returns the size of a row of n kernel values in bytes.
func KernelRowBytes(n int) int64 { return kernel.RowBytes(n) }

// pcaMemory estimates the memory of a PCA algorithm: two buffers of eigenvectors for twice its largest
// rank, two copies of the eigenvectors shown, and square matrices of coefficients. Without a cap, each
// new sample raises the rank by at most one.
func pcaMemory(p Params, s Shape) int64 {
	d, k := float64(s.Features), float64(p.Int("k"))
	rank := k + 1
	switch {
	case p.Text("start") == "uniform", p.Text("form") == "naive", p.Int("raise-when-stuck") > 0:
		rank = d
	case p.has("cap"):
		rank = float64(p.Int("cap")) + 1
	case p.has("start"):
		samples := float64(s.Iterations)
		if s.Train > 0 {
			samples = min(samples, float64(s.Train))
		}
		rank += samples
	}
	room := min(max(16, 2*(rank+1)), d+1)
	vectors := 2*room + 2*min(rank, d) + 4*room*room/max(d, 1) + 2*k + 4
	if p.Text("iterate") == "average" {
		vectors += 4 * d // the sum, the copy that is decomposed, and two copies of the eigenvectors
	}
	return RoundBytes(8 * d * vectors)
}

// saaMemory estimates the memory of SAA: four square matrices and some subspaces.
func saaMemory(p Params, s Shape) int64 {
	d := float64(s.Features)
	return RoundBytes(8 * d * (4*d + 5*float64(p.Int("k")) + 4))
}

// fourierMemory estimates the memory of random Fourier features and of up to 64 directions in 32 bits,
// from which they are computed.
func fourierMemory(p Params, s Shape) int64 {
	features := float64(svm.RFFBytes(s.Points, p.Int("pairs")))
	directions := RoundBytes(4 * float64(min(p.Int("pairs"), 64)) * float64(s.Features))
	return int64(whole.Within(features+float64(directions), 0, math.MaxInt64))
}

// PointBytes bounds the average size in bytes of a data row in the layout for kernel rows. Methods that
// construct points keep a second copy of the nonzero entries.
func PointBytes(table *datasets.Table, construct bool) float64 {
	nonzeros := 16 * float64(table.Nonzeros()) / float64(table.N)
	bytes := 128 + nonzeros
	if grey, ok := kernel.GreyBytes(table.Levels(), table.D); ok {
		bytes = 128 + float64(grey)
	}
	if construct {
		bytes += nonzeros
	}
	return bytes
}

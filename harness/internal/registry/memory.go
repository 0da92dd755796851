package registry

import (
	"math"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
)

// small is the memory that is not counted: what is below it is the program's own.
const small = 1 << 20

// Counted rounds a number of bytes for the memory budget: to 0 if it is small, and to
// math.MaxInt64 if it is that or more.
func Counted(bytes float64) int64 {
	switch {
	case !(bytes >= small):
		return 0
	case bytes >= math.MaxInt64:
		return math.MaxInt64
	}
	return int64(bytes)
}

// KernelRowBytes returns what a row of n kernel values takes.
func KernelRowBytes(n int) int64 { return kernel.RowBytes(n) }

// dense returns the bytes of so many vectors and square matrices of d dimensions.
func dense(d int, vectors, matrices float64) int64 {
	return Counted(8 * float64(d) * (vectors + matrices*float64(d)))
}

// linearMemory is the memory of the linear methods: the weights, their solution and
// what is measured of it.
func linearMemory(_ Params, s Shape) int64 { return dense(s.Features, 5, 0) }

// pcaMemory is the memory of a PCA algorithm that keeps so many vectors and square
// matrices, with the subspace that is measured beside it.
func pcaMemory(vectors func(p Params, s Shape) int, matrices int) func(Params, Shape) int64 {
	return func(p Params, s Shape) int64 {
		kept, squares := vectors(p, s), matrices
		if p.Text("iterate") == "average" {
			// The sum, what is decomposed, and its eigenvectors twice.
			squares += 4
		}
		return dense(s.Features, float64(kept)+2*float64(p.Int("k"))+4, float64(squares))
	}
}

// subspaces are those of methods that keep a d x k matrix, so many times, and show it.
func subspaces(n int) func(Params, Shape) int {
	return func(p Params, _ Shape) int { return (n + 1) * p.Int("k") }
}

// relaxed are the vectors of methods that keep the eigenvectors of their iterate: room
// for twice as many as its rank, twice, those before while it is made, and those shown;
// and four square matrices of as many coefficients.
func relaxed(p Params, s Shape) int {
	rank := s.Rank
	if rank == 0 {
		rank = max(p.Int("k"), p.Int("cap")) + 1
		if p.Text("start") == "uniform" {
			rank = s.Features
		}
	}
	d := max(s.Features, 1)
	room := min(max(16, 2*(rank+1)), d+1)
	return 2*room + 2*min(rank, d) + int(4*float64(room)*float64(room)/float64(d))
}

// memoryOfWarmuthKuzmin: from the uniform start all d eigenvectors matter.
func memoryOfWarmuthKuzmin(p Params, s Shape) int64 {
	if p.Text("form") == "naive" {
		return pcaMemory(subspaces(1), 7)(p, s)
	}
	return pcaMemory(relaxed, 0)(p, s)
}

// memoryOfFourier is that of random Fourier features and, while they are computed, of
// up to 64 directions in 32 bits.
func memoryOfFourier(p Params, s Shape) int64 {
	features := svm.RFFBytes(s.Points, p.Int("pairs"))
	directions := dense(s.Features, float64(min(p.Int("pairs"), 64))/2, 0)
	return min(features, math.MaxInt64-directions) + directions
}

// PointBytes bounds what a row of data takes, on average: its entries, laid out for kernel
// rows, and some numbers. Methods that construct points keep those that there are a second
// time, by their entries that are not zero.
func PointBytes(table *datasets.Table, construct bool) float64 {
	const numbers, entry, nonzero = 128, 16, 12
	if table.Sparse() {
		return numbers + entry*float64(table.NNZ())/float64(table.N)
	}
	entries := nonzero * float64(table.Nonzeros()) / float64(table.N)
	again := 0.0
	if construct {
		again = entries
	}
	if grey, ok := kernel.GreyBytes(table.Levels(), table.D); ok {
		return numbers + float64(grey) + again
	}
	return numbers + entries + again
}

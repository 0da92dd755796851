package suite

import (
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/kernel"
)

// NewRand returns a generator for the given stream.
func NewRand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(20130719, stream)) }

// Uniform draws training indices uniformly with replacement.
type Uniform struct {
	Rng *rand.Rand
	N   int
}

// Next returns the next index.
func (u Uniform) Next() int { return u.Rng.IntN(u.N) }

// Points holds labelled points: the training points, with the positive ones first, and then Eval
// evaluation points, of which the first half are positive.
type Points struct {
	X              [][]float64
	Positive, Eval int
}

// Blobs draws two Gaussian clouds in d dimensions with unit variance. The first coordinates of their
// centres are offset ± separation/2. positive, negative and eval are the numbers of positive and
// negative training points and of evaluation points.
func Blobs(rng *rand.Rand, positive, negative, eval, d int, separation, offset float64) Points {
	p := Points{Positive: positive, Eval: eval}
	for i := range positive + negative + eval {
		x := make([]float64, d)
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		if i < positive || i >= positive+negative && i < positive+negative+eval/2 {
			x[0] += offset + separation/2
		} else {
			x[0] += offset - separation/2
		}
		p.X = append(p.X, x)
	}
	return p
}

// Overlapping returns the problem of most checks: two overlapping clouds, one of which is twice the size
// of the other.
func Overlapping(eval int) Points { return Blobs(NewRand(1), 21, 42, eval, 3, 2, 0.5) }

// PointsAt returns points on the diagonal of the plane, point i at (at(i), at(i)).
func PointsAt(n, positive, eval int, at func(i int) float64) Points {
	p := Points{Positive: positive, Eval: eval}
	for i := range n + eval {
		p.X = append(p.X, []float64{at(i % n), at(i % n)})
	}
	return p
}

// Train returns the number of training points.
func (p Points) Train() int { return len(p.X) - p.Eval }

// Label returns the label of point i.
func (p Points) Label(i int) float64 {
	if n := p.Train(); i < p.Positive || i >= n && i < n+p.Eval/2 {
		return 1
	}
	return -1
}

// Training returns the training points.
func (p Points) Training() Points { return Points{X: p.X[:p.Train()], Positive: p.Positive} }

// Swapped returns the points with swapped training classes: the negative points become positive and come
// first.
func (p Points) Swapped() Points {
	n := p.Train()
	return Points{X: slices.Concat(p.X[p.Positive:n], p.X[:p.Positive], p.X[n:]), Positive: n - p.Positive, Eval: p.Eval}
}

// Permuted returns the training points in a random order within each class, and the previous index of
// each point.
func (p Points) Permuted(rng *rand.Rand) (q Points, from []int) {
	from = append(rng.Perm(p.Positive), rng.Perm(p.Train()-p.Positive)...)
	for j := p.Positive; j < len(from); j++ {
		from[j] += p.Positive
	}
	return Points{X: Pick(p.X, from), Positive: p.Positive}, from
}

// Pick returns the elements of v at the given indices.
func Pick[T any](v []T, places []int) []T {
	out := make([]T, len(places))
	for j, i := range places {
		out[j] = v[i]
	}
	return out
}

// Dims implements kernel.Vectors.
func (p Points) Dims() (n, d int) { return len(p.X), len(p.X[0]) }

// Sparse returns false.
func (p Points) Sparse() bool { return false }

// Row returns point i.
func (p Points) Row(i int, _ []float64) []float64 { return p.X[i] }

// RowNonZero panics, because the points are dense.
func (p Points) RowNonZero(int) ([]int32, []float64) { panic("suite: the points are dense") }

// SparsePoints is Points as a sparse matrix.
type SparsePoints struct{ Points }

// Sparse returns true.
func (p SparsePoints) Sparse() bool { return true }

// Row panics, because the points are sparse.
func (p SparsePoints) Row(int, []float64) []float64 { panic("suite: the points are sparse") }

// RowNonZero returns the nonzeros of point i.
func (p SparsePoints) RowNonZero(i int) (indices []int32, values []float64) {
	for j, v := range p.X[i] {
		if v != 0 {
			indices, values = append(indices, int32(j)), append(values, v)
		}
	}
	return indices, values
}

// Features implements svm.Features.
type Features struct{ Points }

// Features returns the points for a linear learner.
func (p Points) Features() Features { return Features{p} }

// Len returns the number of points.
func (f Features) Len() int { return len(f.X) }

// Dim returns the number of features.
func (f Features) Dim() int { return len(f.X[0]) }

// Dot returns <w, x_j>.
func (f Features) Dot(w []float64, j int) float64 { return Linear(f.X[j], w) }

// AddTo adds a x_j to w.
func (f Features) AddTo(w []float64, a float64, j int) {
	for k, v := range f.X[j] {
		w[k] += float64(a * v)
	}
}

// NormSq returns |x_j|^2.
func (f Features) NormSq(j int) float64 { return f.Dot(f.X[j], j) }

// Inputs returns the input space of the points with the Gaussian kernel.
func (p Points) Inputs(gamma float64) *kernel.Inputs {
	all := make([]int, len(p.X))
	for i := range all {
		all[i] = i
	}
	points, err := kernel.NewPoints(p, all)
	if err != nil {
		panic("suite: " + err.Error())
	}
	in, err := points.Inputs(p.Train(), kernel.Gaussian{Gamma: gamma})
	if err != nil {
		panic("suite: " + err.Error())
	}
	return in
}

package pcatest

import (
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// stream is a source made of a function.
type stream struct {
	dim  int
	next func() ([]float64, bool)
}

// Dim implements pca.Source.
func (s stream) Dim() int { return s.dim }

// Next implements pca.Source.
func (s stream) Next() ([]float64, bool) { return s.next() }

// NewGaussian returns a source of independent zero-mean normal entries, without
// end, whose ith entry has the standard deviation std[i], so that its second moment
// is the diagonal of their squares.
func NewGaussian(std []float64, rng *rand.Rand) pca.Source {
	x := make([]float64, len(std))
	return stream{len(std), func() ([]float64, bool) {
		for i, s := range std {
			x[i] = s * rng.NormFloat64()
		}
		return x, true
	}}
}

// NewOrthogonal returns a source of standard unit vectors, without end, that
// yields e_i with the probability p[i], so that its second moment is the diagonal
// of p. The probabilities add up to 1.
func NewOrthogonal(p []float64, rng *rand.Rand) pca.Source {
	x := make([]float64, len(p))
	return stream{len(p), func() ([]float64, bool) {
		clear(x)
		left := rng.Float64()
		for i, share := range p {
			left -= share
			if left < 0 || i == len(p)-1 {
				x[i] = 1
				break
			}
		}
		return x, true
	}}
}

// NewList returns a source of the given samples of dimension dim, in order, which
// then is exhausted.
func NewList(dim int, rows ...[]float64) pca.Source {
	return stream{dim, func() ([]float64, bool) {
		if len(rows) == 0 {
			return nil, false
		}
		x := rows[0]
		rows = rows[1:]
		return x, true
	}}
}

// NewLimit returns the first n samples of src.
func NewLimit(src pca.Source, n int) pca.Source {
	return stream{src.Dim(), func() ([]float64, bool) {
		if n == 0 {
			return nil, false
		}
		n--
		return src.Next()
	}}
}

// samples returns the next n samples of src.
func samples(src pca.Source, n int) [][]float64 {
	var rows [][]float64
	for range n {
		x, _ := src.Next()
		rows = append(rows, slices.Clone(x))
	}
	return rows
}

// guard hands out the samples of a source, holds the learner to the contract that
// they are read-only, and makes any use of one beyond the next call show as NaN.
type guard struct {
	src     pca.Source
	lent    []float64
	want    []float64
	taken   int
	mutated bool
}

func (g *guard) Dim() int { return g.src.Dim() }

func (g *guard) Next() ([]float64, bool) {
	g.collect()
	g.taken++
	x, ok := g.src.Next()
	if !ok {
		return nil, false
	}
	g.want = slices.Clone(x)
	g.lent = slices.Clone(x)
	return g.lent, true
}

// collect compares the lent sample with the original and takes it back.
func (g *guard) collect() {
	for i := range g.lent {
		if math.Float64bits(g.lent[i]) != math.Float64bits(g.want[i]) {
			g.mutated = true
		}
		g.lent[i] = math.NaN()
	}
	g.lent = nil
}

// Suboptimality returns how much less of the second moment s than the best
// subspace of dimension k does the solution of st capture, as a share of the
// best: (max_U tr(U^T s U) - tr(V^T s V)) / max_U tr(U^T s U), V being the
// directions of the k largest eigenvalues of st. Where st has fewer than k, those
// missing are counted as uniformly random.
func Suboptimality(st *pca.State, s *mat.SymDense, k int) float64 {
	d := s.SymmetricDim()
	var eig mat.EigenSym
	if !eig.Factorize(s, false) {
		panic("pcatest: eigendecomposition failed")
	}
	var best float64
	for _, v := range eig.Values(nil)[d-k:] {
		best += v
	}
	v := st.TopK(k)
	var captured float64
	m := 0
	if !v.IsEmpty() {
		_, m = v.Dims()
		var sv, vsv mat.Dense
		sv.Mul(s, v)
		vsv.Mul(v.T(), &sv)
		captured = vsv.Trace()
	}
	captured += float64(k-m) / float64(d-m) * (mat.Trace(s) - captured)
	return (best - captured) / best
}

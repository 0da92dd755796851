package pcatest

import (
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/pca"

	"gonum.org/v1/gonum/mat"
)

// stream is a source with samples from a function.
type stream struct {
	dim  int
	next func() ([]float64, bool)
}

// Dim implements pca.Source.
func (s stream) Dim() int { return s.dim }

// Next implements pca.Source.
func (s stream) Next() ([]float64, bool) { return s.next() }

// NewGaussian returns an infinite source of samples with independent normal entries. Entry i has mean 0
// and standard deviation std[i], so the second moment is the diagonal matrix of std[i]^2.
func NewGaussian(std []float64, rng *rand.Rand) pca.Source {
	x := make([]float64, len(std))
	return stream{len(std), func() ([]float64, bool) {
		for i, s := range std {
			x[i] = s * rng.NormFloat64()
		}
		return x, true
	}}
}

// NewOrthogonal returns an infinite source that yields the unit vector e_i with probability p[i], so its
// second moment is diag(p). The probabilities must add up to 1.
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

// NewList returns a source of the given samples of dimension dim, in order.
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

// NewLimit returns a source of the first n samples of src.
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

// guard is a source that detects writes to its samples. It overwrites a sample with NaN at the next
// call, to expose uses after that.
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

// collect compares the last sample with the original and overwrites it.
func (g *guard) collect() {
	for i := range g.lent {
		if math.Float64bits(g.lent[i]) != math.Float64bits(g.want[i]) {
			g.mutated = true
		}
		g.lent[i] = math.NaN()
	}
	g.lent = nil
}

// Suboptimality returns the relative suboptimality of st for the second moment s,
//
//	(max_U tr(U^T s U) - tr(V^T s V)) / max_U tr(U^T s U),
//
// where U has k orthonormal columns and V holds the directions of the k largest eigenvalues of st. If st
// has fewer than k explicit directions, the missing ones are uniformly random.
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

package pcatest

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"stochopt/algorithms/pca"
)

// Gaussian is a source of independent zero-mean normal entries.
type Gaussian struct {
	std []float64
	rng *rand.Rand
	x   []float64
}

// NewGaussian returns a source whose ith entry has the standard deviation
// std[i], so that its second moment is the diagonal of their squares.
func NewGaussian(std []float64, rng *rand.Rand) *Gaussian {
	return &Gaussian{std: slices.Clone(std), rng: rng, x: make([]float64, len(std))}
}

// Dim implements pca.Source.
func (g *Gaussian) Dim() int { return len(g.std) }

// Next implements pca.Source. There is always a next sample.
func (g *Gaussian) Next() ([]float64, bool) {
	for i, s := range g.std {
		g.x[i] = s * g.rng.NormFloat64()
	}
	return g.x, true
}

// Orthogonal is a source of standard unit vectors.
type Orthogonal struct {
	p   []float64
	rng *rand.Rand
	x   []float64
}

// NewOrthogonal returns a source that yields e_i with the probability p[i], so
// that its second moment is the diagonal of p. The probabilities add up to 1.
func NewOrthogonal(p []float64, rng *rand.Rand) *Orthogonal {
	return &Orthogonal{p: slices.Clone(p), rng: rng, x: make([]float64, len(p))}
}

// Dim implements pca.Source.
func (o *Orthogonal) Dim() int { return len(o.p) }

// Next implements pca.Source. There is always a next sample.
func (o *Orthogonal) Next() ([]float64, bool) {
	clear(o.x)
	left := o.rng.Float64()
	for i, p := range o.p {
		left -= p
		if left < 0 || i == len(o.p)-1 {
			o.x[i] = 1
			break
		}
	}
	return o.x, true
}

// List is a source of given samples.
type List struct {
	dim  int
	rows [][]float64
}

// NewList returns a source of the given samples of dimension dim, in order, which
// then is exhausted.
func NewList(dim int, rows ...[]float64) *List {
	return &List{dim: dim, rows: rows}
}

// Dim implements pca.Source.
func (l *List) Dim() int { return l.dim }

// Next implements pca.Source.
func (l *List) Next() ([]float64, bool) {
	if len(l.rows) == 0 {
		return nil, false
	}
	x := l.rows[0]
	l.rows = l.rows[1:]
	return x, true
}

// Limit is a source that ends early.
type Limit struct {
	src  pca.Source
	left int
}

// NewLimit returns the first n samples of src.
func NewLimit(src pca.Source, n int) *Limit { return &Limit{src: src, left: n} }

// Dim implements pca.Source.
func (l *Limit) Dim() int { return l.src.Dim() }

// Next implements pca.Source.
func (l *Limit) Next() ([]float64, bool) {
	if l.left == 0 {
		return nil, false
	}
	l.left--
	return l.src.Next()
}

// guard hands out the samples of a source, holds the learner to the contract that
// they are read-only, and makes any use of one beyond the next call show as NaN.
type guard struct {
	src     pca.Source
	lent    []float64
	want    []float64
	mutated bool
}

func (g *guard) Dim() int { return g.src.Dim() }

func (g *guard) Next() ([]float64, bool) {
	g.collect()
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
	var v mat.Dense
	st.TopK(&v, k)
	var captured float64
	m := 0
	if !v.IsEmpty() {
		_, m = v.Dims()
		var sv, vsv mat.Dense
		sv.Mul(s, &v)
		vsv.Mul(v.T(), &sv)
		captured = vsv.Trace()
	}
	captured += float64(k-m) / float64(d-m) * (mat.Trace(s) - captured)
	return (best - captured) / best
}

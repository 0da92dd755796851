package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"

	"stochopt/internal/ordered"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Distribution is a known distribution over R^d.
type Distribution interface {
	// Dim returns the dimension d.
	Dim() int
	// Sample writes one sample to dst, which must have length Dim. rng is the only source of
	// randomness.
	Sample(dst []float64, rng *rand.Rand)
	// SecondMomentTo stores the exact E[x x^T] in dst.
	SecondMomentTo(dst *mat.SymDense)
}

// symTo resizes dst to d x d and zeroes it.
func symTo(dst *mat.SymDense, d int) {
	dst.Reset()
	dst.ReuseAsSym(d)
}

type gaussian struct{ variance, sd []float64 }

// NewGaussian returns the normal distribution with mean zero and diagonal covariance. The variances
// must not be negative.
func NewGaussian(variance []float64) Distribution {
	g := &gaussian{variance: variance, sd: make([]float64, len(variance))}
	for i, v := range variance {
		g.sd[i] = math.Sqrt(v)
	}
	return g
}

func (g *gaussian) Dim() int { return len(g.sd) }

func (g *gaussian) Sample(dst []float64, rng *rand.Rand) {
	for i, sd := range g.sd {
		dst[i] = sd * rng.NormFloat64()
	}
}

func (g *gaussian) SecondMomentTo(dst *mat.SymDense) {
	symTo(dst, len(g.variance))
	for i, v := range g.variance {
		dst.SetSym(i, i, v)
	}
}

type axes struct {
	p, length  []float64
	cumulative []float64 // sums of p; the last is 1
}

// newAxes returns the discrete distribution of length[i] e_i with probability p[i]. Each sample
// takes one random number.
func newAxes(p, length []float64) Distribution {
	cumulative := make([]float64, len(p))
	var sum float64
	for i, v := range p {
		sum += v
		cumulative[i] = sum
	}
	cumulative[len(p)-1] = 1 // without rounding error
	return &axes{p, length, cumulative}
}

// newCounterexample2D returns [sqrt 3, 0] with probability 1/3 and [0, sqrt 2] with probability 2/3
// (Cotter 2013, section 4.5). E[x x^T] = diag(1, 4/3). The incremental algorithm with k = 1
// converges to the wrong vector [1,0] with probability 5/9.
func newCounterexample2D() Distribution {
	return newAxes([]float64{1.0 / 3, 2.0 / 3}, []float64{math.Sqrt(3), math.Sqrt2})
}

func (a *axes) Dim() int { return len(a.p) }

func (a *axes) Sample(dst []float64, rng *rand.Rand) {
	clear(dst)
	u := rng.Float64()
	i := sort.Search(len(a.cumulative), func(i int) bool { return u < a.cumulative[i] })
	dst[i] = a.length[i]
}

func (a *axes) SecondMomentTo(dst *mat.SymDense) {
	symTo(dst, a.Dim())
	for i, p := range a.p {
		dst.SetSym(i, i, p*a.length[i]*a.length[i])
	}
}

// Reading is an interpretation of the definition of the simulated distributions in Cotter 2013,
// section 6.4.1. The definition contradicts itself:
//
//   - Sigma^(k) = diag(sigma/||sigma||), but sigma already sums to one. With the 2-norm, the trace
//     of Sigma is 1/||sigma||_2, not 1. With the 1-norm, the division has no effect.
//   - The orthogonal distribution draws e_i "with probability sqrt(Sigma_ii)". These sum to more
//     than one. Normalised, they give E[x x^T] = diag(p), not Sigma.
//
// Below, s_i = sigma_i (sum 1), N = ||sigma||_2, and p_i = sqrt(s_i)/sum_j sqrt(s_j).
// SecondMomentTo always returns the true E[x x^T] of the distribution.
type Reading string

const (
	// ReadingTrace: Sigma = diag(s), of trace 1. Gaussian: N(0, Sigma).
	// Orthogonal: e_i with probability s_i. E[x x^T] = diag(s) for both.
	ReadingTrace Reading = "trace"
	// ReadingNorm: Sigma = diag(s/N), of trace 1/N. Gaussian: N(0, Sigma). Orthogonal: sqrt(1/N)
	// e_i with probability s_i. E[x x^T] = Sigma for both.
	ReadingNorm Reading = "norm"
	// ReadingSqrt normalises the probabilities of the text. Orthogonal: e_i with probability p_i,
	// E[x x^T] = diag(p), of trace 1. Gaussian: as in ReadingNorm. Their second moments differ.
	ReadingSqrt Reading = "sqrt"
	// ReadingSqrtScaled normalises the probabilities of the text and scales the vectors to
	// Sigma = diag(s/N). Orthogonal: sqrt(Sigma_ii/p_i) e_i with probability p_i.
	// Gaussian: N(0, Sigma). E[x x^T] = Sigma for both.
	ReadingSqrtScaled Reading = "sqrt-scaled"
	// ReadingSqrtScaledTrace is ReadingSqrtScaled with Sigma = diag(s), of trace 1.
	ReadingSqrtScaledTrace Reading = "sqrt-scaled-trace"
)

// DefaultReading is the default of a Ref. Its ranks are closest to those in the thesis (see ERRATA.md).
const DefaultReading = ReadingSqrt

var simulatedParams = []Param{
	{Name: "dim", Kind: "int", Min: new(2.0), Default: 32, Max: new(float64(1 << 16)), Doc: "dimension d"},
	{Name: "gap", Kind: "int", Min: new(1.0), Required: true, Max: new(65536.0), Doc: "number k of large eigenvalues"},
	{Name: "reading", Kind: "string", Default: string(DefaultReading), Choices: []string{
		string(ReadingTrace), string(ReadingNorm), string(ReadingSqrt), string(ReadingSqrtScaled), string(ReadingSqrtScaledTrace),
	}, Doc: "interpretation of the thesis's contradictory definition"},
}

// decay is the ratio of successive eigenvalues of the smooth part of a spectrum.
const decay = 1.1

// simulatedSpectrum returns sigma^(k) of Cotter 2013, section 6.4.1, with k = gap:
//
//	sigma_i = 1/2 (decay^-i / sum_{j=1}^{dim} decay^-j + 1[i <= gap] / gap).
//
// The values decrease, with a jump after the gap-th, and sum to one.
func simulatedSpectrum(dim, gap int) []float64 {
	v := make([]float64, dim)
	var sum float64
	p := 1.0
	for i := range v {
		p /= decay
		v[i] = p
		sum += p
	}
	for i := range v {
		v[i] /= 2 * sum
		if i < gap {
			v[i] += 0.5 / float64(gap)
		}
	}
	return v
}

// simulatedGaussian returns the Gaussian distribution of Cotter 2013, section 6.4.1, with spectrum
// sigma. It overwrites sigma.
func simulatedGaussian(sigma []float64, r Reading) Distribution {
	if r != ReadingTrace && r != ReadingSqrtScaledTrace {
		scale := 1 / norm2(sigma)
		for i := range sigma {
			sigma[i] *= scale
		}
	}
	return NewGaussian(sigma)
}

// simulatedOrthogonal returns the "orthogonal distribution" of Cotter 2013,
// section 6.4.1: a discrete distribution over multiples of the standard basis.
func simulatedOrthogonal(sigma []float64, r Reading) Distribution {
	n := norm2(sigma)
	var roots float64
	for _, v := range sigma {
		roots += math.Sqrt(v)
	}
	probabilities, lengths := make([]float64, len(sigma)), make([]float64, len(sigma))
	for i, v := range sigma {
		if v == 0 {
			continue // underflow: never drawn
		}
		p, square := math.Sqrt(v)/roots, 1.0 // probability, squared length
		switch r {
		case ReadingTrace:
			p = v
		case ReadingNorm:
			p, square = v, 1/n
		case ReadingSqrtScaled:
			square = v / n / p
		case ReadingSqrtScaledTrace:
			square = v / p
		}
		probabilities[i], lengths[i] = p, math.Sqrt(square)
	}
	return newAxes(probabilities, lengths)
}

// simulated builds the distribution of the sources simulated-gaussian and simulated-orthogonal.
func simulated(name string, with values, distribution func([]float64, Reading) Distribution) (g generated, err error) {
	dim, gap, r := with.int("dim"), with.int("gap"), Reading(with.text("reading"))
	if gap > dim {
		return g, fmt.Errorf("parameter gap: %d is out of range [1, %d]", gap, dim)
	}
	g.dim = dim
	g.dist = distribution(simulatedSpectrum(dim, gap), r)
	g.title = fmt.Sprintf("Simulated %s, d = %d, k = %d", name, dim, gap)
	if r != DefaultReading {
		g.title += fmt.Sprintf(" (reading %s)", r)
	}
	g.params = fmt.Sprintf("dim=%d gap=%d decay=%v reading=%s", dim, gap, decay, r)
	return g, nil
}

// SecondMoment stores the uncentred second moment of the given rows in dst:
//
//	(1/len(rows)) sum_{i in rows} x_i x_i^T.
//
// A row may occur more than once. The order of summation depends only on the arguments, so the bits
// do not depend on the number of CPUs. With n rows it takes n D^2/2 multiplications on a dense
// table; on a sparse table, a row with z entries takes z^2/2.
func SecondMoment(dst *mat.SymDense, t *Table, rows []int) {
	symTo(dst, t.D)
	c := dst.RawSymmetric()
	if t.Sparse() {
		sparseMoment(c, t, rows)
	} else {
		denseMoment(c, t, rows)
	}
	for i := range t.D {
		divide(c.Data[i*c.Stride+i:i*c.Stride+t.D], float64(len(rows)))
	}
}

func sparseMoment(c blas64.Symmetric, t *Table, rows []int) {
	for _, i := range rows {
		idx, val := t.RowNonZero(i)
		for p, a := range idx {
			out := c.Data[int(a)*c.Stride : int(a)*c.Stride+t.D]
			for q := p; q < len(idx); q++ {
				out[idx[q]] += float64(val[p] * val[q])
			}
		}
	}
}

const (
	momentRows = 256 // rows in a block
	momentCols = 32  // columns of the result that a worker computes at a time
)

// denseMoment adds the upper triangle of X^T X to c, in blocks of momentRows rows. One worker sums
// each element in row order, because the workers divide the columns among them.
func denseMoment(c blas64.Symmetric, t *Table, rows []int) {
	d := t.D
	block, columns := make([]float64, momentRows*d), make([]float64, momentRows*d)
	for chunk := range slices.Chunk(rows, momentRows) {
		m := len(chunk)
		for i, from := range chunk {
			row := block[i*d : (i+1)*d]
			t.RowTo(row, from)
			for j, v := range row {
				columns[j*momentRows+i] = v
			}
		}
		var wg sync.WaitGroup
		for from := 0; from < d; from += momentCols {
			wg.Go(func() {
				var buf [momentCols]float64
				to := min(from+momentCols, d)
				for p := range to {
					first := max(p, from)
					sum := buf[:to-first]
					clear(sum)
					ordered.AddRows(sum, 1, columns[p*momentRows:][:m], block[first:], d)
					for q, v := range sum {
						c.Data[p*c.Stride+first+q] += v
					}
				}
			})
		}
		wg.Wait()
	}
}

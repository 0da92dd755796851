package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Reading names one way to understand the definition of the simulated
// distributions in Cotter 2013, section 6.4.1. The text contradicts itself:
//
//   - Sigma^(k) = diag(sigma/||sigma||), but sigma sums to one already. With
//     the 2-norm the trace of Sigma is 1/||sigma||_2, not 1; with the 1-norm
//     the division does nothing.
//   - the orthogonal distribution draws e_i "with probability
//     sqrt(Sigma_ii)". These sum to more than one, and when normalised give
//     E[x x^T] = diag(p), not Sigma.
//
// Below s_i = sigma_i (sum 1), N = ||sigma||_2, and p_i = sqrt(s_i)/sum_j
// sqrt(s_j). SecondMomentTo always gives the distribution's true E[x x^T].
type Reading string

const (
	// ReadingTrace: Sigma = diag(s), of trace 1. Gaussian: N(0, Sigma).
	// Orthogonal: e_i with probability s_i. E[x x^T] = diag(s) for both.
	ReadingTrace Reading = "trace"
	// ReadingNorm: Sigma = diag(s/N), of trace 1/N. Gaussian: N(0, Sigma).
	// Orthogonal: sqrt(1/N) e_i with probability s_i. E[x x^T] = Sigma for
	// both.
	ReadingNorm Reading = "norm"
	// ReadingSqrt: the probabilities as written, normalised. Orthogonal: e_i
	// with probability p_i, E[x x^T] = diag(p), of trace 1. Gaussian: as
	// ReadingNorm, so that the two have different second moments.
	ReadingSqrt Reading = "sqrt"
	// ReadingSqrtScaled: the probabilities as written, normalised, and the
	// vectors scaled so that the second moment is what the text says.
	// Orthogonal: sqrt(Sigma_ii/p_i) e_i with probability p_i, Sigma =
	// diag(s/N). Gaussian: N(0, Sigma). E[x x^T] = Sigma for both.
	ReadingSqrtScaled Reading = "sqrt-scaled"
	// ReadingSqrtScaledTrace is ReadingSqrtScaled with Sigma = diag(s), of
	// trace 1.
	ReadingSqrtScaledTrace Reading = "sqrt-scaled-trace"
)

// DefaultReading is the reading that a Ref gets which names none: the one whose
// ranks are closest to those that the text reports (see ERRATA.md).
const DefaultReading = ReadingSqrt

var simulatedParams = []Param{
	{Name: "dim", Kind: "int", Min: bound(2), Default: 32, most: 1 << 16, Doc: "dimension d"},
	{Name: "gap", Kind: "int", Min: bound(1), Required: true, most: 1 << 16, Doc: "number k of large eigenvalues"},
	{Name: "decay", Kind: "float", Min: bound(1), Default: 1.1, Doc: "ratio of successive eigenvalues of the smooth part"},
	{Name: "reading", Kind: "string", Default: string(DefaultReading), Choices: []string{
		string(ReadingTrace), string(ReadingNorm), string(ReadingSqrt), string(ReadingSqrtScaled), string(ReadingSqrtScaledTrace),
	}, Doc: "how the thesis's contradictory definition is read"},
}

// Spectrum is the parameter of the simulated distributions: the sigma^(k) of
// Cotter 2013, section 6.4.1,
//
//	sigma_i = 1/2 (decay^-i / sum_{j=1}^{dim} decay^-j + 1[i <= gap] / gap),
//
// a smoothly decaying part and a jump after the gap-th value.
type Spectrum struct {
	// Dim is the dimension d, 32 in the thesis.
	Dim int
	// Gap is the thesis's k, 1 <= Gap <= Dim.
	Gap int
	// Decay is the ratio of the smooth part, at least 1, 1.1 in the thesis.
	Decay float64
}

// Values returns sigma_1 >= … >= sigma_dim, which sum to one.
func (s Spectrum) Values() []float64 {
	v := make([]float64, s.Dim)
	var sum float64
	p := 1.0
	for i := range v {
		p /= s.Decay
		v[i] = p
		sum += p
	}
	for i := range v {
		v[i] /= 2 * sum
		if i < s.Gap {
			v[i] += 0.5 / float64(s.Gap)
		}
	}
	return v
}

// Gaussian is the normal distribution with mean zero and a diagonal covariance
// matrix.
type Gaussian struct {
	variance, sd []float64
}

// NewGaussian returns the Gaussian with the given variances, none of them
// negative.
func NewGaussian(variance []float64) *Gaussian {
	g := &Gaussian{variance: variance, sd: make([]float64, len(variance))}
	for i, v := range variance {
		g.sd[i] = math.Sqrt(v)
	}
	return g
}

// Dim implements Distribution.
func (g *Gaussian) Dim() int { return len(g.sd) }

// Sample implements Distribution.
func (g *Gaussian) Sample(dst []float64, rng *rand.Rand) {
	if len(dst) != len(g.sd) {
		panic(badLength)
	}
	for i, sd := range g.sd {
		dst[i] = sd * rng.NormFloat64()
	}
}

// SecondMomentTo implements Distribution.
func (g *Gaussian) SecondMomentTo(dst *mat.SymDense) {
	symTo(dst, len(g.variance))
	for i, v := range g.variance {
		dst.SetSym(i, i, v)
	}
}

// simulatedGaussian returns the Gaussian distribution of Cotter 2013, section
// 6.4.1.
func simulatedGaussian(s Spectrum, r Reading) (Distribution, error) {
	v := s.Values()
	if r != ReadingTrace && r != ReadingSqrtScaledTrace {
		scale(v, 1/norm2(v))
	}
	return NewGaussian(v), nil
}

// simulatedOrthogonal returns the "orthogonal distribution" of Cotter 2013,
// section 6.4.1: a discrete distribution over multiples of the standard basis.
func simulatedOrthogonal(s Spectrum, r Reading) (Distribution, error) {
	sigma := s.Values()
	n := norm2(sigma)
	root := make([]float64, len(sigma))
	var total float64
	for i, v := range sigma {
		root[i] = math.Sqrt(v)
		total += root[i]
	}
	probabilities, lengths := make([]float64, len(sigma)), make([]float64, len(sigma))
	for i, v := range sigma {
		p, square := v, 1.0 // probability, squared length
		switch r {
		case ReadingTrace:
		case ReadingNorm:
			square = 1 / n
		case ReadingSqrt:
			p = root[i] / total
		case ReadingSqrtScaled:
			p = root[i] / total
			square = v / n / p
		case ReadingSqrtScaledTrace:
			p = root[i] / total
			square = v / p
		}
		probabilities[i], lengths[i] = p, math.Sqrt(square)
	}
	return NewAxes(probabilities, lengths)
}

// simulated makes the distribution that a Ref with source simulated-gaussian
// or simulated-orthogonal names.
func simulated(name string, with values, distribution func(Spectrum, Reading) (Distribution, error)) (g generated, err error) {
	s, r := Spectrum{Dim: with.int("dim"), Gap: with.int("gap"), Decay: with.float("decay")}, Reading(with.text("reading", ""))
	if s.Gap > s.Dim {
		return g, fmt.Errorf("parameter gap: %d is out of range [1, %d]", s.Gap, s.Dim)
	}
	g.dist, err = distribution(s, r)
	g.title = fmt.Sprintf("Simulated %s, d = %d, k = %d", name, s.Dim, s.Gap)
	if r != DefaultReading {
		g.title += fmt.Sprintf(" (reading %s)", r)
	}
	g.params = fmt.Sprintf("dim=%d gap=%d decay=%v reading=%s", s.Dim, s.Gap, s.Decay, r)
	return g, err
}

func norm2(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}

func scale(v []float64, c float64) {
	for i := range v {
		v[i] *= c
	}
}

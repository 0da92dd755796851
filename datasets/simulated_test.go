package datasets

import (
	"math"
	"slices"
	"testing"

	"stochopt/internal/finite"

	"gonum.org/v1/gonum/mat"
)

func thesisSpectrum() []float64 { return simulatedSpectrum(32, 4) }

func TestSpectrumValues(t *testing.T) {
	t.Parallel()
	for _, gap := range []int{1, 2, 4, 32} {
		v := simulatedSpectrum(32, gap)
		var z, sum float64
		for j := 1; j <= 32; j++ {
			z += math.Pow(1.1, -float64(j))
		}
		for i, got := range v {
			want := math.Pow(1.1, -float64(i+1)) / z / 2
			if i < gap {
				want += 0.5 / float64(gap)
			}
			if math.Abs(got-want) > 1e-14 {
				t.Errorf("gap %d: sigma_%d = %v, want %v", gap, i+1, got, want)
			}
			if i > 0 && got > v[i-1] {
				t.Errorf("gap %d: sigma_%d increases", gap, i+1)
			}
			sum += got
		}
		if math.Abs(sum-1) > 1e-14 {
			t.Errorf("gap %d: sum %v", gap, sum)
		}
	}
}

func TestReadingsSecondMoments(t *testing.T) {
	t.Parallel()
	sigma := thesisSpectrum()
	n := norm2(sigma)
	var roots float64
	for _, s := range sigma {
		roots += math.Sqrt(s)
	}
	trace := func(s float64) float64 { return s }
	norm := func(s float64) float64 { return s / n }
	root := func(s float64) float64 { return math.Sqrt(s) / roots }
	want := map[Reading]struct{ gaussian, orthogonal func(float64) float64 }{
		ReadingTrace:           {trace, trace},
		ReadingNorm:            {norm, norm},
		ReadingSqrt:            {norm, root},
		ReadingSqrtScaled:      {norm, norm},
		ReadingSqrtScaledTrace: {trace, trace},
	}
	for r := range want {
		g := simulatedGaussian(thesisSpectrum(), r)
		o := simulatedOrthogonal(thesisSpectrum(), r)
		for _, c := range []struct {
			name string
			d    Distribution
			want func(float64) float64
		}{{"gaussian", g, want[r].gaussian}, {"orthogonal", o, want[r].orthogonal}} {
			var m mat.SymDense
			c.d.SecondMomentTo(&m)
			c.d.SecondMomentTo(&m) // into a matrix in use
			for i := range 32 {
				for j := range 32 {
					w := 0.0
					if i == j {
						w = c.want(sigma[i])
					}
					if math.Abs(m.At(i, j)-w) > 1e-14 {
						t.Fatalf("%s %s: E[xx^T](%d,%d) = %v, want %v", c.name, r, i, j, m.At(i, j), w)
					}
				}
			}
		}
	}
}

// Samples have the second moment that their distribution says, each element within six standard deviations of
// its estimate. Those of a discrete distribution are multiples of the standard basis.
func TestSamples(t *testing.T) {
	long(t)
	t.Parallel()
	const n = 20000
	all := map[string]Distribution{"counterexample": newCounterexample2D()}
	for _, r := range []Reading{ReadingTrace, ReadingNorm, ReadingSqrt, ReadingSqrtScaled, ReadingSqrtScaledTrace} {
		all["orthogonal "+string(r)] = simulatedOrthogonal(thesisSpectrum(), r)
		all["gaussian "+string(r)] = simulatedGaussian(thesisSpectrum(), r)
	}
	for name, dist := range all {
		d := dist.Dim()
		_, discrete := dist.(*axes)
		rng, x := newRNG(3), make([]float64, d)
		mean, squares, want := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil), new(mat.SymDense)
		for range n {
			dist.Sample(x, rng)
			nonzero := 0
			for i, a := range x {
				nonzero += min(1, int(math.Ceil(math.Abs(a))))
				for j := i; j < d; j++ {
					v := a * x[j]
					mean.SetSym(i, j, mean.At(i, j)+v/n)
					squares.SetSym(i, j, squares.At(i, j)+v*v/n)
				}
			}
			if discrete && nonzero != 1 {
				t.Fatalf("%s: sample %v", name, x)
			}
		}
		dist.SecondMomentTo(want)
		for i := range d {
			for j := range d {
				m := mean.At(i, j)
				if sd := math.Sqrt((squares.At(i, j) - m*m) / n); math.Abs(m-want.At(i, j)) > 6*sd+1e-12 {
					t.Errorf("%s: E[xx^T](%d,%d) = %v, want %v", name, i, j, m, want.At(i, j))
				}
			}
		}
	}
}

// The distribution on which the incremental algorithm with k = 1 goes wrong (Cotter 2013, section 4.5).
func TestCounterexample2D(t *testing.T) {
	t.Parallel()
	d := newCounterexample2D().(*axes)
	if want := []float64{math.Sqrt(3), math.Sqrt2}; !slices.Equal(d.length, want) || !near(d.p[0], 1.0/3, 1e-15) || !near(d.p[1], 2.0/3, 1e-15) {
		t.Errorf("%+v", d)
	}
}

// The last eigenvalues of many features are too small for a float64.
func TestOrthogonalOfManyFeatures(t *testing.T) {
	t.Parallel()
	d := simulatedOrthogonal(simulatedSpectrum(1<<16, 2), ReadingSqrtScaled).(*axes)
	for i, p := range d.p {
		if d.p[0] <= 0 || p < 0 || p == 0 && d.length[i] != 0 || !finite.Is(d.length[i]) {
			t.Fatalf("feature %d: length %v with probability %v", i+1, d.length[i], p)
		}
	}
}

// TestSimulatedTextErratum: Sigma = diag(sigma/||sigma||_2) has a trace above
// one, and the probabilities sqrt(Sigma_ii) sum to more than one, whichever
// norm is meant (Cotter 2013, section 6.4.1).
func TestSimulatedTextErratum(t *testing.T) {
	t.Parallel()
	for _, gap := range []int{1, 2, 4} {
		v := simulatedSpectrum(32, gap)
		n := norm2(v)
		var trace, probTrace, probNorm float64
		for _, x := range v {
			trace += x / n
			probTrace += math.Sqrt(x)
			probNorm += math.Sqrt(x / n)
		}
		if trace < 1.5 {
			t.Errorf("k = %d: the 2-norm gives trace %v", gap, trace)
		}
		if probTrace < 3 || probNorm < 3 {
			t.Errorf("k = %d: the probabilities sum to %v or %v", gap, probTrace, probNorm)
		}
	}
}

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
	for _, gap := range []int{1, 4, 32} {
		var z float64
		for j := 1; j <= 32; j++ {
			z += math.Pow(1.1, -float64(j))
		}
		for i, got := range simulatedSpectrum(32, gap) {
			want := math.Pow(1.1, -float64(i+1)) / z / 2
			if i < gap {
				want += 0.5 / float64(gap)
			}
			if math.Abs(got-want) > 1e-14 {
				t.Errorf("gap %d: sigma_%d = %v, want %v", gap, i+1, got, want)
			}
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
	for r, want := range map[Reading][2]func(float64) float64{
		ReadingTrace:           {trace, trace},
		ReadingNorm:            {norm, norm},
		ReadingSqrt:            {norm, root},
		ReadingSqrtScaled:      {norm, norm},
		ReadingSqrtScaledTrace: {trace, trace},
	} {
		for k, d := range []Distribution{simulatedGaussian(thesisSpectrum(), r), simulatedOrthogonal(thesisSpectrum(), r)} {
			moment := mat.NewSymDense(32, nil)
			for i, s := range sigma {
				moment.SetSym(i, i, want[k](s))
			}
			var m mat.SymDense
			d.SecondMomentTo(&m)
			d.SecondMomentTo(&m) // into a matrix in use
			if !mat.EqualApprox(&m, moment, 1e-14) {
				t.Errorf("%T %s: wrong second moment", d, r)
			}
		}
	}
}

// Samples have the second moment of their distribution: each element is within six standard deviations
// of its estimate. Samples of a discrete distribution are multiples of the standard basis.
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

// The incremental algorithm with k = 1 can fail on this distribution (Cotter 2013, section 4.5).
func TestCounterexample2D(t *testing.T) {
	t.Parallel()
	d := newCounterexample2D().(*axes)
	if want := []float64{math.Sqrt(3), math.Sqrt2}; !slices.Equal(d.length, want) || !near(d.p[0], 1.0/3, 1e-15) || !near(d.p[1], 2.0/3, 1e-15) {
		t.Errorf("%+v", d)
	}
}

// With many features, the last eigenvalues underflow.
func TestOrthogonalOfManyFeatures(t *testing.T) {
	t.Parallel()
	d := simulatedOrthogonal(simulatedSpectrum(1<<16, 2), ReadingSqrtScaled).(*axes)
	for i, p := range d.p {
		if d.p[0] <= 0 || p < 0 || p == 0 && d.length[i] != 0 || !finite.Is(d.length[i]) {
			t.Fatalf("feature %d: length %v with probability %v", i+1, d.length[i], p)
		}
	}
}

// Sigma = diag(sigma/||sigma||_2) of Cotter 2013, section 6.4.1 has a trace above one. The
// probabilities sqrt(Sigma_ii) sum to more than one with either norm.
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

// TestMargin checks the definition: unit vectors, the margin, and the labels of the reference
// classifier with noise.
func TestMargin(t *testing.T) {
	t.Parallel()
	for _, m := range []Margin{
		{Dim: 2, R: 1, Blocks: 1}, {Dim: 2, R: 3, Noise: 0.1, Blocks: 1}, {Dim: 16, R: 4, Blocks: 1},
		{Dim: 9, R: 3, Noise: 0.1, Blocks: 5},
	} {
		rng := newRNG(9)
		ref := m.Reference()
		x := make([]float64, len(ref.W))
		if want := m.R * math.Sqrt(float64(m.Blocks)); !near(ref.Norm, want, 1e-15*want) || !near(norm2(ref.W), want, 1e-12*want) {
			t.Errorf("%+v: reference norm %v, that of W %v, want %v", m, ref.Norm, norm2(ref.W), want)
		}
		const n = 5000
		var hinge, wrong, positive float64
		for range n {
			y := m.Sample(x, rng)
			var u float64
			for j := range x {
				u += x[j] * ref.W[j]
			}
			if !near(norm2(x), 1, 1e-13) {
				t.Fatalf("%+v: norm %v", m, norm2(x))
			}
			if a := math.Abs(u); a < 1-1e-12*m.R || a > 1+1e-12*m.R {
				t.Fatalf("%+v: response %v", m, u)
			}
			if y*u < 0 {
				wrong++
			}
			if y == 1 {
				positive++
			}
			// Examples with correct labels are on the margin, up to rounding.
			if h := 1 - y*u; h > 1e-12*m.R {
				hinge += h
			}
		}
		tol := 5 / math.Sqrt(n)
		if !near(wrong/n, ref.ZeroOne, tol/2) || m.Noise == 0 && wrong > 0 {
			t.Errorf("%+v: 0/1 loss %v, want %v", m, wrong/n, ref.ZeroOne)
		}
		if !near(hinge/n, ref.HingeLoss, tol*(1+m.R)*math.Sqrt(m.Noise)) {
			t.Errorf("%+v: hinge loss %v, want %v", m, hinge/n, ref.HingeLoss)
		}
		if !near(positive/n, 0.5, tol/2) {
			t.Errorf("%+v: %v positive", m, positive/n)
		}
	}
}

// Each example is in one block, block b with probability 2^-b; the last two are equally likely.
func TestMarginBlocks(t *testing.T) {
	t.Parallel()
	m := Margin{Dim: 3, R: 2, Blocks: 4}
	rng := newRNG(6)
	x := make([]float64, 12)
	var counts [4]float64
	const n = 40000
	for range n {
		m.Sample(x, rng)
		block := -1
		for j, v := range x {
			if v == 0 {
				continue
			}
			if b := j / m.Dim; block != b && block >= 0 {
				t.Fatalf("in blocks %d and %d: %v", block, b, x)
			} else {
				block = b
			}
		}
		counts[block]++
	}
	for b, want := range [...]float64{0.5, 0.25, 0.125, 0.125} {
		if !near(counts[b]/n, want, 0.01) {
			t.Errorf("block %d: frequency %v, want %v", b, counts[b]/n, want)
		}
	}
}

// The component orthogonal to v is isotropic.
func TestMarginAcross(t *testing.T) {
	t.Parallel()
	m := Margin{Dim: 5, R: 2, Blocks: 1}
	tab := m.Table(40000, newRNG(4))
	for j := range tab.D {
		var mean, square float64
		for i := range tab.N {
			v := tab.Row(i, nil)[j] - tab.Labels[i]/m.R/math.Sqrt(5)
			mean += v / float64(tab.N)
			square += v * v / float64(tab.N)
		}
		// |s|^2 (1 - 1/R^2) in 5 coordinates.
		if !near(mean, 0, 0.01) || !near(square, 0.75/5, 0.005) {
			t.Errorf("coordinate %d: mean %v, mean square %v", j, mean, square)
		}
	}
}

// More training rows extend a smaller table and do not change the test rows. Changed rows or labels
// have no reference.
func TestOpenMargin(t *testing.T) {
	t.Parallel()
	get := func(n int) *Data {
		with := map[string]any{"R": 4.0, "dim": 16, "noise": 0.1, "n": n, "test": 30}
		return open(t, Ref{Source: "simulated-margin", With: with}, Options{})
	}
	a, b := get(50), get(70)
	if r := a.Reference; r == nil || r.Norm != 4 || !near(r.HingeLoss, 0.2, 1e-15) || r.ZeroOne != 0.1 || len(r.W) != 16 {
		t.Errorf("reference %+v", r)
	}
	if equalTables(slice(a.Table, 0, 50), slice(b.Table, 0, 50)) != nil || equalTables(slice(a.Table, 50, 80), slice(b.Table, 70, 100)) != nil {
		t.Error("the rows depend on n")
	}
	for _, ref := range []Ref{{Prepare: []string{"center"}}, {Positive: new(-1.0)}} {
		ref.Source, ref.With = "simulated-margin", map[string]any{"R": 4, "dim": 16}
		if d := open(t, ref, Options{}); d.Reference != nil {
			t.Errorf("%+v: reference %+v for changed rows or labels", ref, d.Reference)
		}
	}
}

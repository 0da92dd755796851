package datasets

import (
	"math"
	"testing"

	"stochopt/internal/finite"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
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

// chiSquare fails the test if counts are improbable (1 in 10^6) under p.
func chiSquare(t *testing.T, counts []int, p []float64, n int) {
	t.Helper()
	var stat float64
	for i, c := range counts {
		e := p[i] * float64(n)
		stat += (float64(c) - e) * (float64(c) - e) / e
	}
	if pv := (distuv.ChiSquared{K: float64(len(p) - 1)}).Survival(stat); pv < 1e-6 {
		t.Errorf("chi-square %v, p = %v", stat, pv)
	}
}

func TestOrthogonalSamples(t *testing.T) {
	t.Parallel()
	const n = 50000
	for k, r := range []Reading{ReadingTrace, ReadingNorm, ReadingSqrt, ReadingSqrtScaled, ReadingSqrtScaledTrace} {
		made := simulatedOrthogonal(thesisSpectrum(), r)
		d := made.(*axes)
		counts, p := make([]int, 32), d.p
		rng, x := newRNG(uint64(k)), make([]float64, 32)
		for range n {
			d.Sample(x, rng)
			hit := -1
			for j, v := range x {
				if v == 0 {
					continue
				}
				if hit >= 0 || v != d.length[j] {
					t.Fatalf("%s: sample %v is not a multiple of a basis vector", r, x)
				}
				hit = j
			}
			counts[hit]++
		}
		chiSquare(t, counts, p, n)
	}
}

func TestGaussianSamples(t *testing.T) {
	t.Parallel()
	const n = 50000
	g := simulatedGaussian(thesisSpectrum(), ReadingTrace)
	var want mat.SymDense
	g.SecondMomentTo(&want)
	rng, x := newRNG(3), make([]float64, 32)
	got := mat.NewSymDense(32, nil)
	mean := make([]float64, 32)
	for range n {
		g.Sample(x, rng)
		got.SymRankOne(got, 1.0/n, mat.NewVecDense(32, x))
		for j, v := range x {
			mean[j] += v / n
		}
	}
	// Six standard deviations of each estimate.
	for i := range 32 {
		vi := want.At(i, i)
		if math.Abs(mean[i]) > 6*math.Sqrt(vi/n) {
			t.Errorf("mean of feature %d is %v", i, mean[i])
		}
		for j := i; j < 32; j++ {
			sd := math.Sqrt(vi * want.At(j, j) / n)
			if i == j {
				sd *= math.Sqrt2
			}
			if math.Abs(got.At(i, j)-want.At(i, j)) > 6*sd {
				t.Errorf("E[xx^T](%d,%d) = %v, want %v", i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
}

func TestCounterexample2D(t *testing.T) {
	t.Parallel()
	const n = 30000
	d := newCounterexample2D()
	var m mat.SymDense
	d.SecondMomentTo(&m)
	if math.Abs(m.At(0, 0)-1) > 1e-15 || math.Abs(m.At(1, 1)-4.0/3) > 1e-15 || m.At(0, 1) != 0 {
		t.Errorf("second moment %v", mat.Formatted(&m))
	}
	counts := make([]int, 2)
	rng, x := newRNG(4), make([]float64, 2)
	for range n {
		d.Sample(x, rng)
		switch {
		case x[0] == math.Sqrt(3) && x[1] == 0:
			counts[0]++
		case x[0] == 0 && x[1] == math.Sqrt2:
			counts[1]++
		default:
			t.Fatalf("sample %v", x)
		}
	}
	chiSquare(t, counts, []float64{1.0 / 3, 2.0 / 3}, n)
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

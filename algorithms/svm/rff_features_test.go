package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/kernel"
)

func grow(t *testing.T, f *fourier, k int) {
	t.Helper()
	if err := f.grow(t.Context(), k); err != nil {
		t.Fatal(err)
	}
}

// TestRFFGramApproachesTheGaussianKernel checks the mean square error of the Gram matrix of k pairs. Its
// standard deviation is sqrt((1 - K^2)^2/2)/sqrt(k), because Var cos(<v, delta>) is
// (1 + K^4)/2 - K^2 for normal <v, delta>.
func TestRFFGramApproachesTheGaussianKernel(t *testing.T) {
	const n, d, gamma = 60, 5, 0.4
	x, _ := rffRings(1, n, 0, d)
	f := newFourier(x, n, 1024, gamma, rand.New(rand.NewPCG(2, 2)))
	for _, k := range []int{16, 128, 1024} {
		grow(t, f, k)
		sum, expected, worstNorm := 0.0, 0.0, 0.0
		w := make([]float64, 2*k)
		for i := range n {
			clear(w)
			f.AddTo(w, 1, i)
			for j := range i {
				v := rffGaussian(gamma, x.Row(i, nil), x.Row(j, nil))
				e := f.Dot(w, j) - v
				sum += e * e
				expected += (1 - v*v) * (1 - v*v) / 2 / float64(k)
			}
			worstNorm = max(worstNorm, math.Abs(f.NormSq(i)-1), math.Abs(f.Dot(w, i)-1))
		}
		if ratio := sum / expected; ratio < 0.4 || ratio > 2.2 {
			t.Errorf("%d pairs: the mean square error is %.3g times its expectation", k, ratio)
		}
		if worstNorm > 1e-6 {
			t.Errorf("%d pairs: |x~|^2 is off by %v", k, worstNorm)
		}
	}
}

func TestRFFFeaturesAreNested(t *testing.T) {
	const n, d = 12, 7
	x, _ := rffRings(3, n, 0, d)
	whole := newFourier(x, n, 200, 0.3, rand.New(rand.NewPCG(5, 5)))
	grow(t, whole, 200)
	for name, points := range map[string]kernel.Vectors{"dense": x, "sparse": suite.SparsePoints{Points: x}} {
		f := newFourier(points, n, 200, 0.3, rand.New(rand.NewPCG(5, 5)))
		for _, k := range []int{1, 2, 4, 8, 100, 200} {
			grow(t, f, k)
			for i := range n {
				if !slices.Equal(f.row(i), whole.row(i)[:2*k]) {
					t.Fatalf("%s: the features of point %d differ with %d pairs", name, i, k)
				}
			}
		}
	}
}

// TestRFFFeaturesByTheFormula compares features with the plain formula.
func TestRFFFeaturesByTheFormula(t *testing.T) {
	const n, d, k, gamma = 5, 3, 4, 0.7
	x, _ := rffRings(4, n, 0, d)
	f := newFourier(x, n, k, gamma, rand.New(rand.NewPCG(6, 6)))
	grow(t, f, k)
	rng := rand.New(rand.NewPCG(6, 6))
	sigma := 1 / math.Sqrt(2*gamma)
	for p := range k {
		v := make([]float64, d)
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		for i := range n {
			angle := 0.0
			for j := range d {
				angle += v[j] * x.Row(i, nil)[j] / sigma
			}
			for part, want := range []float64{math.Cos(angle), math.Sin(angle)} {
				w := make([]float64, 2*k)
				w[2*p+part] = 1
				if got := f.Dot(w, i); math.Abs(got-want/math.Sqrt(k)) > 1e-6 {
					t.Errorf("feature %d of point %d is %v, want %v", 2*p+part, i, got, want/math.Sqrt(k))
				}
			}
		}
	}
}

// TestRFFBytes checks RFFBytes against the sizes of the features and the weights.
func TestRFFBytes(t *testing.T) {
	t.Parallel()
	const n, d = 500, 4
	x, positive := rffRings(12, n, 0, d)
	for _, most := range []int{1, 3, 64, 65, 1000, 1024} {
		a := newTestRFF(t, RFFConfig{Gamma: 0.5, MaxPairs: most, Lambda: 0.01}, x, n, positive, 1)
		if held := 4 * cap(a.features.data); held != 8*n*most {
			t.Errorf("%d pairs take %d bytes, want %d", most, held, 8*n*most)
		}
		if got, want := RFFBytes(n, most), int64(8*n*most+8*2*most+8*most); got != want {
			t.Errorf("RFFBytes(%d, %d) = %d, want %d", n, most, got, want)
		}
	}
	for _, test := range []struct {
		points, pairs int
		want          int64
	}{{1 << 40, 1 << 20, math.MaxInt64}, {math.MaxInt >> 3, 2, math.MaxInt64}, {1 << 40, 1<<20 - 1, 8796093022232<<20 - 8796093022232}, {1, 1, 32}} {
		if got := RFFBytes(test.points, test.pairs); got != test.want {
			t.Errorf("RFFBytes(%d, %d) = %d, want %d", test.points, test.pairs, got, test.want)
		}
	}
}

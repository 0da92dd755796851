package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"stochopt/algorithms/kernel"
)

// The Gram matrix of k pairs has the standard deviation
// sqrt((1 - K^2)^2/2)/sqrt(k) about the kernel K: Var cos(<v, delta>) is
// (1 + K^4)/2 - K^2 for normal <v, delta>.
func TestRFFGramApproachesTheGaussianKernel(t *testing.T) {
	const n, d, gamma = 60, 5, 0.4
	x, _ := rffRings(1, n, 0, d)
	f := newFourier(x, n, gamma, rand.New(rand.NewPCG(2, 2)))
	var before []float64
	for _, k := range []int{16, 64, 256, 1024, 4096} {
		f.grow(k)
		sum, expected, worstNorm := 0.0, 0.0, 0.0
		w := make([]float64, 2*k)
		for i := range n {
			clear(w)
			f.AddTo(w, 1, i)
			for j := range i {
				v := rffGaussian(gamma, x.Row(i), x.Row(j))
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
		before = append(before, sum)
	}
	if gain := before[0] / before[4]; gain < 100 || gain > 700 {
		t.Errorf("256 times the pairs lower the mean square error by %v", gain)
	}
}

func TestRFFFeaturesAreNested(t *testing.T) {
	const n, d = 12, 7
	x, _ := rffRings(3, n, 0, d)
	whole := newFourier(x, n, 0.3, rand.New(rand.NewPCG(5, 5)))
	whole.grow(200)
	for name, points := range map[string]kernel.Vectors{"dense": x, "sparse": rffSparse{x}} {
		f := newFourier(points, n, 0.3, rand.New(rand.NewPCG(5, 5)))
		for _, k := range []int{1, 2, 4, 8, 100, 200} {
			f.grow(k)
			for i := range n {
				if !slices.Equal(f.row(i), whole.row(i)[:2*k]) {
					t.Fatalf("%s: point %d has other features with %d pairs", name, i, k)
				}
			}
		}
	}
}

// A feature is cos or sin of the angle, by the plain formula.
func TestRFFFeaturesByTheFormula(t *testing.T) {
	const n, d, k, gamma = 5, 3, 4, 0.7
	x, _ := rffRings(4, n, 0, d)
	f := newFourier(x, n, gamma, rand.New(rand.NewPCG(6, 6)))
	f.grow(k)
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
				angle += v[j] * x.Row(i)[j] / sigma
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

package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// bruteSignFlip counts all assignments of signs one by one.
func bruteSignFlip(d []float64) float64 {
	var sum float64
	for _, v := range d {
		sum += v
	}
	n := 0
	for bits := range 1 << len(d) {
		var s float64
		for i, v := range d {
			if bits>>i&1 == 1 {
				v = -v
			}
			s += v
		}
		if math.Abs(s) >= math.Abs(sum)-1e-9 {
			n++
		}
	}
	return float64(n) / math.Exp2(float64(len(d)))
}

// brutePermute counts all ways to deal out the labels one by one.
func brutePermute(a, b []float64) float64 {
	pool := append(append([]float64{}, a...), b...)
	difference := func(mask int) (float64, int) {
		var in, out float64
		n := 0
		for i, v := range pool {
			if mask>>i&1 == 1 {
				in += v
				n++
			} else {
				out += v
			}
		}
		return math.Abs(in/float64(len(a)) - out/float64(len(b))), n
	}
	observed, _ := difference(1<<len(a) - 1)
	hits, all := 0, 0
	for mask := range 1 << len(pool) {
		diff, n := difference(mask)
		if n != len(a) {
			continue
		}
		all++
		if diff >= observed-1e-9 {
			hits++
		}
	}
	return float64(hits) / float64(all)
}

func TestPermutationTestsCountAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int, ties bool) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64() + 0.4
			if ties {
				v[i] = math.Round(v[i])
			}
		}
		return v
	}
	for trial := range 200 {
		n, m := 1+rng.IntN(9), 1+rng.IntN(6)
		a, b := draw(n, trial%2 == 0), draw(m, trial%2 == 0)
		if got, want := signFlip(a, nil), bruteSignFlip(a); math.Abs(got-want) > 1e-12 {
			t.Errorf("signFlip(%v) = %v, brute force %v", a, got, want)
		}
		if got, want := permuteLabels(a, b, nil), brutePermute(a, b); math.Abs(got-want) > 1e-12 {
			t.Errorf("permuteLabels(%v, %v) = %v, brute force %v", a, b, got, want)
		}
	}
}

// The values are those of scipy.stats.permutation_test 1.10 with n_resamples=inf,
// of the mean with permutation_type='samples', two-sided, of the absolute difference
// of means with 'independent' and alternative='greater', and of scipy.stats.wilcoxon with mode='exact'.
func TestPermutationTestsAgreeWithSciPy(t *testing.T) {
	x := []float64{0.12, -0.05, 0.33, 0.21, 0.08, 0.17, -0.02, 0.29, 0.11, 0.04}
	y := []float64{-0.1, 0.07, 0.02, 0.15, -0.21, 0.05, 0.09, -0.03}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"samples", signFlip(x, nil), 0.01171875},
		{"independent", permuteLabels(x, y, nil), 0.04810548928195987},
		{"signed ranks", signFlip(signedRanks(x), nil), 0.013671875},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: p = %v, SciPy has %v", c.name, c.got, c.want)
		}
	}
}

func TestRandomFlipsAgreeWithAllFlips(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	d := make([]float64, exactUpTo+6)
	for i := range d {
		d[i] = rng.NormFloat64() + 0.25
	}
	half := len(d) / 2
	var sum float64
	for _, v := range d {
		sum += v
	}
	want := 2 * pairsAtLeast(signedSums(d[:half]), signedSums(d[half:]), math.Abs(sum)) / math.Exp2(float64(len(d)))
	got := signFlip(d, rng)
	if sd := math.Sqrt(want * (1 - want) / flips); math.Abs(got-want) > 4*sd+1.0/flips {
		t.Errorf("random flips give p = %v, all flips %v", got, want)
	}
	a, b := d[:20], d[20:]
	pooled := append([]float64{}, d...)
	var mean, left float64
	for _, v := range pooled {
		mean += v / float64(len(pooled))
	}
	for i := range pooled {
		pooled[i] -= mean
	}
	for _, v := range pooled[:20] {
		left += v
	}
	want = dealt(pooled, 20, math.Abs(left))
	got = permuteLabels(a, b, rng)
	if sd := math.Sqrt(want * (1 - want) / flips); math.Abs(got-want) > 4*sd+1.0/flips {
		t.Errorf("random labels give p = %v, all labels %v", got, want)
	}
}

func TestLeastPValues(t *testing.T) {
	for n := 2; n <= 12; n++ {
		apart := make([]float64, n)
		for i := range apart {
			apart[i] = 1 + float64(i)/100
		}
		if got, want := leastP(true, n, n), signFlip(apart, nil); math.Abs(got-want) > 1e-12 {
			t.Errorf("leastP(true, %d) = %v, a clear case has %v", n, got, want)
		}
		zero := make([]float64, n)
		if got, want := leastP(false, n, n), permuteLabels(apart, zero, nil); math.Abs(got-want) > 1e-12 {
			t.Errorf("leastP(false, %d, %d) = %v, a clear case has %v", n, n, got, want)
		}
	}
	if p := signFlip([]float64{0, 0, 0}, nil); p != 1 {
		t.Errorf("p of no difference is %v, want 1", p)
	}
}

func TestRanks(t *testing.T) {
	inf := math.Inf(1)
	got := signedRanks([]float64{-2, 0, 1, inf, 2, -inf, 2})
	want := []float64{-3, 0, 1, 5.5, 3, -5.5, 3}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("signedRanks = %v, want %v", got, want)
		}
	}
	got = midRanks([]float64{inf, 3, inf, 1})
	want = []float64{3.5, 2, 3.5, 1}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("midRanks = %v, want %v", got, want)
		}
	}
}

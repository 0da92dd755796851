package svm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sortedLevel is WaterLevel by sorting: the level with the k lowest points under water, for the first
// k for which the next point is not under water.
func sortedLevel(c []float64, volume float64) float64 {
	s := slices.Sorted(slices.Values(c))
	var filled float64 // (s_1 - s_0) + … : the volume that reaches s_k
	for k := 1; ; k++ {
		if k == len(s) || filled+float64(k)*(s[k]-s[k-1]) > volume {
			return s[k-1] + (volume-filled)/float64(k)
		}
		filled += float64(k) * (s[k] - s[k-1])
	}
}

// poured returns the volume of water below a level.
func poured(c []float64, level float64) (v float64) {
	for _, x := range c {
		v += max(0, level-x)
	}
	return v
}

// floors draws heights with ties, clusters and outliers.
func floors(rng *rand.Rand, n int) []float64 {
	c := make([]float64, n)
	kind := rng.IntN(5)
	for i := range c {
		switch kind {
		case 0:
			c[i] = rng.NormFloat64()
		case 1:
			c[i] = float64(rng.IntN(4))
		case 2:
			c[i] = math.Ldexp(1, i%20)
		case 3:
			c[i] = -3
		default:
			c[i] = 1e3*float64(rng.IntN(2)) + 1e-3*rng.NormFloat64()
		}
	}
	return c
}

func volumes(rng *rand.Rand, n int) []float64 {
	return []float64{0, 1e-12, 0.3, rng.ExpFloat64() * float64(n), 1e4 * float64(n)}
}

// checkLevel compares WaterLevel with sorting, and under with the number of points below the level or,
// if this is 0, at the level.
func checkLevel(t *testing.T, c []float64, volume float64) {
	t.Helper()
	before := slices.Clone(c)
	got, under := WaterLevel(c, volume)
	want, lowest := sortedLevel(c, volume), slices.Min(c)
	if scale := max(1, slices.Max(c)-lowest, math.Abs(want)); !closeTo(got, want, 1e-11*scale) {
		t.Fatalf("WaterLevel(%v, %g) = %v, want %v", c, volume, got, want)
	}
	below, atLowest := 0, 0
	for _, x := range c {
		if x < got {
			below++
		}
		if x == lowest {
			atLowest++
		}
	}
	if below == 0 {
		below = atLowest
	}
	if under != below {
		t.Fatalf("WaterLevel(%v, %g): under = %d, want %d", c, volume, under, below)
	}
	if !slices.Equal(c, before) {
		t.Fatal("WaterLevel modified its argument")
	}
}

func TestWaterLevelAgainstSorting(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		c := floors(rng, 1+rng.IntN(60))
		for _, v := range volumes(rng, len(c)) {
			checkLevel(t, c, v)
		}
	}
}

func TestWaterLevelEnds(t *testing.T) {
	for _, test := range []struct {
		c      []float64
		volume float64
		gamma  float64
		under  int
	}{
		{[]float64{0, 0, 0}, 3, 1, 3},
		{[]float64{0, 0, 0}, 0, 0, 3},
		{[]float64{2, 1, 1, 5}, 0, 1, 2},
		{[]float64{2, 1, 1, 5}, 2, 2, 2},
		{[]float64{2, 1, 1, 5}, 100, 27.25, 4},
		{[]float64{-7}, 2.5, -4.5, 1},
		{[]float64{1, 1e9}, 5e-324, 1, 1},
	} {
		gamma, under := WaterLevel(test.c, test.volume)
		if gamma != test.gamma || under != test.under {
			t.Errorf("WaterLevel(%v, %g) = %v, %d, want %v, %d", test.c, test.volume, gamma, under, test.gamma, test.under)
		}
	}
	inf := math.Inf(1)
	for _, test := range []struct {
		c      []float64
		volume float64
	}{
		{[]float64{1, math.NaN(), 0}, 1}, {[]float64{0, inf}, 1}, {[]float64{-inf, 0}, 1},
		{[]float64{1e308, 1e308}, 1}, {[]float64{1}, math.NaN()}, {[]float64{1}, inf},
	} {
		gamma, _ := WaterLevel(test.c, test.volume)
		gamma2, b, _ := WaterLevelBias(test.c, []float64{0}, test.volume)
		if !math.IsNaN(gamma) || !math.IsNaN(gamma2) || !math.IsNaN(b) {
			t.Errorf("water of volume %v above %v has the level %v, with a bias %v and b = %v", test.volume, test.c, gamma, gamma2, b)
		}
	}
	for _, f := range []func(){
		func() { WaterLevel(nil, 1) },
		func() { WaterLevel([]float64{1}, -1) },
		func() { WaterLevelBias(nil, []float64{1}, 1) },
		func() { WaterLevelBias([]float64{1}, nil, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic for an invalid argument")
				}
			}()
			f()
		}()
	}
}

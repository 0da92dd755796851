package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// The ratios are lognormal, so that their logarithms are normal, and the interval
// of their geometric mean must cover it as often as it says. A plain percentile
// interval does not, which is why it is stretched.
func TestIntervalsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of bootstraps")
	}
	t.Parallel()
	const trials = 1500
	const sd, mean = 0.3, 0.1
	for _, n := range []int{5, 10, 20} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(5, uint64(n)))
			stretchedHits, plainHits, unpairedHits := 0, 0, 0
			for range trials {
				d, a, b := make([]float64, n), make([]float64, n), make([]float64, n+2)
				for i := range d {
					d[i] = math.Log(math.Exp(mean + sd*rng.NormFloat64()))
					a[i] = sd * rng.NormFloat64()
				}
				for i := range b {
					b[i] = mean + 2*sd*rng.NormFloat64()
				}
				if iv := (Bootstrap{Alpha: 0.05, Rand: rng}).Mean(d); iv.Lo <= mean && mean <= iv.Hi {
					stretchedHits++
				}
				if lo, hi := percentile(d, rng); lo <= mean && mean <= hi {
					plainHits++
				}
				if iv := (Bootstrap{Alpha: 0.05, Rand: rng}).Difference(a, b); iv.Lo <= mean && mean <= iv.Hi {
					unpairedHits++
				}
			}
			share := func(hits int) float64 { return float64(hits) / trials }
			t.Logf("n = %d: coverage %.3f, of independent samples %.3f, of the plain percentile interval %.3f", n, share(stretchedHits), share(unpairedHits), share(plainHits))
			// The standard error of a coverage of 95% is 0.0056.
			for name, hits := range map[string]int{"paired": stretchedHits, "unpaired": unpairedHits} {
				if c := share(hits); c < 0.93 || c > 0.97 {
					t.Errorf("%s, n = %d: coverage %.3f, want 0.95", name, n, c)
				}
			}
			if c := share(plainHits); n == 5 && c > 0.9 {
				t.Errorf("n = %d: the plain percentile interval covers %.3f; is the stretching needed?", n, c)
			}
		})
	}
}

func percentile(d []float64, rng *rand.Rand) (lo, hi float64) {
	means := make([]float64, 1000)
	for i := range means {
		means[i] = resampledMean(d, rng)
	}
	slices.Sort(means)
	return means[24], means[975]
}

func TestIntervalOfEqualValuesIsAPoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	if iv := (Bootstrap{Alpha: 0.05, Rand: rng}).Mean([]float64{0.25, 0.25, 0.25}); iv.Lo != 0.25 || iv.Hi != 0.25 {
		t.Errorf("interval %v, want the point 0.25", iv)
	}
	if iv := (Bootstrap{Alpha: 0.05, Rand: rng}).Difference([]float64{1, 1}, []float64{1.5, 1.5, 1.5}); iv.Lo != 0.5 || iv.Hi != 0.5 {
		t.Errorf("interval %v, want the point 0.5", iv)
	}
}

// The interval holds the estimate and grows as alpha falls.
func TestIntervalsNest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		d := make([]float64, 2+rng.IntN(10))
		for i := range d {
			d[i] = rng.ExpFloat64()
		}
		wide, narrow := (Bootstrap{Alpha: 0.01, Rand: rng}).Mean(d), (Bootstrap{Alpha: 0.2, Rand: rng}).Mean(d)
		mean := stat.Mean(d, nil)
		if !(wide.Lo <= narrow.Lo && narrow.Lo <= mean && mean <= narrow.Hi && narrow.Hi <= wide.Hi) {
			t.Fatalf("99%% interval %v, 80%% interval %v, mean %v of %v", wide, narrow, mean, d)
		}
	}
}

package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The example of Benjamini & Hochberg (1995), section 3.2: 15 tests, of which 4 are rejected.
func TestDiscoveryLimit(t *testing.T) {
	t.Parallel()
	p := []float64{
		0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1,
	}
	slices.Reverse(p)
	for _, tt := range []struct {
		p    []float64
		want float64
	}{
		{p, 0.0095}, {[]float64{0.04, 0.03}, 0.04}, {[]float64{0.06, 0.03}, 0}, {nil, 0},
	} {
		if got := DiscoveryLimit(tt.p, 0.05); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.p, got, tt.want)
		}
	}
}

// Of what is rejected among many tests, three in four of which are of no effect, a share is true that is
// on average at most the rate.
func TestFalseDiscoveryRate(t *testing.T) {
	t.Parallel()
	const trials = 2000
	rng := rand.New(rand.NewPCG(31, 15))
	sum := 0.0
	for range trials {
		p := make([]float64, 40)
		for i := range p {
			if p[i] = rng.Float64(); i >= 30 {
				p[i] *= 1e-3
			}
		}
		wrong, all, limit := 0, 0, DiscoveryLimit(p, 0.05)
		for i, v := range p {
			all += boolean(v <= limit)
			wrong += boolean(v <= limit && i < 30)
		}
		sum += float64(wrong) / float64(max(all, 1))
	}
	if rate := sum / trials; rate > 0.05 || rate < 0.02 {
		t.Errorf("a share of %v is wrong, want 0.05 times 3 / 4", rate)
	}
}

package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestGroups(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sorted []float64
		below  int
	}{
		{[]float64{0, 0, 0, 0, 0, 1, 1}, 5},
		{[]float64{0.01, 0.015, 0.02, 0.02, 0.03, 0.9}, 5},
		{[]float64{-3, 2, 2, 2.1, 2.1, 2.2}, 1},
		{[]float64{1, 2, 3, 4, 5, 6}, 0},
		{[]float64{1, 1, 1, 1, 1, 1}, 0},
		{[]float64{0, 0, 0, 1, 1}, 0}, // too few to tell
	} {
		if below := Groups(tt.sorted); below != tt.below {
			t.Errorf("%v: %d below, want %d", tt.sorted, below, tt.below)
		}
	}
}

// Samples of one distribution are rarely split into groups.
func TestGroupsOfOneDistribution(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 13))
	for name, draw := range map[string]func() float64{
		"normal": rng.NormFloat64, "uniform": rng.Float64, "exponential": rng.ExpFloat64,
	} {
		for n, most := range map[int]int{6: 100, 10: 20, 50: 20} {
			split := 0
			for range 2000 {
				v := make([]float64, n)
				for i := range v {
					v[i] = draw()
				}
				slices.Sort(v)
				split += boolean(Groups(v) > 0)
			}
			if split > most {
				t.Errorf("%s: %d of 2000 samples of %d values are split", name, split, n)
			}
		}
	}
}

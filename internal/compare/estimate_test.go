package compare

import (
	"math/rand/v2"
	"testing"
)

func TestLeastRepeats(t *testing.T) {
	for _, c := range []struct {
		paired bool
		tests  int
		want   int
	}{
		{true, 1, 6},   // 2/2^6 = 0.031
		{true, 2, 7},   // 2/2^7 = 0.016
		{true, 16, 10}, // 2/2^10 = 0.0020
		{true, 30, 11},
		{false, 1, 4},  // 2/C(8, 4) = 0.029
		{false, 16, 6}, // 2/C(12, 6) = 0.0022
	} {
		if got := leastRepeats(c.paired, 0.05, c.tests); got != c.want {
			t.Errorf("paired %v, %d tests: %d repeats, want %d", c.paired, c.tests, got, c.want)
		}
	}
}

// Of samples whose true ratio is just at the tolerance no more than half of alpha, one
// side of the interval, are called equivalent.
func TestEquivalenceIsHonest(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of intervals")
	}
	t.Parallel()
	o, err := Options{}.filled()
	if err != nil {
		t.Fatal(err)
	}
	const trials = 1000
	for _, n := range []int{3, 6, 10} {
		rng := rand.New(rand.NewPCG(uint64(n), 23))
		equivalent := 0
		for range trials {
			s := sample{base: make([]float64, n), cand: make([]float64, n), paired: true}
			for i := range n {
				s.cand[i] = o.margin() + 0.01*rng.NormFloat64()
			}
			o.Seed = rng.Uint64()
			e := s.estimate(o)
			var m Measure
			if m.decide(e, o, nil); m.Verdict == Equivalent {
				equivalent++
			}
		}
		t.Logf("%d pairs: %.3f equivalent at the tolerance", n, float64(equivalent)/trials)
		// Three standard errors of 0.005 over 0.025.
		if share := float64(equivalent) / trials; share > 0.04 {
			t.Errorf("%d pairs: %.3f are called equivalent at the tolerance, want at most %v", n, share, o.Alpha/2)
		}
	}
}

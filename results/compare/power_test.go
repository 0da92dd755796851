package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"stochopt/results/analysis"
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

// With the number of repeats that is said to be needed, samples like the one at
// hand lead to a verdict about as often as intended.
func TestRepeatsNeededLeadToAVerdict(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of tests")
	}
	t.Parallel()
	o, err := Options{}.filled()
	if err != nil {
		t.Fatal(err)
	}
	const trials = 250
	for _, c := range []struct {
		name         string
		mean, spread float64
		tests        int
		paired       bool
	}{
		{"a difference", 0.15, 0.2, 1, true},
		{"a difference among many", 0.15, 0.2, 16, true},
		{"no difference", 0, 0.06, 1, true},
		{"a difference of independent samples", 0.3, 0.25, 4, false},
	} {
		e := estimate{centre: c.mean, spread: c.spread}
		if !c.paired {
			e.spread *= math.Sqrt2
		}
		n := repeatsNeeded(e, o, c.paired, c.tests, 3)
		rng := rand.New(rand.NewPCG(uint64(n), 17))
		decided := 0
		for range trials {
			s := sample{base: make([]float64, n), cand: make([]float64, n), paired: c.paired}
			for i := range n {
				s.cand[i] = c.mean + c.spread*rng.NormFloat64()
				if !c.paired {
					s.base[i] = c.spread * rng.NormFloat64()
				}
			}
			o.Seed = rng.Uint64()
			got := s.estimate(o)
			adjusted := min(got.p*float64(c.tests), 1)
			var m Measure
			if m.decide(got, o, &adjusted); m.Verdict != Inconclusive {
				decided++
			}
		}
		share := float64(decided) / trials
		t.Logf("%s: %d repeats, %.2f decided", c.name, n, share)
		if share < analysis.WantedPower-0.1 || share > analysis.WantedPower+0.15 {
			t.Errorf("%s: with %d repeats %.2f of the comparisons are decided, want about %v", c.name, n, share, analysis.WantedPower)
		}
	}
}

func TestRepeatsNeededThatCannotBeTold(t *testing.T) {
	o, err := Options{}.filled()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		e    estimate
		made int
		want int
	}{
		"ranks":              {estimate{ranks: true, centre: 1}, 10, 0},
		"ranks, too few":     {estimate{ranks: true, centre: 1}, 4, 6},
		"hopeless":           {estimate{centre: 0.0487, spread: 5}, 10, 0},
		"at the very margin": {estimate{centre: o.margin(), spread: 1}, 10, 0},
		"more than made":     {estimate{centre: 3, spread: 0.1}, 10, 11},
	} {
		if got := repeatsNeeded(c.e, o, true, 1, c.made); got != c.want {
			t.Errorf("%s: %d repeats, want %d", name, got, c.want)
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

package compare

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stochopt/internal/record"
)

var coverTrials = flag.Int("cover", 12, "number of intervals of each kind in TestCoverageOfChoices")

// leveled is a cell of two candidates whose values differ by 1.6, a factor of 5, and
// whose scores do by gap; the noise of both is 0.3.
func leveled(n int, paired bool, gap float64, rng *rand.Rand) (*curveSet, measurement) {
	p := plainPool(n, n, paired)
	p.columns = make([]record.Params, 2)
	p.score = nil
	var m measurement
	for range 2 * n {
		for j := range 2 {
			z := 0.3 * rng.NormFloat64()
			p.score = append(p.score, gap*float64(j)+0.8*z+0.18*rng.NormFloat64())
			m.values = append(m.values, 1.6*float64(j)+z)
		}
	}
	a := p.observed()
	base, cand := p.valuesOf(m.values, a, p.choice(a))
	m.sample = sample{base: slices.Clone(base), cand: slices.Clone(cand), paired: paired}
	return &curveSet{pool: p}, m
}

// Intervals of a procedure compared with itself hold 0 about as often as they say: at ties,
// near ties and clear winners, for few repeats and for many. That of what was chosen does
// not, nor does that which chooses anew; their hull does, but for ties of few repeats.
func TestCoverageOfChoices(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of intervals")
	}
	t.Parallel()
	var table strings.Builder
	for _, paired := range []bool{true, false} {
		for _, gap := range []struct {
			name string
			by   float64
		}{{"tie", 0}, {"near tie", 0.1}, {"clear winner", 2}} {
			for _, n := range []int{3, 4, 6, 10, 20} {
				rng := rand.New(rand.NewPCG(uint64(n), 29))
				var fixed, anew, hull, strict int
				for range *coverTrials {
					s, m := leveled(n, paired, gap.by, rng)
					o := Options{Alpha: 0.05, Seed: rng.Uint64()}
					at := m.sample.estimate(o).ratio
					fixed += boolean(at.Lo <= 0 && 0 <= at.Hi)
					draws := s.drawnAgain([][]float64{m.values}, 2000, rng)[0]
					slices.Sort(draws)
					anew += boolean(draws[50] <= 0 && 0 <= draws[1949])
					// As an approximate comparison is decided, alone and among ten.
					s.alike = false
					wide := s.estimateChosen([]measurement{m}, o, 1, "")[0].ratio
					hull += boolean(wide.Lo <= 0 && 0 <= wide.Hi)
					if *coverTrials < 100 {
						continue // forty thousand resamples each
					}
					wide = s.estimateChosen([]measurement{m}, o, 10, "")[0].ratio
					strict += boolean(wide.Lo <= 0 && 0 <= wide.Hi)
				}
				share := func(hits int) float64 { return 100 * float64(hits) / float64(*coverTrials) }
				fmt.Fprintf(&table, "| %v | %s | %d | %.1f | %.1f | %.1f | %.1f |\n", paired, gap.name, n, share(fixed), share(anew), share(hull), share(strict))
				if _, hi := clopperPearson(hull, *coverTrials); n >= leastChosen && hi < 0.93 {
					t.Errorf("paired %v, %s, %d repeats: the hull covers %.1f%%", paired, gap.name, n, share(hull))
				}
			}
		}
	}
	t.Logf("coverage in %% of 95%% intervals: of what was chosen, of one that chooses anew, of their hull; of hulls of 99.5%%:\n%s", table.String())
}

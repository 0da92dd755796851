package stats

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var coverTrials = flag.Int("cover", 12, "number of intervals of each kind in TestCoverageOfChoices")

// leveled is a cell of two candidates whose values differ by 1.6, a factor of 5, and
// whose scores do by gap; the noise of both is 0.3.
func leveled(n int, paired bool, gap float64, rng *rand.Rand) (p *Pool, values []float64) {
	p = &Pool{Candidates: 2, Rows: [2]int{n, n}, Paired: paired, Approximate: true}
	for range 2 * n {
		for j := range 2 {
			z := 0.3 * rng.NormFloat64()
			p.Scores = append(p.Scores, gap*float64(j)+0.8*z+0.18*rng.NormFloat64())
			values = append(values, 1.6*float64(j)+z)
		}
	}
	return p, values
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
					p, values := leveled(n, paired, gap.by, rng)
					o := Settings{Alpha: 0.05, Stream: fmt.Sprint(rng.Uint64()), Tests: 1}
					base, cand := p.Taken(values)
					at := PlainPool(n, n, paired).exchange([][]float64{slices.Concat(base, cand)}, o, 0)[0]
					lo, hi := at.ends(o.Alpha)
					fixed += boolean(lo <= 0 && 0 <= hi)
					draws := p.drawnAgain([][]float64{values}, 2000, rng)[0]
					slices.Sort(draws)
					anew += boolean(draws[50] <= 0 && 0 <= draws[1949])
					// As an approximate comparison is decided, alone and among ten.
					lo, hi = p.Estimate([][]float64{values}, o)[0].ends(o.Alpha)
					hull += boolean(lo <= 0 && 0 <= hi)
					if *coverTrials < 100 {
						continue // forty thousand resamples each
					}
					o.Tests = 10
					lo, hi = p.Estimate([][]float64{values}, o)[0].ends(o.Alpha / 10)
					strict += boolean(lo <= 0 && 0 <= hi)
				}
				share := func(hits int) float64 { return 100 * float64(hits) / float64(*coverTrials) }
				fmt.Fprintf(&table, "| %v | %s | %d | %.1f | %.1f | %.1f | %.1f |\n", paired, gap.name, n, share(fixed), share(anew), share(hull), share(strict))
				if _, hi := ClopperPearson(hull, *coverTrials, 0.95); n >= 6 && hi < 0.93 {
					t.Errorf("paired %v, %s, %d repeats: the hull covers %.1f%%", paired, gap.name, n, share(hull))
				}
			}
		}
	}
	t.Logf("coverage in %% of 95%% intervals: of what was chosen, of one that chooses anew, of their hull; of hulls of 99.5%%:\n%s", table.String())
}

package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Approximate intervals of a procedure compared with itself contain 0 about as often as nominal: at
// ties, near ties and clear winners. The values of the two candidates differ by 1.6, a factor of 5, and
// their scores by the gap; the noise of both is 0.3.
func TestCoverageOfChoices(t *testing.T) {
	t.Parallel()
	const n, trials = 6, 50
	for _, gap := range []float64{0, 0.1, 2} {
		rng := rand.New(rand.NewPCG(n, 29))
		hits := 0
		for trial := range 2 * trials {
			p := &Pool{Candidates: 2, Rows: [2]int{n, n}, Paired: trial < trials, Approximate: true}
			var values []float64
			for range 2 * n {
				for j := range 2 {
					z := 0.3 * rng.NormFloat64()
					p.Scores = append(p.Scores, gap*float64(j)+0.8*z+0.18*rng.NormFloat64())
					values = append(values, 1.6*float64(j)+z)
				}
			}
			o := Settings{Alpha: 0.05, Stream: fmt.Sprint(rng.Uint64()), Tests: 1}
			lo, hi := p.Estimate([][]float64{values}, o)[0].ends(o.Alpha)
			hits += boolean(lo <= 0 && 0 <= hi)
		}
		if _, hi := ClopperPearson(hits, 2*trials, 0.95); hi < 0.95 {
			t.Errorf("a gap of %v: %d of %d intervals cover", gap, hits, 2*trials)
		}
	}
}

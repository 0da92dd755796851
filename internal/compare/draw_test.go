package compare

import (
	"math/rand/v2"
	"testing"

	"stochopt/internal/record"
)

// drawSides draws two disjoint sets of n repeats and numbers them equally, so that independent runs are paired.
// Each copy of the cells has other repeats.
func drawSides(t testing.TB, from []Side, n, copies int, seed uint64) (base, cand []Side) {
	t.Helper()
	order := rand.New(rand.NewPCG(seed, 2)).Perm(fixtureRepeats)
	for k := range copies {
		part := order[2*n*k : 2*n*(k+1)]
		b, c := withRepeats(from, part[:n]), withRepeats(from, part[n:])
		for i := range b {
			b[i].Name += string(rune('a' + k))
			c[i].Name = b[i].Name
		}
		base, cand = append(base, b...), append(cand, c...)
	}
	return base, cand
}

// withRepeats returns the runs of the given repeats, numbered from 0.
func withRepeats(from []Side, repeats []int) []Side {
	place := map[int]int{}
	for i, r := range repeats {
		place[r] = i
	}
	out := make([]Side, len(from))
	for i, s := range from {
		out[i] = s
		out[i].Runs = nil
		for _, r := range s.Runs {
			if p, ok := place[r.Repeat]; ok {
				r.Repeat = p
				out[i].Runs = append(out[i].Runs, r)
			}
		}
	}
	return out
}

// slowed returns runs whose counters are multiplied by 1 + by.
func slowed(sides []Side, by float64) []Side {
	out := make([]Side, len(sides))
	for i, s := range sides {
		out[i] = s
		out[i].Runs = make([]record.Run, len(s.Runs))
		for j, r := range s.Runs {
			cost := map[string][]int64{}
			for name, col := range r.Curve.Cost {
				stretched := make([]int64, len(col))
				for k, v := range col {
					// A finer unit keeps rounding errors small.
					stretched[k] = int64(float64(v) * costUnits * (1 + by))
				}
				cost[name] = stretched
			}
			r.Curve.Cost = cost
			r.Key += "-slowed"
			out[i].Runs[j] = r
		}
	}
	return out
}

// costUnits is the number of units of slowed per unit of cost.
const costUnits = 10000

package compare

import (
	"math/rand/v2"
	"testing"

	"stochopt/internal/record"
)

// drawnOften draws two disjoint sets of n repeats, the same of all cells, and numbers them
// alike, so that unrelated runs look paired. Each copy of the cells has repeats of its own.
func drawnOften(t testing.TB, from []Side, n, copies int, seed uint64) (base, cand []Side) {
	t.Helper()
	order := rand.New(rand.NewPCG(seed, 2)).Perm(fixtureRepeats)
	for k := range copies {
		part := order[2*n*k : 2*n*(k+1)]
		b, c := taken(from, part[:n]), taken(from, part[n:])
		for i := range b {
			b[i].Name += string(rune('a' + k))
			c[i].Name = b[i].Name
		}
		base, cand = append(base, b...), append(cand, c...)
	}
	return base, cand
}

// taken returns the given repeats, numbered from 0.
func taken(from []Side, repeats []int) []Side {
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

// slowed returns runs that need more of the cost for the same value: the counters
// are stretched.
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
					// Finer units, so that no cost is rounded noticeably.
					stretched[k] = int64(float64(v) * units * (1 + by))
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

// units is what slowed counts in: parts of a cost.
const units = 10000

package verify

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"stochopt/harness/internal/plan"
)

// Sample says which records were made again.
type Sample struct {
	// Runs of Of records were drawn by Seed, some of each series on each data set.
	Runs int    `json:"runs"`
	Of   int    `json:"of"`
	Seed uint64 `json:"seed"`
	// Found holds the probabilities that the sample includes at least one bad record, for
	// some numbers of bad records, wherever they are.
	Found []Chance `json:"found"`
}

// Chance is the probability to find one of Bad records.
type Chance struct {
	Bad         int     `json:"bad"`
	Probability float64 `json:"probability"`
}

// The default sample is a share of the records, and at least some.
const (
	defaultShare = 10
	defaultLeast = 30
)

// newSample says how likely a sample finds bad records.
func newSample(runs, of int, seed uint64) *Sample {
	s := &Sample{Runs: runs, Of: of, Seed: seed}
	for _, bad := range []int{1, 10} {
		if bad <= of {
			s.Found = append(s.Found, Chance{bad, chance(runs, of, bad)})
		}
	}
	return s
}

// chance is the probability that a sample of n of N has at least one of bad ones, which
// are anywhere: 1 - C(N-n, bad) / C(N, bad), the hypergeometric distribution. It does not
// depend on how the n were drawn.
func chance(n, of, bad int) float64 {
	none := 1.0
	for i := range bad {
		none *= float64(max(of-n-i, 0)) / float64(of-i)
	}
	return 1 - none
}

// draw returns a sample of the items, in their order: of each series on each data set its
// share, at least one. By default, for 0 runs, it is as large as that takes; if fewer runs
// are asked for than there are series on data sets, some of these have none. Equal seeds
// draw equal samples.
func draw(items []*plan.Item, runs int, all bool, seed uint64) []*plan.Item {
	least := 0
	if runs == 0 {
		runs, least = max(defaultLeast, (len(items)+defaultShare-1)/defaultShare), len(items)
	}
	if all || runs >= len(items) {
		return items
	}
	type stratum struct{ dataset, series string }
	var order []stratum
	members := make(map[stratum][]*plan.Item)
	for _, it := range items {
		at := stratum{it.Problem.Entry.ID, it.Series}
		if members[at] == nil {
			order = append(order, at)
		}
		members[at] = append(members[at], it)
	}
	rng := rand.New(rand.NewPCG(seed, uint64(len(items))))
	var first, rest []*plan.Item
	place := make(map[*plan.Item]float64)
	for _, at := range order {
		list := members[at]
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		first = append(first, list[0])
		for i, it := range list[1:] {
			// Taking the least places first takes of each stratum in proportion.
			place[it] = (float64(i+1) + rng.Float64()) / float64(len(list))
		}
		rest = append(rest, list[1:]...)
	}
	slices.SortStableFunc(rest, func(a, b *plan.Item) int { return cmp.Compare(place[a], place[b]) })
	rng.Shuffle(len(first), func(i, j int) { first[i], first[j] = first[j], first[i] })
	first = first[:min(len(first), max(runs, least))]
	drawn := slices.Concat(first, rest[:max(runs-len(first), 0)])
	slices.SortFunc(drawn, func(a, b *plan.Item) int { return cmp.Compare(a.Index, b.Index) })
	return drawn
}

package run

import (
	"cmp"
	"fmt"
	"slices"

	"stochopt/harness/internal/plan"
)

// Part selects some of the runs of a plan. It does not change the plan or any key. The zero value
// selects all runs.
type Part struct {
	// Only selects runs by name.
	Only plan.Only
	// Shard is the index, from 0, of one of the at most Shards shards of the plan.
	// Shards is 0 for the whole plan.
	Shard, Shards int
}

// Of returns the selected runs of a plan, in plan order.
func (p Part) Of(of *plan.Plan) (items []*plan.Item) {
	if !p.Shared() {
		return p.Only.Of(of)
	}
	if shards := Shards(of, p.Shards); p.Shard < len(shards) {
		items = shards[p.Shard]
	}
	return slices.DeleteFunc(items, func(it *plan.Item) bool { return !p.Only.Has(it) })
}

// Shared reports whether other processes may write to the same folder at the same time.
func (p Part) Shared() bool { return p.Shards > 0 }

// Name returns "shard" and the number of the shard, from 1. It is "" for the whole plan.
func (p Part) Name() string {
	if !p.Shared() {
		return ""
	}
	return fmt.Sprintf("shard%d", p.Shard+1)
}

// Shards divides the runs of a plan into at most n shards of similar size. Runs that share data and
// optima are in the same shard, so there may be fewer than n. The largest shards come first. Within
// a shard, runs are in plan order.
func Shards(p *plan.Plan, n int) [][]*plan.Item {
	groups := groupShared(p.Items)
	largest := func(a, b []*plan.Item) int { return cmp.Compare(len(b), len(a)) }
	slices.SortStableFunc(groups, largest)
	shards := make([][]*plan.Item, min(n, len(groups)))
	for _, g := range groups {
		least := 0
		for i := range shards {
			if len(shards[i]) < len(shards[least]) {
				least = i
			}
		}
		shards[least] = append(shards[least], g...)
	}
	slices.SortStableFunc(shards, largest)
	for _, s := range shards {
		slices.SortFunc(s, func(a, b *plan.Item) int { return cmp.Compare(a.Index, b.Index) })
	}
	return shards
}

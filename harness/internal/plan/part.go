package plan

import (
	"fmt"

	"stochopt/results/record"
)

// Part picks some of the runs of a plan: those that all of its members pick. It changes no
// plan, and so no key. The zero value is the whole.
type Part struct {
	// Only picks runs by their names.
	Only Only
	// Shard and Shards pick those whose index is Shard modulo Shards. Shards 0 means all.
	Shard, Shards int
	// Task, if it is set, picks those that it lists.
	Task *Task
}

// Has reports whether a run is picked.
func (p Part) Has(it *Item) bool {
	switch {
	case p.Shards > 1 && it.Index%p.Shards != p.Shard:
		return false
	case p.Task != nil && !p.Task.has(it):
		return false
	}
	return p.Only.Has(it)
}

// Of returns the runs of a plan that are picked, in its order.
func (p Part) Of(of *Plan) (items []*Item) {
	for _, it := range of.Items {
		if p.Has(it) {
			items = append(items, it)
		}
	}
	return items
}

// Shared reports whether the other runs are left to processes that may work in the same
// folder meanwhile.
func (p Part) Shared() bool { return p.Shards > 0 || p.Task != nil }

// Name names a part that is shared by the runs that it picks: two that pick the same runs of
// a plan, in whatever words, have the same name. It is "" of one that is not shared.
func (p Part) Name(of *Plan) string {
	if !p.Shared() {
		return ""
	}
	var keys []string
	for _, it := range p.Of(of) {
		keys = append(keys, it.ID.Text())
	}
	const digits = 12
	key := record.Key(keys)[:digits]
	switch {
	case p.Task != nil:
		return fmt.Sprintf("task%d-%s", p.Task.Number, key)
	default:
		return fmt.Sprintf("shard%d-%s", p.Shard+1, key)
	}
}

package cluster

import (
	"cmp"
	"math"
	"slices"

	"stochopt/harness/internal/forecast"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
)

// Packing says how runs are to be divided among tasks.
type Packing struct {
	// Seconds is how much a task is to take of a processor. Tasks is the most that there may
	// be; 0 means any number.
	Seconds float64
	Tasks   int
}

// Pack divides runs, as run.Pending orders them, among tasks that take about so many
// seconds each by a forecast, the longest first. Runs that share rows or splits stay
// together as far as that leaves tasks of that length; each task prepares anew what its
// runs share, but for certified optima, which are there. Where that would make too many
// tasks they are made longer, all about as long.
func Pack(f *forecast.Forecast, pending []*plan.Item, by Packing) []*plan.Task {
	groups := group(f, pending)
	// Who asks for so many tasks, and for no length, means it.
	pack := func(groups []sharing, most float64) []bin { return pack(groups, most, by.Seconds > 0) }
	bins := pack(groups, by.Seconds)
	if by.Tasks > 0 && len(bins) > by.Tasks {
		low, high := by.Seconds, 1.0
		for _, g := range groups {
			high += g.seconds()
		}
		bins = pack(groups, high)
		for range 50 {
			middle := (low + high) / 2
			if tried := pack(groups, middle); len(tried) > by.Tasks {
				low = middle
			} else {
				bins, high = tried, middle
			}
		}
	}
	tasks := make([]*plan.Task, len(bins))
	for i, b := range bins {
		tasks[i] = plan.NewTask(i+1, b.items, b.seconds)
	}
	return tasks
}

// sharing are runs that share what takes so many seconds to prepare.
type sharing struct {
	items  []*plan.Item
	own    []float64
	shared float64
}

// seconds is what the runs take as one task.
func (s sharing) seconds() float64 {
	sum := s.shared
	for _, own := range s.own {
		sum += own
	}
	return sum
}

func group(f *forecast.Forecast, pending []*plan.Item) (groups []sharing) {
	left := f.Left(pending, pending)
	var last any
	for i, it := range pending {
		if key := run.ShareKey(it); i == 0 || key != last {
			groups, last = append(groups, sharing{}), key
		}
		g, own := &groups[len(groups)-1], f.Own(it)
		g.items, g.own = append(g.items, it), append(g.own, own)
		g.shared += max(left[i]-own, 0)
	}
	return groups
}

// bin is a task in the making.
type bin struct {
	items   []*plan.Item
	seconds float64
}

// pack divides groups so that a task takes at most about so many seconds (see cut).
func pack(groups []sharing, most float64, thrifty bool) []bin {
	var pieces []bin
	for _, g := range groups {
		pieces = append(pieces, g.cut(most, thrifty)...)
	}
	longest := func(a, b bin) int { return cmp.Compare(b.seconds, a.seconds) }
	slices.SortStableFunc(pieces, longest)
	var bins []bin
	for _, p := range pieces {
		i := slices.IndexFunc(bins, func(b bin) bool { return b.seconds+p.seconds <= most })
		if i < 0 {
			bins = append(bins, p)
			continue
		}
		bins[i].items, bins[i].seconds = append(bins[i].items, p.items...), bins[i].seconds+p.seconds
	}
	slices.SortStableFunc(bins, longest)
	return bins
}

// cut divides the runs of a group, in their order, into pieces about as long as each other.
// Where it is thrifty, no piece has less to do than to prepare.
func (s sharing) cut(most float64, thrifty bool) (pieces []bin) {
	all := s.seconds() - s.shared
	room := max(most-s.shared, 0)
	if thrifty {
		room = max(room, s.shared)
	}
	n := 1.0
	if all > room {
		n = min(math.Ceil(all/room), float64(len(s.items)))
	}
	before := 0.0
	for i, it := range s.items {
		// A run belongs where its middle lies.
		at := int(min((before+s.own[i]/2)/all*n, n-1))
		if n == 1 || all == 0 {
			at = 0
		}
		if len(pieces) == 0 || at >= len(pieces) {
			pieces = append(pieces, bin{seconds: s.shared})
		}
		p := &pieces[len(pieces)-1]
		p.items, p.seconds = append(p.items, it), p.seconds+s.own[i]
		before += s.own[i]
	}
	return pieces
}

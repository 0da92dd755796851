package claims

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// replicated holds something of each replicate: of each repeat, or each halving.
type replicated[T any] map[int]T

// everyone stands for all replicates, where they have one value.
const everyone = -1

// ids returns the replicates, in order; of what is the same for all there are none.
func (of replicated[T]) ids() []int {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(of)), func(id int) bool { return id == everyone })
}

// get returns the value of a replicate; if there is only one value, it holds for all.
func (of replicated[T]) get(id int) T {
	if v, ok := of[id]; ok || len(of) != 1 {
		return v
	}
	for _, v := range of {
		return v
	}
	panic("not reached: it has one")
}

// errOneInCommon: of several repeats one is left. It must not be mistaken for the single
// run of a method without randomness.
var errOneInCommon = errors.New("the series have only one repeat in common, too few to decide")

// pair returns the replicates that all have. What has only one, such as the run of a
// method without randomness, is paired with each of the others'.
func (p *part) pair(all ...interface{ ids() []int }) ([]int, error) {
	var ids []int
	known := false
	most := 0
	for _, r := range all {
		most = max(most, len(r.ids()))
	}
	for _, r := range all {
		of := r.ids()
		if len(of) == 0 || len(of) == 1 && most > 1 {
			continue
		}
		if !known || most == 1 {
			ids, known = of, true
			continue
		}
		both := slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return !slices.Contains(of, id) })
		if len(both) < max(len(ids), len(of)) {
			p.caveat(Remark{Kind: unpaired})
		}
		ids = both
	}
	switch {
	case !known:
		return nil, fmt.Errorf("there are no runs to judge")
	case len(ids) == 0:
		return nil, fmt.Errorf("the series have no repeat in common")
	case len(ids) == 1 && most > 1:
		return nil, errOneInCommon
	}
	return ids, nil
}

// quantity is what a curve was reduced to.
type quantity struct {
	v float64
	// atLeast, atMost: v is a bound on the number, as the run ended before it was
	// known.
	atLeast, atMost bool
}

// values are numbers by replicate.
type values = replicated[quantity]

func constant(v float64) values { return values{everyone: {v: v}} }

// over divides.
func (n quantity) over(by quantity) quantity {
	return quantity{v: n.v / by.v, atLeast: n.atLeast || by.atMost, atMost: n.atMost || by.atLeast}
}

// minus subtracts.
func (n quantity) minus(by quantity) quantity {
	return quantity{v: n.v - by.v, atLeast: n.atLeast || by.atMost, atMost: n.atMost || by.atLeast}
}

// times multiplies by a number, and adds another.
func (n quantity) times(by, plus float64) quantity {
	if by < 0 {
		n.atLeast, n.atMost = n.atMost, n.atLeast
	}
	n.v = n.v*by + plus
	return n
}

// raised is no less than what is told from 0.
func (n quantity) raised(floor float64) quantity {
	n.v = max(n.v, floor)
	return n
}

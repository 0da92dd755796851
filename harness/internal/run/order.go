package run

import (
	"math/rand/v2"

	"stochopt/algorithms/svm"
)

// newOrder returns the stream of training indices of a kind: "pass", each of
// the n once a pass in random order, or "uniform", independent draws.
func newOrder(kind string, n int, rng *rand.Rand) svm.Order {
	if kind == "pass" {
		return &passOrder{rng: rng, perm: allRows(n), next: n}
	}
	return &uniformOrder{rng: rng, n: n}
}

type uniformOrder struct {
	rng *rand.Rand
	n   int
}

// Next implements svm.Order.
func (o *uniformOrder) Next() int { return o.rng.IntN(o.n) }

type passOrder struct {
	rng  *rand.Rand
	perm []int
	next int
}

// Next implements svm.Order.
func (o *passOrder) Next() int {
	if o.next == len(o.perm) {
		o.rng.Shuffle(len(o.perm), func(i, j int) { o.perm[i], o.perm[j] = o.perm[j], o.perm[i] })
		o.next = 0
	}
	o.next++
	return o.perm[o.next-1]
}

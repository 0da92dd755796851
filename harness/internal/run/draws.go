package run

import (
	"math/rand/v2"

	"stochopt/algorithms/checkpoint"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/seed"
)

// draws are the random streams of one run, and the orders that are drawn from them: what
// its algorithm is given and does not save itself.
type draws struct {
	settings settings
	it       *plan.Item
	sources  []*rand.ChaCha8
	orders   []svm.Order
}

// stream opens the random stream of a role. Neither the algorithm nor its parameters are
// among the names.
func (d *draws) stream(role string) *rand.Rand {
	pr := d.it.Problem
	source := seed.Source(d.settings.plan.Spec.Seed, pr.Data.Hash, pr.Split, d.it.Repeat, role)
	d.sources = append(d.sources, source)
	return rand.New(source)
}

// order returns the order of n training points, see newOrder.
func (d *draws) order(kind string, n int) svm.Order {
	o := newOrder(kind, n, d.stream(seed.RoleOrder))
	d.orders = append(d.orders, o)
	return o
}

// Checkpoint visits where the streams and the orders are.
func (d *draws) Checkpoint(s *checkpoint.State) {
	for _, o := range d.orders {
		s.Part(o)
	}
	for _, source := range d.sources {
		b, err := source.MarshalBinary()
		if err != nil {
			s.Fail("a random generator: %w", err)
			return
		}
		checkpoint.List(s, &b, 1<<10)
		if s.Loads() && s.Err() == nil {
			if err := source.UnmarshalBinary(b); err != nil {
				s.Fail("a random generator: %w", err)
			}
		}
	}
}

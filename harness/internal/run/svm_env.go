package run

import (
	"context"
	"math/rand/v2"
	"time"

	"stochopt/algorithms/kernel"
	"stochopt/algorithms/svm"
	"stochopt/datasets"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/seed"
)

// env is what the constructor is given.
func (r *svmRun) env(ctx context.Context) registry.SVMEnv {
	sh, start := r.shared, time.Now()
	stream := func(role string) svmStream { return svmStream{root: r.settings.seed, item: r.it, role: role} }
	return registry.SVMEnv{
		Kernel: func() svm.Problem {
			r.rows = r.open()
			return svm.Problem{Rows: r.rows, Positive: sh.layout.Positive}
		},
		Linear: func() svm.LinearProblem {
			return svm.LinearProblem{Features: sh.points.Features(sh.layout.Train), Positive: sh.layout.Positive}
		},
		Vectors: func() (kernel.Vectors, int, int) {
			return vectors{Table: r.it.Problem.Data.Table, rows: sh.order}, sh.layout.Train, sh.layout.Positive
		},
		Context: ctx,
		Clock:   func() float64 { return time.Since(start).Seconds() },
		Lambda:  r.reg.Lambda, Nu: r.reg.Nu, R: r.reg.R, Bias: r.reg.Bias,
		Kern:  sh.kern,
		Order: func(kind string) svm.Order { return newOrder(kind, sh.layout.Train, stream(seed.RoleOrder).rand()) },
		Rand:  func(role string) *rand.Rand { return stream(role).rand() },
	}
}

// open opens a reader that is closed when the run is over.
func (r *svmRun) open() *kernel.Reader {
	reader := r.cache.Reader()
	r.mu.Lock()
	r.readers[r.it] = append(r.readers[r.it], reader)
	r.mu.Unlock()
	return reader
}

// svmStream names a random stream of a run. Neither the algorithm nor the
// problem's parameters are among the names.
type svmStream struct {
	root uint64
	item *plan.Item
	role string
}

func (s svmStream) rand() *rand.Rand {
	pr := s.item.Problem
	return seed.Stream(s.root, pr.Data.Hash, pr.Split, s.item.Repeat, s.role)
}

// newOrder returns the stream of training indices of a kind: "pass", each of
// the n once a pass in random order, or "uniform", independent draws.
func newOrder(kind string, n int, rng *rand.Rand) svm.Order {
	if kind == "pass" {
		o := &passOrder{rng: rng, perm: make([]int, n), next: n}
		for i := range o.perm {
			o.perm[i] = i
		}
		return o
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

// vectors are rows of a table in another order.
type vectors struct {
	*datasets.Table
	rows []int
}

var _ kernel.Vectors = vectors{}

// Dims implements kernel.Vectors.
func (v vectors) Dims() (n, d int) { return len(v.rows), v.D }

// Row implements kernel.Vectors.
func (v vectors) Row(i int) []float64 { return v.Table.Row(v.rows[i]) }

// RowNonZero implements kernel.Vectors.
func (v vectors) RowNonZero(i int) (indices []int32, values []float64) {
	return v.Table.RowNonZero(v.rows[i])
}

package sparsetest

import (
	"fmt"
	"math"
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/sparse"
)

// published holds the constructed vectors of all expansions, to detect changes.
type published struct {
	seen    map[*float64]bool
	vectors [][2][]float64 // the vector and a copy
}

// add adds the vectors of e. It returns false if an earlier vector has changed.
func (p *published) add(e *sparse.Expansion) bool {
	if p.seen == nil {
		p.seen = map[*float64]bool{}
	}
	for _, v := range p.vectors {
		if !suite.SameBits(v[0], v[1]) {
			return false
		}
	}
	for _, z := range e.Vectors {
		if len(z) > 0 && !p.seen[&z[0]] {
			p.seen[&z[0]] = true
			p.vectors = append(p.vectors, [2][]float64{z, slices.Clone(z)})
		}
	}
	return true
}

// checkExpansion checks that the expansion of l is well formed and agrees with Support.
func checkExpansion(t reporter, c Case, l sparse.Learner, n, dim int) *sparse.Expansion {
	t.Helper()
	e, step := expansion.Of(l), l.Cost().Iterations
	if len(e.Index) != len(e.Coef) || len(e.Vectors) != 0 && len(e.Vectors) != len(e.Coef) {
		t.Fatalf("after %d steps: %d indices, %d vectors and %d coefficients",
			step, len(e.Index), len(e.Vectors), len(e.Coef))
	}
	if got := l.Support(); got != len(e.Coef) {
		t.Fatalf("after %d steps: Support() = %d, but the expansion has %d coefficients",
			step, got, len(e.Coef))
	}
	if c.Most > 0 && len(e.Coef) > c.Most {
		t.Fatalf("after %d steps: %d expansion vectors, want at most %d", step, len(e.Coef), c.Most)
	}
	seen := make([]bool, n)
	for k, i := range e.Index {
		z := vector(e, k)
		switch {
		case i < -1 || i >= n:
			t.Fatalf("after %d steps: point %d is out of range [0, %d)", step, i, n)
		case i == -1 && !c.Constructs:
			t.Fatalf("after %d steps: entry %d is not a training point", step, k)
		case i == -1 && len(z) != dim:
			t.Fatalf("after %d steps: the vector of entry %d has length %d, want %d", step, k, len(z), dim)
		case i >= 0 && z != nil:
			t.Fatalf("after %d steps: entry %d is point %d, but also has a vector", step, k, i)
		case i >= 0 && seen[i]:
			t.Fatalf("after %d steps: point %d appears twice", step, i)
		case i >= 0:
			seen[i] = true
		}
		for _, v := range z {
			if v-v != 0 {
				t.Fatalf("after %d steps: the vector of entry %d is not finite", step, k)
			}
		}
		if v := e.Coef[k]; v == 0 || v-v != 0 {
			t.Fatalf("after %d steps: coefficient %d is %g", step, k, v)
		}
	}
	if e.Bias-e.Bias != 0 || !c.Bias && e.Bias != 0 {
		t.Fatalf("after %d steps: the bias is %g", step, e.Bias)
	}
	return e
}

// checkExpansions checks that every classifier of a run is well formed and that its vectors do not
// change. For a sparse.BoundedSupport learner it also checks SupportBounds and PreviousTo.
func checkExpansions(t reporter, c Case) {
	p := overlapping()
	l, _ := fresh(t, c, p)
	bounded, ok := l.(sparse.BoundedSupport)
	var vectors published
	for stop, step := false, 0; ; step++ {
		e := checkExpansion(t, c, l, len(p.X), len(p.X[0]))
		if !vectors.add(e) {
			t.Fatalf("after %d steps: a vector of an earlier expansion has changed", l.Cost().Iterations)
		}
		if stop || step == c.lookahead() {
			return
		}
		var least, most int
		if ok {
			least, most = bounded.SupportBounds()
		}
		stop = suite.MustAdvance(t, l, 1).Stop()
		if stop || !ok {
			continue
		}
		if s := l.Support(); s < least || s > most {
			t.Fatalf("after %d steps: support %d, want it in [%d, %d]",
				l.Cost().Iterations, s, least, most)
		}
		if bounded.KeepsPrevious() {
			previous := new(sparse.Expansion)
			if bounded.PreviousTo(previous); !expansion.Same(previous, e) {
				t.Fatalf("after %d steps: PreviousTo differs from the previous classifier", l.Cost().Iterations)
			}
		}
	}
}

// moment holds the values that a learner reports about itself.
type moment struct {
	support int
	final   bool
	cost    algorithms.Cost
}

func momentOf(l sparse.Learner) any { return moment{l.Support(), l.Final(), l.Cost()} }

// checkReproducible checks that the same seeds give the same bits.
func checkReproducible(t reporter, c Case) {
	expansion.Reproducible(t, 2, func(int) sparse.Learner {
		l, _ := fresh(t, c, overlapping())
		return l
	}, c.lookahead(), momentOf)
}

// checkPassive checks that ExpansionTo, Support and Final do not change the run and fetch nothing.
func checkPassive(t reporter, c Case) {
	expansion.Passive(t, func() (sparse.Learner, func() any) {
		l, w := fresh(t, c, overlapping())
		return l, func() any {
			if f := w.take(); f != (Fetched{}) {
				return f
			}
			return nil
		}
	}, c.lookahead(), momentOf)
}

// checkDestinations checks that the previous contents of the destination of ExpansionTo do not matter,
// and that later steps do not change it.
func checkDestinations(t reporter, c Case) {
	l, _ := fresh(t, c, overlapping())
	expansion.Destinations(t, l, []int{0, 1, 2, c.lookahead() / 2}, func(*sparse.Expansion) map[string]*sparse.Expansion {
		dirty := map[string]*sparse.Expansion{}
		for _, length := range []int{1, 3, 200} {
			e := &sparse.Expansion{Bias: 7}
			for k := range length {
				e.Index, e.Coef = append(e.Index, k-1), append(e.Coef, math.NaN())
				e.Vectors = append(e.Vectors, []float64{math.NaN()})
			}
			dirty[fmt.Sprint(length, " entries")] = e
		}
		return dirty
	})
}

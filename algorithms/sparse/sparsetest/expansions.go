package sparsetest

import (
	"math"
	"slices"

	"stochopt/algorithms/internal/suite"
	"stochopt/algorithms/sparse"
)

// published keeps the constructed vectors that have been in an expansion, to see
// whether they change.
type published struct {
	seen map[*float64]bool
	was  [][2][]float64 // as given and as it was
}

// add notes the vectors of e and returns false if an earlier one has changed.
func (p *published) add(e *sparse.Expansion) bool {
	if p.seen == nil {
		p.seen = map[*float64]bool{}
	}
	for _, v := range p.was {
		if !suite.SameBits(v[0], v[1]) {
			return false
		}
	}
	for _, z := range e.Vectors {
		if len(z) > 0 && !p.seen[&z[0]] {
			p.seen[&z[0]] = true
			p.was = append(p.was, [2][]float64{z, slices.Clone(z)})
		}
	}
	return true
}

// checkExpansion: what ExpansionTo writes makes sense by itself and agrees with
// Support.
func checkExpansion(t reporter, c Case, l sparse.Learner, n, dim int) *sparse.Expansion {
	t.Helper()
	e, step := expansion(l), l.Cost().Iterations
	if len(e.Index) != len(e.Coef) || len(e.Vectors) != 0 && len(e.Vectors) != len(e.Coef) {
		t.Fatalf("after %d steps: %d indices, %d vectors and %d coefficients", step, len(e.Index), len(e.Vectors), len(e.Coef))
	}
	if got := l.Support(); got != len(e.Coef) {
		t.Fatalf("after %d steps: Support() = %d, and the expansion has %d coefficients", step, got, len(e.Coef))
	}
	if c.Most > 0 && len(e.Coef) > c.Most {
		t.Fatalf("after %d steps: %d expansion vectors, of which %d are allowed", step, len(e.Coef), c.Most)
	}
	seen := make([]bool, n)
	for k, i := range e.Index {
		z := vector(e, k)
		switch {
		case i < -1 || i >= n:
			t.Fatalf("after %d steps: there is no point %d among %d", step, i, n)
		case i == -1 && !c.Virtual:
			t.Fatalf("after %d steps: entry %d is no training point", step, k)
		case i == -1 && len(z) != dim:
			t.Fatalf("after %d steps: the vector of entry %d has length %d, want %d", step, k, len(z), dim)
		case i >= 0 && z != nil:
			t.Fatalf("after %d steps: entry %d is point %d and has a vector as well", step, k, i)
		case i >= 0 && seen[i]:
			t.Fatalf("after %d steps: point %d is there twice", step, i)
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

// checkExpansions: every classifier of a run is well formed, and vectors do not
// change.
func checkExpansions(t reporter, c Case) {
	p := overlapping()
	l, _ := fresh(t, c, p)
	var vectors published
	for range c.lookahead() {
		if !vectors.add(checkExpansion(t, c, l, len(p.X), len(p.X[0]))) {
			t.Fatalf("after %d steps: a vector that was in an expansion has changed", l.Cost().Iterations)
		}
		if suite.AdvanceWell(t, l, 1).Stop() {
			break
		}
	}
	if !vectors.add(checkExpansion(t, c, l, len(p.X), len(p.X[0]))) {
		t.Fatalf("after %d steps: a vector that was in an expansion has changed", l.Cost().Iterations)
	}
}

// checkReproducible: the same seeds give the same bits.
func checkReproducible(t reporter, c Case) {
	type moment struct {
		support int
		settled bool
	}
	var moments []moment
	var want *sparse.Expansion
	a, _ := fresh(t, c, overlapping())
	for range c.lookahead() {
		if suite.AdvanceWell(t, a, 1).Stop() {
			break
		}
		moments = append(moments, moment{a.Support(), a.Settled()})
	}
	want = expansion(a)
	b, _ := fresh(t, c, overlapping())
	for _, m := range moments {
		suite.AdvanceWell(t, b, 1)
		if got := (moment{b.Support(), b.Settled()}); got != m {
			t.Fatalf("after %d steps of another run with the same seeds: %+v, and in the first one %+v", b.Cost().Iterations, got, m)
		}
	}
	if len(moments) < c.lookahead() {
		suite.AdvanceWell(t, b, 1)
	}
	if !sameExpansion(expansion(b), want) || a.Cost() != b.Cost() {
		t.Errorf("another run with the same seeds: not the same bits")
	}
}

// checkPassive: ExpansionTo, Support and Settled do not change the run, fetch
// nothing, and give away nothing that belongs to the learner.
func checkPassive(t reporter, c Case) {
	steps := c.lookahead()
	l, _ := fresh(t, c, overlapping())
	suite.AdvanceWell(t, l, steps)
	want := expansion(l)
	l, w := fresh(t, c, overlapping())
	var e sparse.Expansion
	for range steps {
		stop := suite.AdvanceWell(t, l, 1).Stop()
		w.take()
		support, settled := l.Support(), l.Settled()
		l.ExpansionTo(&e)
		if f := w.take(); f != (Fetched{}) {
			t.Fatalf("after %d steps: ExpansionTo, Support and Settled fetched %+v", l.Cost().Iterations, f)
		}
		first := cloned(&e)
		for k := range e.Coef {
			e.Coef[k], e.Index[k] = math.NaN(), -7
		}
		clear(e.Vectors)
		l.ExpansionTo(&e)
		if !sameExpansion(first, &e) {
			t.Fatalf("after %d steps: a second ExpansionTo is not the same as the first", l.Cost().Iterations)
		}
		if l.Support() != support || l.Settled() != settled {
			t.Fatalf("after %d steps: ExpansionTo changes Support or Settled", l.Cost().Iterations)
		}
		if stop {
			break
		}
	}
	if !sameExpansion(&e, want) {
		t.Errorf("a run is not the same when ExpansionTo is called at every step")
	}
}

// checkDestinations: whatever was in an Expansion does not matter, and a later
// step does not change it.
func checkDestinations(t reporter, c Case) {
	l, _ := fresh(t, c, overlapping())
	for _, n := range []int{0, 1, 2, c.lookahead() / 2} {
		stop := suite.AdvanceWell(t, l, n).Stop()
		want := expansion(l)
		for _, length := range []int{1, 3, 200} {
			dirty := &sparse.Expansion{Bias: 7}
			for k := range length {
				dirty.Index, dirty.Coef = append(dirty.Index, k-1), append(dirty.Coef, math.NaN())
				dirty.Vectors = append(dirty.Vectors, []float64{math.NaN()})
			}
			coef := dirty.Coef
			l.ExpansionTo(dirty)
			if !sameExpansion(want, dirty) {
				t.Fatalf("after %d steps: ExpansionTo one with %d entries is not the same as to an empty one", l.Cost().Iterations, length)
			}
			if len(want.Coef) > 0 && len(want.Coef) <= length && &coef[0] != &dirty.Coef[0] {
				t.Errorf("ExpansionTo did not reuse slices that are long enough")
			}
		}
		if stop {
			return
		}
	}
	kept := expansion(l)
	copied := cloned(kept)
	if !suite.AdvanceWell(t, l, 1).Stop() {
		suite.AdvanceWell(t, l, 4)
	}
	if !sameExpansion(kept, copied) {
		t.Errorf("a later step changed an expansion that ExpansionTo had written")
	}
}

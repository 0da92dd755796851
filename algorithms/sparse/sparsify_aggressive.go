package sparse

import (
	"slices"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/rows"
	"stochopt/algorithms/internal/vec"
	"stochopt/algorithms/svm"
)

// SparsifyAggressive is Sparsify that makes more of the vectors it has: only when
// the constraints of all of them hold to within Epsilon does it admit another one,
// the most violating point of all. While one does not, it takes a step on the
// expansion vector that violates its own most. It converges when f(w~) <= Epsilon.
//
// If the bias is learned, the steps are on pairs: first on the pair of expansion
// vectors that violates most, with the best bias for the expansion vectors alone,
// until that is at most Epsilon; then a single vector is admitted, the one of
// either class that violates most together with an expansion vector of the other;
// and only if no such pair violates by more than Epsilon, both points of the most
// violating pair are.
//
// Each of these steps is on a constraint, or on a pair, that is violated by more
// than Epsilon. That is all the bound on the number of steps of Sparsify needs, so
// that it holds here too, steps on old vectors included: where Eta < 2 Epsilon the
// method comes to an end. With larger steps it does so as well as long as every
// h_i > 0, as the perceptron does, but at a rate that depends on the least h_i, and
// it may go back and forth between a few vectors for very long. Meanwhile Settled
// is false, and whoever steps has to bound the number of steps; the classifier is
// that of the moment.
//
// It takes what Sparsify takes, and is charged the same for a step, whether it
// admits a vector or not. A step on old vectors costs O(k) for k expansion vectors:
// only their responses are kept up to date, and those of the other points are
// brought up to date when the expansion vectors' constraints hold.
//
// Source: Cotter 2013, section 3.5.1, full text read. As printed a support vector is
// stepped on when its constraint holds, "h_i - <w~, Phi(x_i)> <= epsilon", which would
// never end; the sign is the other way round, and y_i is missing. Left open there:
// which of the violating expansion vectors is stepped on, and all about pairs.
type SparsifyAggressive struct {
	mimicry
	own     []float64 // k, the residuals of the expansion vectors
	up, low []int8    // k, masks of the expansion vectors of each class
	best    extremes  // of own, as positions
	owed    []float64 // k, what the residuals of all points lack, as coefficients
	gram    gramCache
	settled bool
}

var _ Valued = (*SparsifyAggressive)(nil)

// NewSparsifyAggressive returns the method at w~ = 0. The errors are those of
// NewSparsify.
func NewSparsifyAggressive(cfg SparsifyConfig, p svm.Problem, ref *Reference) (*SparsifyAggressive, error) {
	s := &SparsifyAggressive{settled: true, gram: gramCache{room: gramEntries}}
	if err := s.init("sparsify-aggressive", cfg, p, ref); err != nil {
		return nil, err
	}
	s.compare()
	return s, nil
}

// Step implements algorithms.Stepper. It converges when f(w~) <= Epsilon, or when
// the expansion vectors' constraints hold and another step would need more than
// Most of them.
func (s *SparsifyAggressive) Step() algorithms.Status { return s.once(s.step) }

func (s *SparsifyAggressive) step() algorithms.Status {
	var status algorithms.Status
	if s.settled {
		status = s.admit()
	} else {
		status = s.reuse()
	}
	if status.Stop() {
		return status
	}
	if s.violation(s.best) > s.cfg.Epsilon {
		s.settled = false
		return status
	}
	s.settle()
	if s.settled = s.violation(s.best) <= s.cfg.Epsilon; !s.settled {
		return status // for rounding
	}
	return s.finished(s.next())
}

// next returns the points of the next step once the expansion vectors' constraints
// hold.
func (s *SparsifyAggressive) next() (i, j int) {
	if !s.cfg.Relearn || len(s.support) == 0 {
		return s.working(s.found)
	}
	positive, negative := (s.best.most-s.found.least)/2, (s.found.most-s.best.least)/2
	switch {
	case max(positive, negative) <= s.cfg.Epsilon:
		return s.working(s.found)
	case positive >= negative:
		return s.found.i, int(s.support[s.best.j])
	}
	return int(s.support[s.best.i]), s.found.j
}

// admit takes a step on points of which at least one is new, if there is one that
// violates.
func (s *SparsifyAggressive) admit() algorithms.Status {
	i, j := s.next()
	if status := s.finished(i, j); status.Stop() {
		return status
	}
	if status := s.ready(i, j); status.Stop() {
		return status
	}
	s.add(i, s.cfg.Eta, j, s.cfg.Eta)
	s.raise(i, j, s.cfg.Eta)
	for _, i := range s.support[len(s.own):] {
		s.own, s.owed = append(s.own, 0), append(s.owed, 0)
		s.up, s.low = append(s.up, s.mimicry.up[i]), append(s.low, s.mimicry.low[i])
	}
	s.compare()
	return algorithms.Status{}
}

// compare takes the residuals of the expansion vectors from those of all points.
func (s *SparsifyAggressive) compare() {
	for p, i := range s.support {
		s.own[p] = s.residual[i]
	}
	s.best.i, s.best.least = vec.ArgMinIf(s.own, s.up)
	s.best.j, s.best.most = vec.ArgMaxIf(s.own, s.low)
}

// reuse takes a step on expansion vectors.
func (s *SparsifyAggressive) reuse() algorithms.Status {
	p, q := s.working(s.best)
	i, j := -1, -1
	var k, l []float32
	var a, b float64
	if p >= 0 {
		i, a = int(s.support[p]), s.cfg.Eta
	}
	if q >= 0 {
		j, b = int(s.support[q]), -s.cfg.Eta
	}
	if status := s.ready(i, j); status.Stop() {
		return status
	}
	if p >= 0 {
		k = s.gram.row(p, s.support, &s.rows)
		s.owed[p] += a
		l = k
	}
	if q >= 0 {
		l = s.gram.row(q, s.support, &s.rows)
		s.owed[q] += b
		if p < 0 {
			k = l
		}
	}
	e := &s.best
	e.i, e.least, e.j, e.most = vec.AddScaledPairExtremes(s.own, a, k, b, l, s.up, s.low)
	s.raise(i, j, s.cfg.Eta)
	return algorithms.Status{}
}

// settle brings the residuals of all points up to date. It costs O(n) and a kernel
// row for each expansion vector that has been stepped on.
func (s *SparsifyAggressive) settle() {
	last, found := -1, false // the first of two is kept until the second turns up
	for p, a := range s.owed {
		switch {
		case a == 0:
			continue
		case last < 0:
			last, found = p, true
			continue
		}
		vec.AddScaledPair(s.residual, s.owed[last], s.rows.Row(int(s.support[last])), a, s.rows.Row(int(s.support[p])))
		s.owed[last], s.owed[p], last = 0, 0, -1
	}
	if last >= 0 {
		vec.AddScaled(s.residual, s.owed[last], s.rows.Row(int(s.support[last])))
		s.owed[last] = 0
	}
	if found {
		s.search()
		s.compare()
	}
}

// Settled implements Learner: it reports whether the constraints of all expansion
// vectors hold to within Epsilon, so that the next step admits another one.
func (s *SparsifyAggressive) Settled() bool { return s.settled }

// Value returns f(w~), and while the classifier is not settled the maximum over the
// constraints of the expansion vectors alone, which is not above it. It costs O(1).
func (s *SparsifyAggressive) Value() float64 {
	if s.settled {
		return s.violation(s.found)
	}
	return s.violation(s.best)
}

// ExpansionTo implements Learner. While the classifier is not settled, a bias that
// is learned is the best one for the expansion vectors alone.
func (s *SparsifyAggressive) ExpansionTo(e *Expansion) {
	if s.settled {
		s.write(e, s.offset(s.found))
		return
	}
	s.write(e, s.offset(s.best))
}

// gramEntries is the room of a gramCache: 64 MiB.
const gramEntries = 1 << 24

// AggressiveBytes returns a bound on the memory for the kernel between expansion
// vectors that SparsifyAggressive takes for n training points.
func AggressiveBytes(n int) int64 {
	// Slices grow to at most twice what is in them.
	return 2 * 4 * min(gramEntries, int64(n)*int64(n))
}

// gramCache holds the kernel between expansion vectors, a row for each vector that
// was asked for as long as there is room.
type gramCache struct {
	rows    [][]float32
	scratch [2][]float32
	turn    int
	room    int // for so many entries more
}

// row returns K(z_p, z_q) for all expansion vectors z_q. The two rows returned last
// are valid.
func (g *gramCache) row(p int, support []int32, matrix rows.Source) []float32 {
	k := len(support)
	for len(g.rows) < k {
		g.rows = append(g.rows, nil)
	}
	own := g.rows[p]
	if len(own) == k {
		return own
	}
	full := matrix.Row(int(support[p]))
	missing := k - len(own)
	if missing > g.room {
		g.turn = 1 - g.turn
		out := slices.Grow(g.scratch[g.turn][:0], k)
		for _, i := range support {
			out = append(out, full[i])
		}
		g.scratch[g.turn] = out
		return out
	}
	g.room -= missing
	for _, i := range support[len(own):] {
		own = append(own, full[i])
	}
	g.rows[p] = own
	return own
}

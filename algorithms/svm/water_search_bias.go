package svm

import (
	"math"
	"math/rand/v2"

	"stochopt/algorithms/internal/vec"
)

// sampleTwo is sample with a bias: a class first, then one of its points.
func (w *water) sampleTwo(volume float64, rng *rand.Rand) int {
	if !w.levels(volume) {
		return -1
	}
	return w.sampleClass(rng.IntN(2), rng)
}

// samplePair returns a point of each class, drawn from p* given the class, or
// -1 twice if NaN leaves no such distribution.
func (w *water) samplePair(volume float64, rng *rand.Rand) (pos, neg int) {
	if !w.levels(volume) {
		return -1, -1
	}
	pos = w.sampleClass(0, rng)
	return pos, w.sampleClass(1, rng)
}

// sampleClass draws a point of a class, given the levels. With m points of each
// class under water every one has the probability 1/m, and the points at the
// surface share what is left.
func (w *water) sampleClass(c int, rng *rand.Rand) int {
	m := max(1, w.basins[0].near.under, w.basins[1].near.under)
	offset := 0
	if c == 1 {
		offset = len(w.basins[0].u)
	}
	u, sign, s := w.basins[c].u, w.basins[c].sign, &w.basins[c].near
	if r := rng.IntN(m); r < s.under {
		return offset + vec.NthBelow(u, sign, s.level, r)
	}
	if s.touching == 0 {
		// Rounding has put a surface between points that it should touch.
		return offset + vec.NthBelow(u, sign, s.level, rng.IntN(s.under))
	}
	return offset + nthEqual(u, sign*s.level, rng.IntN(s.touching))
}

// nthEqual returns the index of the r-th element equal to v.
func nthEqual(u []float64, v float64, r int) int {
	for i, x := range u {
		if x == v {
			if r == 0 {
				return i
			}
			r--
		}
	}
	panic("svm: fewer points at the surface than were counted")
}

// levels finds both levels, what is under and at them, and the guesses for the
// next search. It reports false if there is a NaN.
//
// First only heights that are so low that they might be under water now are
// looked at, then all; and of these only what would be if all water were in
// their class, which no level exceeds.
func (w *water) levels(volume float64) bool {
	if volume == 0 {
		return w.levelsDry()
	}
	if !w.known {
		w.pass()
	}
	w.known = false
	start := [2]pass{w.basins[0].pass, w.basins[1].pass}
	for _, try := range [3]struct{ reach, volume float64 }{{w.reach, volume}, {math.Inf(1), volume}, {math.Inf(1), math.Inf(1)}} {
		n := 0
		for c := range w.basins {
			b := &w.basins[c]
			b.pass = start[c]
			b.bound = b.guess + try.reach
			b.keepBelow(b.u, b.sign, b.bound)
			b.lower(try.volume)
			n += len(b.low)
		}
		if n > few && w.levelsNear(volume) || w.levelsOf(volume) {
			return true
		}
	}
	return false
}

// levelsNear finds the levels from bands around guesses that are improved until
// they are close.
func (w *water) levelsNear(volume float64) bool {
	p, q := &w.basins[0], &w.basins[1]
	for range guesses {
		m := w.predict(volume)
		if !(m > 0) {
			return false
		}
		if max(math.Abs(m-float64(p.count)), math.Abs(m-float64(q.count))) > bandPoints {
			p.improve(m)
			q.improve(m)
			continue
		}
		for _, points := range [2]float64{2 * bandPoints, 16 * bandPoints} {
			p.extract(points)
			q.extract(points)
			if w.meet(volume) {
				return true
			}
		}
		return false
	}
	return false
}

// levelsOf finds the levels by selection among the low heights.
func (w *water) levelsOf(volume float64) bool {
	p, q := &w.basins[0], &w.basins[1]
	if len(p.low) == 0 || len(q.low) == 0 {
		return false
	}
	lowP, lowQ := p.fromZero(), q.fromZero()
	_, rise, x, y := meetTwo(p.low, q.low, volume)
	if !p.holds(lowP, rise, x) || !q.holds(lowQ, rise, y) {
		return false
	}
	levelP, levelQ := share(rise, x, y)
	p.survey(lowP, lowP+x.top, lowP+levelP)
	q.survey(lowQ, lowQ+y.top, lowQ+levelQ)
	return true
}

// levelsDry is levels without water: the levels are the lowest heights.
func (w *water) levelsDry() bool {
	for c := range w.basins {
		b := &w.basins[c]
		s := &b.near
		s.level, s.touching = vec.Min(b.u, b.sign)
		s.under = 0
		if s.touching == 0 {
			return false
		}
	}
	return true
}

// predict returns the number of points under water of each class that follows
// from the counts below the guesses: if k of the heights are below the guess
// and there are density more per unit, then m are below guess + (m-k)/density,
// and that both basins hold the volume determines m.
func (w *water) predict(volume float64) (m float64) {
	var num, den float64
	for c := range w.basins {
		b := &w.basins[c]
		k := float64(b.count)
		volume -= float64(k*b.guess) - b.sum
		num += k * k / b.near.density
		den += k / b.near.density
	}
	m = (volume + num) / den
	return max(1, min(m, float64(len(w.basins[0].u)), float64(len(w.basins[1].u))))
}

// meet finds the levels from the bands. It reports false if they do not reach
// far enough.
//
// The number m of points of each class under water is the largest for which
// W(m), the volume at which the m-th lowest of each are reached, is no more
// than the volume; see fillTwo.
func (w *water) meet(volume float64) bool {
	p, q := &w.basins[0], &w.basins[1]
	x, y := &p.near, &q.near
	first := max(x.below, y.below) + 1
	last := min(x.below+len(x.heights), y.below+len(y.heights))
	if first > last {
		return false
	}
	sum := x.sumTo(first-1) + y.sumTo(first-1)
	m, atM := 0, 0.0
	for k := first; k <= last; k++ {
		a, b := x.height(k), y.height(k)
		sum += a + b
		// W(1) = 0 whatever its rounding.
		if k > 1 && !(float64(float64(k)*(a+b))-sum <= volume) {
			break
		}
		m, atM = k, sum
	}
	if m == 0 {
		return false
	}
	topP, topQ := x.height(m), y.height(m)
	rise := max(0, (volume+atM)/float64(m)-topP-topQ)
	nextP, okP := p.next(m, topP+rise)
	nextQ, okQ := q.next(m, topQ+rise)
	if !okP || !okQ {
		return false
	}
	levelP, levelQ := share(rise, step{topP, nextP}, step{topQ, nextQ})
	p.settle(topP, levelP)
	q.settle(topQ, levelQ)
	return true
}

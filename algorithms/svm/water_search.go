package svm

import (
	"math"
	"math/rand/v2"

	"stochopt/algorithms/internal/vec"
)

// water finds the water levels of one step after another, each from the one
// before, and draws points from p*. Levels and volumes are in units of the
// responses u that it is given.
type water struct {
	bias   bool
	basins [2]basin
	known  bool    // whether count and sum of the basins belong to their guesses
	under  int     // how many points the last search without a bias found under water
	reach  float64 // the most that a height has changed by since the last search
}

// basin is a class: its floor has the heights c = sign*u.
type basin struct {
	u    []float64
	sign float64
	pass
	// low are the heights below bound, in storage for all.
	low, storage []float64
	bound        float64
	near         band // with a bias only
}

// pass is the number and the sum of the heights below a guess at the level.
type pass struct {
	guess float64
	count int
	sum   float64
}

// newWater returns the water above the responses of the two classes.
func newWater(pos, neg []float64, bias bool) water {
	w := water{bias: bias, basins: [2]basin{{u: pos, sign: 1}, {u: neg, sign: -1}}}
	for c := range w.basins {
		b := &w.basins[c]
		b.storage = make([]float64, len(b.u))
		if bias {
			b.near.storage = make([]float64, len(b.u))
		}
	}
	return w
}

// sample returns a point drawn from p*, the positives counted first, or -1 if
// NaN leaves no such distribution.
func (w *water) sample(volume float64, rng *rand.Rand) int {
	if w.bias {
		return w.sampleTwo(volume, rng)
	}
	return w.sampleOne(volume, rng)
}

// sampleOne is sample without a bias: one level for both classes.
func (w *water) sampleOne(volume float64, rng *rand.Rand) int {
	p, q := &w.basins[0], &w.basins[1]
	var under int
	if volume > 0 {
		under = w.level(volume)
	}
	if under == 0 {
		// No water, or none that rounding leaves: those that are lowest.
		w.passAt(math.Nextafter(w.lowest(), math.Inf(1)))
		if under = p.count + q.count; under == 0 {
			return -1
		}
	}
	r := rng.IntN(under)
	if r < p.count {
		return vec.NthBelow(p.u, 1, p.guess, r)
	}
	return len(p.u) + vec.NthBelow(q.u, -1, q.guess, r-p.count)
}

// level finds the level at which V(level) = volume, V(t) = sum of max(0, t-c),
// and makes it the guess. It returns the number of points below.
//
// V is convex and piecewise linear: Newton's iterates are above the level from
// the first on and fall, so that only what lies below one needs to be looked
// at for the next, and the level is exact as soon as that is everything.
func (w *water) level(volume float64) int {
	p, q := &w.basins[0], &w.basins[1]
	if !w.known {
		w.pass()
	}
	w.known = false
	t := math.Inf(1)
	k := p.count + q.count
	if k > 0 {
		t = (volume + (p.sum + q.sum)) / float64(k)
	}
	if k == 0 || w.under < few {
		// The lowest point alone would hold all water.
		t = min(t, w.lowest()+volume)
	}
	p.keepBelow(p.u, p.sign, t)
	q.keepBelow(q.u, q.sign, t)
	for w.under = len(p.low) + len(q.low); w.under > 0; {
		_, x := vec.Below(p.low, 1, math.Inf(1))
		_, y := vec.Below(q.low, 1, math.Inf(1))
		t = (volume + (x + y)) / float64(w.under)
		p.keepBelow(p.low, 1, t)
		q.keepBelow(q.low, 1, t)
		if k = len(p.low) + len(q.low); k == w.under {
			break
		}
		w.under = k
	}
	p.guess, q.guess = t, t
	p.count, q.count = len(p.low), len(q.low)
	return w.under
}

// lowest returns the least of all heights.
func (w *water) lowest() float64 {
	p, _ := vec.Min(w.basins[0].u, w.basins[0].sign)
	q, _ := vec.Min(w.basins[1].u, w.basins[1].sign)
	return min(p, q)
}

// keepBelow makes low what is below t of the heights sign*x.
func (b *basin) keepBelow(x []float64, sign, t float64) {
	b.low = b.storage[:vec.CompressBelow(b.storage, x, sign, t)]
}

// passAt counts what is below t.
func (w *water) passAt(t float64) {
	w.basins[0].guess, w.basins[1].guess = t, t
	w.pass()
}

// pass counts what is below the guesses.
func (w *water) pass() {
	for c := range w.basins {
		b := &w.basins[c]
		b.count, b.sum = vec.Below(b.u, b.sign, b.guess)
	}
	w.known = true
}

// rise adds d times a row to the responses u of all points, the classes first,
// and e times it to v, and makes the first pass of the next search. No element
// of the row is larger than most.
func (w *water) rise(u []float64, d float64, v []float64, e float64, row []float32, most float64) {
	w.reach = math.Abs(d) * most
	for c := range w.basins {
		b := &w.basins[c]
		n := len(b.u)
		b.count, b.sum = vec.AddScaled2Below(u[:n], d, v[:n], e, row[:n], b.sign, b.guess)
		u, v, row = u[n:], v[n:], row[n:]
	}
	vec.AddScaled2(u, d, v, e, row)
	w.known = true
}

// risePair is rise by the difference of two rows, no element of which is larger
// than most.
func (w *water) risePair(u []float64, d float64, v []float64, e float64, row, other []float32, most float64) {
	w.reach = math.Abs(d) * most
	for c := range w.basins {
		b := &w.basins[c]
		n := len(b.u)
		b.count, b.sum = vec.AddScaledDiff2Below(u[:n], d, v[:n], e, row[:n], other[:n], b.sign, b.guess)
		u, v, row, other = u[n:], v[n:], row[n:], other[n:]
	}
	vec.AddScaledDiff2(u, d, v, e, row, other)
	w.known = true
}

// rescale follows the multiplication of the responses by s.
func (w *water) rescale(s float64) {
	if s == 1 {
		return
	}
	for c := range w.basins {
		b := &w.basins[c]
		b.guess *= s
		b.near.density /= s
	}
	w.reach *= s
	w.known = false
}

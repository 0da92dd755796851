package svm

import (
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/internal/vec"
)

// WaterLevel returns the level gamma of a volume of water above a floor of the
// heights c, one unit wide each,
//
//	sum_i max(0, gamma - c_i) = volume,
//
// the largest minimum of c + xi over xi >= 0 with 1'xi <= volume. Without water
// it is the least of the c_i. The result under is the number of points that
// the minimax distribution p* is uniform on: those with c_i < gamma, or, if
// there is no such point, those with c_i equal to the least.
//
// It does not change c. A height that is NaN, or so large that sums overflow, makes
// gamma NaN, and so does such a volume. It panics if c is empty or the volume negative.
//
// Source: Cotter 2013, section 2.3.2 and Alg. "water", which never puts the
// highest point under water and need not end: see TestErratumWater.
func WaterLevel(c []float64, volume float64) (gamma float64, under int) {
	if !checkWater(volume, c) {
		return math.NaN(), 0
	}
	if gamma, under = waterLevel(c, volume, math.Inf(1)); under == 0 {
		under = surface(c, gamma, 0)
	}
	return gamma, under
}

// maxWater bounds the heights times their number, and the volume of water.
const maxWater = math.MaxFloat64 / 8

// checkWater reports whether the sums of all heights and the volume are finite.
func checkWater(volume float64, floors ...[]float64) bool {
	ok := volume <= maxWater
	for _, c := range floors {
		if len(c) == 0 || volume < 0 {
			panic("svm: an empty floor, or a negative volume of water")
		}
		most := maxWater / float64(len(c))
		ok = ok && !slices.ContainsFunc(c, func(v float64) bool { return !(math.Abs(v) <= most) })
	}
	return ok
}

// waterLevel returns the water level, and the number of the c_i below it, by
// Newton's method on the volume below t,
//
//	V(t) = sum_i max(0, t - c_i),
//
// from t = near. V is convex and piecewise linear: from the second on the
// iterates fall, and the last one is exact.
func waterLevel(c []float64, volume, near float64) (t float64, under int) {
	if volume == 0 {
		return lowest(c), 0
	}
	under, sum := vec.Below(c, near)
	if under == 0 {
		under, sum = vec.Below(c, math.Inf(1))
	}
	for before := math.MaxInt; under > 0; before = under {
		t = (volume + sum) / float64(under)
		if under, sum = vec.Below(c, t); under >= before {
			return t, under
		}
	}
	return lowest(c), 0 // rounding leaves no water
}

// lowest returns the least c_i. Few blocks have one below those before.
func lowest(c []float64) float64 {
	low := math.Inf(1)
	for block := range slices.Chunk(c, 256) {
		if k, _ := vec.Below(block, low); k > 0 {
			low = slices.Min(block)
		}
	}
	return low
}

// surface returns the number of the c_i at the level, if under are below it.
func surface(c []float64, level float64, under int) int {
	return between(c, math.Inf(-1), math.Nextafter(level, math.Inf(1))) - under
}

// drawPoint returns a random i: each of those under water has the probability
// 1/m, and those at the surface share what is left.
func drawPoint(c []float64, level float64, under, m int, rng *rand.Rand) int {
	if m > 0 {
		if r := rng.IntN(m); r < under {
			return nth(c, r, math.Inf(-1), level)
		}
	}
	return nth(c, rng.IntN(surface(c, level, under)), level, math.Nextafter(level, math.Inf(1)))
}

// nth returns the r-th i, counted from 0, with from <= c_i < to, by bisection.
func nth(c []float64, r int, from, to float64) (i int) {
	for len(c) > 1 {
		half := len(c) / 2
		if k := between(c[:half], from, to); r < k {
			c = c[:half]
		} else {
			r, i, c = r-k, i+half, c[half:]
		}
	}
	return i
}

// between returns the number of the c_i in [from, to).
func between(c []float64, from, to float64) int {
	k, _ := vec.Below(c, to)
	if math.IsInf(from, -1) {
		return k
	}
	l, _ := vec.Below(c, from)
	return k - l
}

// WaterLevelBias returns the water level gamma and the bias b of a problem with
// an unregularized bias: the largest gamma, over all b, such that
//
//	sum_i max(0, gamma - (c_i + y_i b)) = volume,
//
// where pos and neg hold the responses c_i = y_i <w, Phi(x_i)> of the two
// classes. In terms of the levels of the two classes, gamma+ = gamma - b and
// gamma- = gamma + b, it maximises (gamma+ + gamma-)/2 under
// V+(gamma+) + V-(gamma-) = volume. At the optimum the same number of points of
// each class is under water, until a class is exhausted; then its level alone
// increases. Where that leaves b an interval, the middle of it is taken.
//
// The minimax distribution p* has mass 1/2 on each class, and under is the
// number of points of a class that it is spread over: p_i = 1/(2 under) for
// every point under water, and no more than that for those at the surface.
//
// It does not change its arguments. Numbers that are NaN, or so large that sums
// overflow, make gamma and b NaN. It panics if a class is empty or the volume negative.
//
// Source: Cotter 2013, section 2.3.5 and Alg. "water-bias", whose misprints
// TestErratumWaterBias shows.
func WaterLevelBias(pos, neg []float64, volume float64) (gamma, b float64, under int) {
	if !checkWater(volume, pos, neg) {
		return math.NaN(), math.NaN(), 0
	}
	w := newTwoLevels(pos, neg)
	w.find(volume)
	gamma, b = w.gammaAndBias()
	return gamma, b, w.spread()
}

// wideBand is the number of heights in each of two bands above which the next ones are narrower.
const wideBand = 32

// twoLevels finds the water levels gamma+ and gamma- of two classes, of one step
// after another.
type twoLevels struct {
	c       [2][]float64 // the heights
	level   [2]float64
	under   [2]int     // heights below the level
	share   float64    // of the water that is above the first class
	width   [2]float64 // of the bands that are put in order
	scratch []float64
}

func newTwoLevels(pos, neg []float64) twoLevels {
	return twoLevels{c: [2][]float64{pos, neg}, share: 0.5, scratch: make([]float64, max(len(pos), len(neg)))}
}

// find finds the levels. With both classes in increasing order, p_1 <= p_2 <= …
// and q_1 <= q_2 <= …, their sum is the water level above the heights p_k + q_k:
// water that covers m points of each class takes the volume
//
//	m (gamma+ + gamma-) - (p_1 + q_1) - … - (p_m + q_m).
//
// Only the heights in bands around the levels that the classes have with their
// last shares of the water are put in order. The widths of the bands, at first the
// mean depth of the water, follow the numbers of heights in them.
func (w *twoLevels) find(volume float64) {
	if volume == 0 {
		w.level = [2]float64{lowest(w.c[0]), lowest(w.c[1])}
		return
	}
	nearP, k := waterLevel(w.c[0], w.share*volume, w.level[0])
	nearQ, l := waterLevel(w.c[1], (1-w.share)*volume, w.level[1])
	near := [2]float64{nearP, nearQ}
	if w.width[0] == 0 {
		w.width = [2]float64{volume / float64(k+l), volume / float64(k+l)}
	}
	for !w.findWithin(volume, near) {
	}
	var sum float64
	w.under[0], sum = vec.Below(w.c[0], w.level[0])
	w.under[1], _ = vec.Below(w.c[1], w.level[1])
	w.share = min(1, max(0, (float64(w.under[0])*w.level[0]-sum)/volume))
}

// findWithin finds the levels if they are, with the next heights, in the bands around
// those given. If not, it widens the band that has fewer heights.
func (w *twoLevels) findWithin(volume float64, near [2]float64) bool {
	m, sum, p := w.around(0, near[0])
	l, sumQ, q := w.around(1, near[1])
	inP, inQ := len(p), len(q)
	for sum += sumQ; m < l && len(p) > 0; m++ {
		sum += p[0]
		p = p[1:]
	}
	for ; l < m && len(q) > 0; l++ {
		sum += q[0]
		q = q[1:]
	}
	k, most := 0, min(len(p), len(q))
	for ; k < most && (m == 0 || float64(float64(m)*(p[k]+q[k]))-sum <= volume); k++ {
		sum += p[k] + q[k]
		m++
	}
	if k == 0 || k == most {
		if k == 0 || len(p) <= len(q) {
			w.widen(0)
		}
		if k == 0 || len(q) <= len(p) {
			w.widen(1)
		}
		return false
	}
	if inP > wideBand {
		w.width[0] /= 2
	}
	if inQ > wideBand {
		w.width[1] /= 2
	}
	above := max(0, (volume+sum)/float64(m)-p[k-1]-q[k-1])
	w.level[0], w.level[1] = split(above, p[k-1:k+1], q[k-1:k+1])
	return true
}

func (w *twoLevels) widen(c int) {
	w.width[c] = 2*w.width[c] + math.SmallestNonzeroFloat64 // if it was rounded to 0, too
}

// around returns the heights of class c within its width of a level, in increasing
// order and with +Inf after the highest of all, and the number and the sum of
// those below.
func (w *twoLevels) around(c int, level float64) (below int, sum float64, in []float64) {
	width := w.width[c]
	low := w.scratch[:vec.CompressBelow(w.scratch, w.c[c], level+width)]
	below, sum = vec.Below(low, level-width)
	for _, v := range low {
		if v >= level-width {
			in = append(in, v)
		}
	}
	slices.Sort(in)
	if len(low) == len(w.c[c]) {
		in = append(in, math.Inf(1))
	}
	return below, sum, in
}

// split returns levels between x[0] and x[1] and between y[0] and y[1] that exceed
// x[0] and y[0] by d together: the middle of what is possible.
func split(d float64, x, y []float64) (levelX, levelY float64) {
	dx := min(d, x[1]-x[0])
	dy := min(d, y[1]-y[0])
	levelX = x[0] + (d+dx-dy)/2
	levelY = y[0] + (d-dx+dy)/2
	return max(x[0], min(levelX, x[1])), max(y[0], min(levelY, y[1]))
}

// draw returns a point of class c, drawn from p*.
func (w *twoLevels) draw(c int, rng *rand.Rand) int {
	return drawPoint(w.c[c], w.level[c], w.under[c], w.spread(), rng)
}

// spread returns the number of points of a class that p* is spread over.
func (w *twoLevels) spread() int { return max(1, w.under[0], w.under[1]) }

// gammaAndBias returns gamma and b.
func (w *twoLevels) gammaAndBias() (gamma, b float64) {
	return (w.level[0] + w.level[1]) / 2, (w.level[1] - w.level[0]) / 2
}

package svm

import (
	"math"
	"math/rand/v2"
	"slices"

	"stochopt/algorithms/internal/vec"
)

// WaterLevel returns the level gamma of a volume of water above a floor of heights c, each of width 1,
//
//	sum_i max(0, gamma - c_i) = volume.
//
// gamma is the maximum over xi >= 0 with 1'xi <= volume of min_i (c_i + xi_i). For volume 0 it is the
// least c_i. The minimax distribution p* is uniform on the points with c_i < gamma or, without such
// points, on the points with the least c_i. under is their number.
//
// WaterLevel does not modify c. gamma is NaN if a height or the volume is NaN, or if a sum would
// overflow. It panics if c is empty or the volume is negative.
//
// Source: Cotter 2013, section 2.3.2 and Alg. "water", which never puts the highest point under water
// and need not end: see TestErratumWater.
func WaterLevel(c []float64, volume float64) (gamma float64, under int) {
	if !checkWater(volume, c) {
		return math.NaN(), 0
	}
	if gamma, under = waterLevel(c, volume, math.Inf(1)); under == 0 {
		under = surface(c, gamma, 0)
	}
	return gamma, under
}

// maxWater bounds the volume of water, and the heights times their number.
const maxWater = math.MaxFloat64 / 8

// checkWater reports whether the sums of all heights and the volume are finite.
func checkWater(volume float64, floors ...[]float64) bool {
	ok := volume <= maxWater
	for _, c := range floors {
		if len(c) == 0 || volume < 0 {
			panic("svm: an empty floor, or a negative volume of water")
		}
		limit := maxWater / float64(len(c))
		ok = ok && !slices.ContainsFunc(c, func(v float64) bool { return !(math.Abs(v) <= limit) })
	}
	return ok
}

// waterLevel returns the water level and the number of the c_i below it. It applies Newton's method to
// the volume below t,
//
//	V(t) = sum_i max(0, t - c_i),
//
// from t = near. V is convex and piecewise linear, so the iterates decrease from the second on, and the
// last one is exact.
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
	return lowest(c), 0 // the volume is negligible
}

// lowest returns the least c_i. It computes the minimum only of the few blocks that lower it.
func lowest(c []float64) float64 {
	low := math.Inf(1)
	for block := range slices.Chunk(c, 256) {
		if k, _ := vec.Below(block, low); k > 0 {
			low = slices.Min(block)
		}
	}
	return low
}

// surface returns the number of points at the level, given the number below it.
func surface(c []float64, level float64, under int) int {
	return between(c, math.Inf(-1), math.Nextafter(level, math.Inf(1))) - under
}

// drawPoint draws a point: each of those under water has the probability 1/spread, and the points at the
// surface share the rest.
func drawPoint(c []float64, level float64, under, spread int, rng *rand.Rand) int {
	if spread > 0 {
		if r := rng.IntN(spread); r < under {
			return nth(c, r, math.Inf(-1), level)
		}
	}
	return nth(c, rng.IntN(surface(c, level, under)), level, math.Nextafter(level, math.Inf(1)))
}

// nth returns the rth i, counted from 0, with from <= c_i < to, by bisection.
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

// WaterLevelBias returns the water level gamma and the bias b of a problem with an unregularised bias:
// the largest gamma over all b with
//
//	sum_i max(0, gamma - (c_i + y_i b)) = volume,
//
// where pos and neg hold the responses c_i = y_i <w, Phi(x_i)> of the two classes. The levels of the
// classes are gamma+ = gamma - b and gamma- = gamma + b, so it maximises (gamma+ + gamma-)/2 subject to
// V+(gamma+) + V-(gamma-) = volume. At the optimum the same number of points of each class is under
// water, until all points of a class are. From then on only the level of this class increases. If the
// optimal b form an interval, b is its midpoint.
//
// The minimax distribution p* has mass 1/2 on each class. p_i is 1/(2 under) for points under water, and
// at most that for points at the surface.
//
// WaterLevelBias does not modify its arguments. gamma and b are NaN if a number is NaN or a sum would
// overflow. It panics if a class is empty or the volume is negative.
//
// Source: Cotter 2013, section 2.3.5 and Alg. "water-bias"; TestErratumWaterBias shows its misprints.
func WaterLevelBias(pos, neg []float64, volume float64) (gamma, b float64, under int) {
	if !checkWater(volume, pos, neg) {
		return math.NaN(), math.NaN(), 0
	}
	w := newTwoLevels(pos, neg)
	w.search(volume)
	gamma, b = w.gammaAndBias()
	return gamma, b, w.spread()
}

// wideBand is the number of heights in a band above which the next band is narrower.
const wideBand = 32

// twoLevels finds the water levels gamma+ and gamma- of two classes. Each search starts from the levels
// of the previous one.
type twoLevels struct {
	c       [2][]float64 // heights
	level   [2]float64
	under   [2]int     // number of heights below the level
	share   float64    // share of the water above the first class
	width   [2]float64 // widths of the sorted bands
	scratch []float64
}

func newTwoLevels(pos, neg []float64) twoLevels {
	return twoLevels{c: [2][]float64{pos, neg}, share: 0.5, scratch: make([]float64, max(len(pos), len(neg)))}
}

// search finds the levels. Let the classes be sorted, p_1 <= p_2 <= … and q_1 <= q_2 <= …. Then
// gamma+ + gamma- is the water level above the heights p_k + q_k, because water that covers m points of
// each class has the volume
//
//	m (gamma+ + gamma-) - (p_1 + q_1) - … - (p_m + q_m).
//
// Only heights in a band of each class need to be sorted. The band is centred on the level of the class
// for its last share of the water. Its width is initially the mean depth of the water, and is adapted to
// the number of heights in the band.
func (w *twoLevels) search(volume float64) {
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
	for !w.searchBands(volume, near) {
	}
	var sum float64
	w.under[0], sum = vec.Below(w.c[0], w.level[0])
	w.under[1], _ = vec.Below(w.c[1], w.level[1])
	w.share = min(1, max(0, (float64(w.under[0])*w.level[0]-sum)/volume))
}

// searchBands finds the levels if they and the next heights are in the bands around near. Otherwise it
// widens the band with fewer heights and returns false.
func (w *twoLevels) searchBands(volume float64, near [2]float64) bool {
	m, sum, p := w.band(0, near[0])
	l, sumQ, q := w.band(1, near[1])
	inP, inQ := len(p), len(q)
	for sum += sumQ; m < l && len(p) > 0; m++ {
		sum += p[0]
		p = p[1:]
	}
	for ; l < m && len(q) > 0; l++ {
		sum += q[0]
		q = q[1:]
	}
	k, pairs := 0, min(len(p), len(q))
	for ; k < pairs && (m == 0 || float64(float64(m)*(p[k]+q[k]))-sum <= volume); k++ {
		sum += p[k] + q[k]
		m++
	}
	if k == 0 || k == pairs {
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
	w.width[c] = 2*w.width[c] + math.SmallestNonzeroFloat64 // also if it is 0
}

// band returns the sorted heights of class c within its width of level, followed by +Inf if they include
// the greatest of the class. It also returns the number and the sum of the heights below.
func (w *twoLevels) band(c int, level float64) (below int, sum float64, in []float64) {
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

// split returns levels in [x[0], x[1]] and [y[0], y[1]] that exceed x[0] and y[0] by d in total. Of the
// possible levels it returns the midpoint.
func split(d float64, x, y []float64) (levelX, levelY float64) {
	dx := min(d, x[1]-x[0])
	dy := min(d, y[1]-y[0])
	levelX = x[0] + (d+dx-dy)/2
	levelY = y[0] + (d-dx+dy)/2
	return max(x[0], min(levelX, x[1])), max(y[0], min(levelY, y[1]))
}

// draw draws a point of class c from p*.
func (w *twoLevels) draw(c int, rng *rand.Rand) int {
	return drawPoint(w.c[c], w.level[c], w.under[c], w.spread(), rng)
}

// spread returns the number of points of a class on which p* is spread.
func (w *twoLevels) spread() int { return max(1, w.under[0], w.under[1]) }

// gammaAndBias returns gamma and b.
func (w *twoLevels) gammaAndBias() (gamma, b float64) {
	return (w.level[0] + w.level[1]) / 2, (w.level[1] - w.level[0]) / 2
}

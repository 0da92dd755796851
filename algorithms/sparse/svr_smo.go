package sparse

import (
	"math"

	"stochopt/algorithms"
	"stochopt/algorithms/internal/vec"
)

// Working sets of boxQP.
//
// With a bias, beta_i rises and beta_j falls by the same delta: i is the first of
// those that rise for the least price p_i, j the first with the greatest
// (p_j - p_i)^2/q among those that fall for a price p_j, q = K_ii + K_jj - 2 K_ij
// (WSS 2 of Fan, Chen and Lin 2005, "Working set selection using second order
// information for training support vector machines",
// https://www.jmlr.org/papers/v6/fan05a.html, with one coefficient a point where
// LIBSVM has two). Where q <= 0, which rounding or a kernel that is not positive
// definite may bring, q = 1e-12.
//
// Without one, a single beta_i goes to its best value, that whose move raises D
// most, the first of equals. A move against a price v raises D by at most
// v^2/(2 K_ii): a search for those above what that leaves visits few points.

// leastCurvature replaces a q that is not positive, as in vec.SecondOrder.
const leastCurvature = 1e-12

// boxSelection is what is known about the next step.
type boxSelection struct {
	// With a bias: who rises for the least, and who falls for the greatest price;
	// -1 and +Inf or -Inf if nobody does.
	i, j            int
	least, greatest float64
	// Without one: i goes up if sign = 1, down if it is -1, and that raises D by
	// gain.
	sign, gain float64
}

// step changes coefficients and returns how many kernel rows it took. Status other
// than Running, whose reason lacks the name of the method, means that nothing was
// changed: the problem is solved to the tolerance, or cannot be.
func (q *boxQP) step(tolerance float64) (rows int, status algorithms.Status) {
	switch {
	case len(q.release) > 0:
		return q.stepRelease()
	case q.excess != 0:
		return q.stepBalance()
	case q.optimal(tolerance):
		return 0, q.solved()
	case q.bias:
		return q.stepPair()
	}
	return q.stepAlone()
}

// optimal reports whether the problem is solved to the tolerance, or as well as
// can be in floating point.
func (q *boxQP) optimal(tolerance float64) bool {
	return len(q.release) == 0 && q.excess == 0 && (q.violated <= tolerance || q.stale.Stuck)
}

func (q *boxQP) solved() algorithms.Status {
	if q.stale.Stuck {
		return boxConverged("the dual objective cannot be improved in floating point")
	}
	return boxConverged("the optimality conditions are violated by %.3g at most", q.violated)
}

func (q *boxQP) stepPair() (int, algorithms.Status) {
	i, pi := q.next.i, q.next.least
	ki, stop := q.row(i)
	if stop.Stop() {
		return 0, stop
	}
	j, pj := q.partner(i, pi, ki)
	if j < 0 {
		q.stale.Stuck = true
		return 0, q.solved()
	}
	kj, stop := q.row(j)
	if stop.Stop() {
		return 0, stop
	}
	a := lineAscent{
		slope: pj - pi, curvature: q.diag[i] + q.diag[j] - 2*float64(ki[j]),
		limit: min(q.hi[i]-q.beta[i], q.beta[j]-q.lo[j]),
		drop:  2 * q.epsilon, kinks: [2]float64{noKink, noKink},
	}
	if !(a.curvature > leastCurvature) {
		a.curvature = leastCurvature
	}
	if q.rescind[i] != 0 {
		a.kinks[0] = -q.beta[i]
	}
	if q.shed[j] != 0 {
		a.kinks[1] = q.beta[j]
	}
	delta, gain := a.climb()
	di, dj := q.move(i, delta), q.move(j, -delta)
	if di == 0 && dj == 0 {
		q.stale.Stuck = true
		return 0, q.solved()
	}
	imin, vmin, jmax, vmax := vec.AddScaledPairExtremes(q.x, di, ki, dj, kj, q.rise, q.fall)
	q.extremes(imin, vmin, jmax, vmax)
	q.stale.Add(gain, q.objective)
	return 2, algorithms.Status{}
}

// partner returns the j that promises most together with i, which rises for pi,
// and for what it falls.
func (q *boxQP) partner(i int, pi float64, ki []float32) (j int, pj float64) {
	// Not i itself, which rounding could make look worth while.
	fall, shed := q.fall[i], q.shed[i]
	q.fall[i], q.shed[i] = 0, 0
	j, gain := vec.SecondOrder(q.x, q.fall, ki, q.diag, pi+q.epsilon, q.diag[i])
	if q.positive > 0 {
		k, g := vec.SecondOrder(q.x, q.shed, ki, q.diag, pi-q.epsilon, q.diag[i])
		if k >= 0 && (g > gain || g == gain && k < j) {
			j = k
		}
	}
	q.fall[i], q.shed[i] = fall, shed
	if j < 0 {
		return -1, 0
	}
	pj = q.x[j] - q.epsilon
	if q.shed[j] != 0 {
		pj = q.x[j] + q.epsilon
	}
	if !(pj > pi) {
		return -1, 0
	}
	return j, pj
}

func (q *boxQP) stepAlone() (int, algorithms.Status) {
	i := q.next.i
	if i < 0 || !(q.next.gain > 0) {
		q.stale.Stuck = true
		return 0, q.solved()
	}
	k, stop := q.row(i)
	if stop.Stop() {
		return 0, stop
	}
	delta, gain := q.along(i, q.next.sign)
	d := q.move(i, q.next.sign*delta)
	if d == 0 {
		q.stale.Stuck = true
		return 0, q.solved()
	}
	vec.AddScaled(q.x, d, k)
	q.choose()
	q.stale.Add(gain, q.objective)
	return 1, algorithms.Status{}
}

// along returns how far beta_i should go in the direction of sign, and by how much
// that raises D: soft thresholding, clipped.
func (q *boxQP) along(i int, sign float64) (delta, gain float64) {
	a := lineAscent{curvature: q.diag[i], drop: 2 * q.epsilon, kinks: [2]float64{noKink, noKink}}
	b, x := q.beta[i], q.x[i]
	if sign > 0 {
		a.slope, a.limit = -x-q.epsilon, q.hi[i]-b
		if q.rescind[i] != 0 {
			a.slope, a.kinks[0] = -x+q.epsilon, -b
		}
	} else {
		a.slope, a.limit = x-q.epsilon, b-q.lo[i]
		if q.shed[i] != 0 {
			a.slope, a.kinks[0] = x+q.epsilon, b
		}
	}
	return a.climb()
}

// choose finds the next working set, and the violation.
func (q *boxQP) choose() {
	imin, vmin := vec.ArgMinIf(q.x, q.rise)
	jmax, vmax := vec.ArgMaxIf(q.x, q.fall)
	q.extremes(imin, vmin, jmax, vmax)
	if !q.bias {
		q.best()
		return
	}
	// 0 is in every box: where nothing can take the excess back, it is rounding.
	if q.excess > 0 && q.next.j < 0 || q.excess < 0 && q.next.i < 0 {
		q.excess = 0
	}
}

// extremes notes who rises for the least, and falls for the greatest price, given
// the least x of those that rise for x + epsilon and the greatest of those that
// fall for x - epsilon.
func (q *boxQP) extremes(i int, least float64, j int, greatest float64) {
	q.next = boxSelection{i: i, j: j, least: least + q.epsilon, greatest: greatest - q.epsilon}
	if q.negative > 0 {
		if k, v := vec.ArgMinIf(q.x, q.rescind); k >= 0 && v-q.epsilon < q.next.least {
			q.next.i, q.next.least = k, v-q.epsilon
		}
	}
	if q.positive > 0 {
		if k, v := vec.ArgMaxIf(q.x, q.shed); k >= 0 && v+q.epsilon > q.next.greatest {
			q.next.j, q.next.greatest = k, v+q.epsilon
		}
	}
	if q.bias {
		q.violated = max(0, q.next.greatest-q.next.least)
	} else {
		q.violated = max(0, q.next.greatest, -q.next.least)
	}
}

// best finds the coefficient of greatest gain.
func (q *boxQP) best() {
	i, j := q.next.i, q.next.j
	q.next.i, q.next.sign, q.next.gain = -1, 0, 0
	// The greatest violators first: they are likely to set the bar high.
	q.try(i, 1)
	q.try(j, -1)
	search := func(mask []int8, sign, epsilon float64) {
		for at := 0; at < q.n; at++ {
			// The gain by a price v is v^2/(2 K_ii) at most, and v times the width
			// of the box, up to rounding.
			const slightlyLess = 1 - 0x1p-40
			bar := slightlyLess * max(math.Sqrt(2*float64(q.next.gain*q.minDiag)), q.next.gain/q.widest)
			if at = vec.NextAbove(q.x, sign, mask, at, bar+epsilon); at < 0 {
				return
			}
			q.try(at, -sign)
		}
	}
	search(q.fall, 1, q.epsilon)
	search(q.rise, -1, q.epsilon)
	if q.positive > 0 {
		search(q.shed, 1, -q.epsilon)
	}
	if q.negative > 0 {
		search(q.rescind, -1, -q.epsilon)
	}
}

// try makes i with the direction the choice if it promises more, or as much and
// comes first.
func (q *boxQP) try(i int, sign float64) {
	if i < 0 {
		return
	}
	_, gain := q.along(i, sign)
	if gain > q.next.gain || gain == q.next.gain && gain > 0 && i < q.next.i {
		q.next.i, q.next.sign, q.next.gain = i, sign, gain
	}
}

// rebox changes the box of beta_i. If it is now outside it will be moved to the
// nearest bound, and others then to make up for it, by steps of their own. The
// caller calls settle after the last.
func (q *boxQP) rebox(i int, lo, hi float64) {
	q.lo[i], q.hi[i] = lo, hi
	q.mark(i)
	if q.beta[i] < lo || q.beta[i] > hi {
		q.release = append(q.release, i)
	}
}

func (q *boxQP) stepRelease() (int, algorithms.Status) {
	i := q.release[len(q.release)-1]
	k, stop := q.row(i)
	if stop.Stop() {
		return 0, stop
	}
	q.release = q.release[:len(q.release)-1]
	vec.AddScaled(q.x, q.put(i, min(max(q.beta[i], q.lo[i]), q.hi[i])), k)
	if len(q.release) == 0 {
		q.measureExcess()
		q.choose()
	}
	return 1, algorithms.Status{}
}

// measureExcess looks by how much the sum of the coefficients, which is 0 with a
// bias, has gone astray.
func (q *boxQP) measureExcess() {
	if !q.bias {
		return
	}
	var sum, size float64
	for _, b := range q.beta {
		sum += b
		size += math.Abs(b)
	}
	q.excess = 0
	if math.Abs(sum) > 0x1p-45*size {
		q.excess = sum
	}
}

// stepBalance takes back the excess, or as much of it as the coefficient permits
// that it costs least to change. There is one: see choose.
func (q *boxQP) stepBalance() (int, algorithms.Status) {
	i, room := q.next.j, 0.0
	if q.excess < 0 {
		i = q.next.i
	}
	k, stop := q.row(i)
	if stop.Stop() {
		return 0, stop
	}
	if q.excess > 0 {
		room = q.beta[i] - q.lo[i]
	} else {
		room = q.hi[i] - q.beta[i]
	}
	all := math.Abs(q.excess) <= room
	d := q.move(i, -math.Copysign(min(room, math.Abs(q.excess)), q.excess))
	vec.AddScaled(q.x, d, k)
	if q.excess += d; all {
		q.excess = 0
	}
	q.choose()
	return 1, algorithms.Status{}
}

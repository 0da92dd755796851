package sparse

import "math"

// lineSteps bounds the evaluations of a line search. Newton's method on a line
// ends after a few: what it solves is linear between the points where a margin
// is met.
const lineSteps = 60

// lineTolerance is the slope, relative to that at 0, at which a line search has
// found the minimum.
const lineTolerance = 1e-9

// hingeLine is the objective along a direction,
//
//	phi(t) = curvature/2 t^2 + slope t + C/2 sum_i max(0, slack_i - t s_i)^2,
//
// up to what does not depend on t.
type hingeLine struct {
	c, curvature, slope float64
	slack, s            []float64 // n
}

// at returns phi, its derivative and its second derivative at t, in one pass
// over the n points.
func (l *hingeLine) at(t float64) (phi, first, second float64) {
	var loss, d1, d2 [2]float64
	s := l.s[:len(l.slack)]
	for i, x := range l.slack {
		k := i & 1
		r := x - float64(t*s[i])
		on := ^(int64(math.Float64bits(r)) >> 63) // all ones unless r < 0: no branch to mispredict
		r = math.Float64frombits(math.Float64bits(r) & uint64(on))
		v := math.Float64frombits(math.Float64bits(s[i]) & uint64(on))
		loss[k] += float64(r * r)
		d1[k] += float64(r * v)
		d2[k] += float64(v * v)
	}
	phi = float64(t*(float64(l.curvature*t)/2+l.slope)) + float64(l.c*(loss[0]+loss[1]))/2
	first = float64(l.curvature*t) + l.slope - float64(l.c*(d1[0]+d1[1]))
	second = l.curvature + float64(l.c*(d2[0]+d2[1]))
	return phi, first, second
}

// minimise returns the t that minimises phi, and by how much phi is less there
// than at 0. It is Newton's method from the guess, kept between the points that
// are known to lie on either side of the minimum. A direction along which phi
// does not fall gives 0 and 0.
func (l *hingeLine) minimise(guess float64) (t, decrease float64) {
	start, slope, second := l.at(0)
	if slope == 0 || !(second > 0) {
		return 0, 0
	}
	lo, hi := 0.0, math.Inf(1)
	if slope > 0 {
		lo, hi = math.Inf(-1), 0
	}
	if !(guess > lo && guess < hi) {
		guess = -slope / second
	}
	next := guess
	for range lineSteps {
		t = next
		phi, first, second := l.at(t)
		decrease = start - phi
		if math.Abs(first) <= float64(lineTolerance*math.Abs(slope)) {
			break
		}
		if first < 0 {
			lo = t
		} else {
			hi = t
		}
		next = t - first/second
		if !(next > lo && next < hi) {
			next = between(lo, hi)
		}
		if next == t {
			break
		}
	}
	if !(decrease > 0) {
		return 0, 0
	}
	return t, decrease
}

// between returns a point between the bounds of a search, one of which may be
// infinite: the other is not 0 then, a point that was looked at.
func between(lo, hi float64) float64 {
	switch {
	case math.IsInf(hi, 1):
		return 2 * lo
	case math.IsInf(lo, -1):
		return 2 * hi
	}
	return lo + (hi-lo)/2
}

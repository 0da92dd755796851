package svm

import (
	"math"
	"slices"

	"stochopt/algorithms/internal/vec"
	"stochopt/internal/finite"
)

// The search for the levels of two basins needs the number and the sum of the
// heights below a band, and those in the band in order. The middle of the band
// is a guess that leaves no more than bandPoints points to the level, as far
// as can be told; so many guesses are made before the low heights are selected
// from instead.
const (
	bandPoints = 12
	guesses    = 8
	// few heights are selected from without guessing.
	few = 256
)

// band is what a basin knows of the heights around its surface.
type band struct {
	density float64 // heights per unit of height, as of the last two guesses
	storage []float64
	heights []float64 // those in the band, increasing
	high    float64   // its upper end
	below   int       // the number and the sum of the heights below it
	sum     float64

	level    float64
	under    int // heights below the level
	touching int // heights equal to the level
}

// lower lowers the bound towards the level that the volume would have in this
// basin alone, by Newton's method as long as that pays.
func (b *basin) lower(volume float64) {
	for n := len(b.low); n > 0; n = len(b.low) {
		_, sum := vec.Below(b.low, 1, math.Inf(1))
		t := (volume + sum) / float64(n)
		if !(t < b.bound) {
			return
		}
		b.bound = t
		b.keepBelow(b.low, 1, t)
		if b.guess >= t {
			_, sum = vec.Below(b.low, 1, t)
			b.pass = pass{t, len(b.low), sum}
		}
		if 8*len(b.low) > 7*n {
			return
		}
	}
}

// improve moves the guess to where m of the heights should be below.
func (b *basin) improve(m float64) {
	old := b.pass
	b.guess = min(b.bound, old.guess+(m-float64(old.count))/b.near.density)
	b.count, b.sum = vec.Below(b.low, 1, b.guess)
	if d := float64(b.count-old.count) / (b.guess - old.guess); d > 0 && finite.Is(d) {
		b.near.density = d
	} else {
		b.near.density /= 4
	}
}

// extract fills the band, for some points to both sides of the guess.
func (b *basin) extract(points float64) {
	s := &b.near
	half := points / s.density
	low := b.guess - half
	s.high = min(b.bound, b.guess+half)
	up := s.storage[:vec.CompressBelow(s.storage, b.low, 1, s.high)]
	s.below, s.sum = vec.Below(up, 1, low)
	// Not below low is -c < the next number above -low.
	n := vec.CompressBelow(up, up, -1, math.Nextafter(-low, math.Inf(1)))
	s.heights = up[:n]
	for i, v := range s.heights {
		s.heights[i] = -v
	}
	slices.Sort(s.heights)
}

// height returns the k-th lowest height, counted from 1, of those in the band.
func (s *band) height(k int) float64 { return s.heights[k-1-s.below] }

// sumTo returns the sum of the k lowest heights, the last of them in the band or
// just below it.
func (s *band) sumTo(k int) float64 {
	sum := s.sum
	for _, v := range s.heights[:k-s.below] {
		sum += v
	}
	return sum
}

// next returns the (m+1)-th lowest height, +Inf if there are m or it is not
// below reach, and whether the band is enough to tell.
func (b *basin) next(m int, reach float64) (v float64, ok bool) {
	s := &b.near
	switch {
	case m == len(b.u):
		return math.Inf(1), true
	case m < s.below+len(s.heights):
		return s.height(m + 1), true
	}
	return math.Inf(1), reach <= s.high
}

// settle takes over the level and what the band says of it; top is the highest
// point that the water reaches, which is the guess for the next search.
func (b *basin) settle(top, level float64) {
	s := &b.near
	s.level = level
	i, _ := slices.BinarySearch(s.heights, level)
	s.under = s.below + i
	s.touching = 0
	for ; i < len(s.heights) && s.heights[i] == level; i++ {
		s.touching++
	}
	b.guess = top
}

// fromZero subtracts the lowest of the low heights from them and returns it.
func (b *basin) fromZero() float64 {
	low, _ := least(b.low)
	for i := range b.low {
		b.low[i] -= low
	}
	return low
}

// holds reports whether the low heights, from which the lowest was subtracted,
// tell all that matters: that what lies above them is not reached.
func (b *basin) holds(lowest, rise float64, x step) bool {
	return len(b.low) == len(b.u) || !math.IsInf(x.next, 1) || lowest+x.top+rise <= b.bound
}

// survey is settle after a selection.
func (b *basin) survey(lowest, top, level float64) {
	s := &b.near
	s.level = level
	s.under, _ = vec.Below(b.u, b.sign, level)
	atMost, _ := vec.Below(b.u, b.sign, math.Nextafter(level, math.Inf(1)))
	s.touching = atMost - s.under
	b.guess = top
	s.density = float64(atMost) / (top - lowest)
	if !finite.Is(s.density) || s.density == 0 {
		s.density = 1
	}
}

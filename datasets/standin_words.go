package datasets

import (
	"math/rand/v2"
	"slices"
	"sort"
)

// What the stand-ins for collections of texts, Reuters and Web, share.

// lot draws indices with given probabilities.
type lot []float64 // cumulative weights

func newLot(weight []float64) lot {
	l := make(lot, len(weight))
	var sum float64
	for i, w := range weight {
		sum += w
		l[i] = sum
	}
	return l
}

func (l lot) draw(rng *rand.Rand) int {
	u := rng.Float64() * l[len(l)-1]
	return min(sort.Search(len(l), func(i int) bool { return u < l[i] }), len(l)-1)
}

// quantiles draws numbers whose distribution function is linear between the
// given points.
type quantiles []struct{ p, value float64 }

func (q quantiles) draw(rng *rand.Rand) float64 {
	u := rng.Float64()
	for i := 1; i < len(q); i++ {
		if a, b := q[i-1], q[i]; u < b.p {
			return a.value + (b.value-a.value)*(u-a.p)/(b.p-a.p)
		}
	}
	return q[len(q)-1].value
}

// zipf returns n weights that fall off as those of words do: as 1/(r + flat)
// first, with the square of the rank beyond the rank bend.
func zipf(n int, flat, bend float64) []float64 {
	w := make([]float64, n)
	for r := range w {
		w[r] = 1 / ((float64(r) + flat) * (1 + float64(r)/bend))
	}
	return w
}

// topic is a set of words that are likely together.
type topic struct {
	words []int32
	lot   lot
}

// newTopic draws size different words among those of rank [lo, hi), the first
// drawn the most likely.
func newTopic(size, lo, hi int, flat float64, rng *rand.Rand) topic {
	t := topic{words: make([]int32, size), lot: newLot(zipf(size, flat, float64(size)))}
	for i, r := range rng.Perm(hi - lo)[:size] {
		t.words[i] = int32(lo + r)
	}
	return t
}

func (t topic) draw(rng *rand.Rand) int32 { return t.words[t.lot.draw(rng)] }

// bag is the set of words of the text being drawn.
type bag struct {
	in    []bool
	words []int32
}

func newBag(vocabulary int) *bag { return &bag{in: make([]bool, vocabulary)} }

func (b *bag) add(w int32) {
	if !b.in[w] {
		b.in[w] = true
		b.words = append(b.words, w)
	}
}

// empty returns the words in increasing order, valid until the next add, and
// empties the bag.
func (b *bag) empty() []int32 {
	out := b.words
	for _, w := range out {
		b.in[w] = false
	}
	b.words = b.words[:0]
	slices.Sort(out)
	return out
}

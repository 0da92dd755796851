package datasets

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// texts draws texts as sets of words: some of a topic, the rest of the language at
// large.
type texts struct {
	Words         wordShares
	Class, Others topicShape // the topics of the class, and of the other texts
	// ClassFirst says that the topics of the class are drawn before it is drawn which
	// feature a word is.
	ClassFirst bool `yaml:"class_first"`
	Length     quantiles
}

// topicShape is of Number topics of Size words each, among those of rank
// [From, To), of which the first are flatly distributed.
type topicShape struct {
	Number, Size, From, To int
	Flat                   float64
}

// wordShares says how the shares of words fall off: as 1/(r + Flat) first, with the
// square of the rank r beyond the rank Bend.
type wordShares struct{ Flat, Bend float64 }

// addNews adds news. A text of the class takes part of its words from the topic of the
// class and the rest from the language at large; other texts do so with a topic of
// theirs, and the texts of some topics with a few words of the class too. Few words of
// a short text tell anything: that is what makes errors. A word weighs the more the
// rarer it is; each row has norm 1.
func (x *texts) addNews(t *Table, r standInRun, setup *rand.Rand) {
	const near = 6 // how many of the topics are close to the class
	l := x.language(t.D, setup)
	topics := len(l.others)
	shares := newLot(wordShares{0.6, 20}.weights(topics))
	weight := l.weights()
	rng := newStream(r.Stream)
	for _, label := range shuffledClasses(r.Classes, rng) {
		length := x.Length.draw(rng)
		about, ofClass := 0.35+float64(0.45*rng.Float64()), 0.0
		k := shares.draw(rng)
		switch {
		case label == 1:
			length *= 1.4
			k = rng.IntN(topics)
			ofClass = 0.02 + float64(0.31*rng.Float64())
			about *= 0.3
		case k >= topics/4 && k < topics/4+near:
			ofClass = 0.4 * rng.Float64() * rng.Float64()
		}
		words := l.text(min(int(length+0.5), 380), func() int {
			switch u := rng.Float64(); {
			case u < ofClass:
				return l.class[0].draw(rng)
			case u < ofClass+about:
				return l.others[k].draw(rng)
			}
			return l.words.draw(rng)
		})
		var sum float64
		from := len(t.values)
		for _, f := range words {
			times := 1.0
			for times < 8 && rng.IntN(4) == 0 {
				times++
			}
			v := weight[f] * (1 + math.Log(times))
			sum += float64(v * v)
			t.addEntry(f, v)
		}
		divide(t.values[from:], math.Sqrt(sum))
		t.endRow(sign(label))
	}
}

// addPages adds pages. Those of the class are of several kinds, each a topic of its
// own; short ones, and those with no word at all, cannot be told.
func (x *texts) addPages(t *Table, r standInRun, setup *rand.Rand) {
	l := x.language(t.D, setup)
	rng := newStream(r.Stream)
	for _, label := range shuffledClasses(r.Classes, rng) {
		about, share := l.others[rng.IntN(len(l.others))], 0.35
		if label == 1 {
			about, share = l.class[rng.IntN(len(l.class))], 0.85
		}
		words := l.text(int(x.Length.draw(rng)+0.5), func() int {
			rank := l.words.draw(rng)
			if rng.Float64() < share {
				rank = about.draw(rng)
			}
			return rank
		})
		for _, f := range words {
			t.addEntry(f, 1)
		}
		t.endRow(sign(label))
	}
}

// language is what texts have in common.
type language struct {
	feature       []int // of a word, by rank
	words         lot
	class, others []topic
	in            []bool // the words of the text being drawn
}

func (x *texts) language(features int, rng *rand.Rand) *language {
	l := &language{words: newLot(x.Words.weights(features)), in: make([]bool, features)}
	if x.ClassFirst {
		l.class = x.Class.draw(rng)
	}
	l.feature = rng.Perm(features)
	if !x.ClassFirst {
		l.class = x.Class.draw(rng)
	}
	l.others = x.Others.draw(rng)
	return l
}

// weights returns the weight of each feature.
func (l *language) weights() []float64 {
	weight := make([]float64, len(l.feature))
	top, last := l.words[0], 0.0
	for r, f := range l.feature {
		p := l.words[r] - last
		last = l.words[r]
		weight[f] = 2 + math.Log(top/p)
	}
	return weight
}

// text draws n different words by their rank and returns their features, increasing.
// It gives up on a text whose words repeat too often.
func (l *language) text(n int, rank func() int) []int {
	var words []int
	for tries := 0; len(words) < n && tries < 20*n; tries++ {
		if f := l.feature[rank()]; !l.in[f] {
			l.in[f] = true
			words = append(words, f)
		}
	}
	for _, f := range words {
		l.in[f] = false
	}
	slices.Sort(words)
	return words
}

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
type quantiles [][2]float64 // a share and the value below which it lies

func (q quantiles) draw(rng *rand.Rand) float64 {
	u := rng.Float64()
	for i := 1; i < len(q); i++ {
		if a, b := q[i-1], q[i]; u < b[0] {
			return a[1] + (b[1]-a[1])*(u-a[0])/(b[0]-a[0])
		}
	}
	return q[len(q)-1][1]
}

// weights returns the shares of n words, by rank, but for a factor.
func (s wordShares) weights(n int) []float64 {
	w := make([]float64, n)
	for r := range w {
		w[r] = 1 / ((float64(r) + s.Flat) * (1 + float64(r)/s.Bend))
	}
	return w
}

// topic is a set of words, by rank, that are likely together.
type topic struct {
	words []int
	lot   lot
}

// draw draws topics, of each of which the word first drawn is the most likely.
func (s topicShape) draw(rng *rand.Rand) []topic {
	out := make([]topic, s.Number)
	shares := newLot(wordShares{s.Flat, float64(s.Size)}.weights(s.Size))
	for i := range out {
		words := rng.Perm(s.To - s.From)[:s.Size]
		for k := range words {
			words[k] += s.From
		}
		out[i] = topic{words, shares}
	}
	return out
}

func (t topic) draw(rng *rand.Rand) int { return t.words[t.lot.draw(rng)] }

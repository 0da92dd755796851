package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"
)

const (
	reutersFeatures = 8315
	reutersTopics   = 40  // topics of the other texts
	reutersWords    = 400 // words of a topic
	reutersNear     = 6   // how many of the topics are close to the class
)

var (
	reutersPositives = map[string]int{"train": 538, "test": 179}

	// reutersLength is the number of different words of a text.
	reutersLength = quantiles{{0, 3}, {.01, 6}, {.05, 8}, {.25, 16}, {.5, 29}, {.75, 48}, {.95, 110}, {.99, 190}, {1, 360}}
)

// reutersStandIn draws texts as sets of words. A text of the class takes part
// of its words from the topic of the class and the rest from the language at
// large; other texts do so with a topic of theirs, and the texts of some
// topics with a few words of the class too. Few words of a short text tell
// anything: that is what makes errors. A word weighs the more the rarer it is;
// each row has norm 1.
func reutersStandIn(_ string, parts []Part) (*Table, error) {
	var tables []*Table
	for _, p := range parts {
		positives, ok := reutersPositives[p.Name]
		if !ok {
			return nil, fmt.Errorf("no part %s", p.Name)
		}
		tables = append(tables, newReutersLanguage().part(p.Rows, positives, p.Name))
	}
	return stack(tables), nil
}

// reutersLanguage is what the texts of all parts have in common.
type reutersLanguage struct {
	feature []int32   // of a word, by rank
	weight  []float64 // of a feature
	words   lot
	class   topic
	topics  []topic
	shares  lot // of the topics
}

func newReutersLanguage() *reutersLanguage {
	rng := rand.New(rand.NewPCG(standInSeed, 3<<32))
	l := &reutersLanguage{
		feature: make([]int32, reutersFeatures),
		weight:  make([]float64, reutersFeatures),
		words:   newLot(zipf(reutersFeatures, 4, 1500)),
		class:   newTopic(reutersWords/4, 10, 500, 3, rng),
		shares:  newLot(zipf(reutersTopics, 0.6, 20)),
	}
	top := l.words[0]
	for r, f := range rng.Perm(reutersFeatures) {
		l.feature[r] = int32(f)
		p := l.words[r]
		if r > 0 {
			p -= l.words[r-1]
		}
		l.weight[f] = 2 + math.Log(top/p)
	}
	for range reutersTopics {
		l.topics = append(l.topics, newTopic(reutersWords, 10, 6000, 3, rng))
	}
	return l
}

func (l *reutersLanguage) part(rows, positives int, name string) *Table {
	rng := rand.New(rand.NewPCG(standInSeed, 3<<32+uint64(len(name))))
	t := &Table{N: rows, D: reutersFeatures, indptr: []int{0}, Labels: make([]float64, 0, rows)}
	b := newBag(reutersFeatures)
	for _, label := range shuffledClasses([]int{rows - positives, positives}, rng) {
		l.text(b, label == 1, rng)
		t.Labels = append(t.Labels, float64(2*label-1))
		words := b.empty()
		t.indices = append(t.indices, words...)
		var sum float64
		from := len(t.values)
		for _, f := range words {
			times := 1.0
			for times < 8 && rng.IntN(4) == 0 {
				times++
			}
			v := l.weight[f] * (1 + math.Log(times))
			sum += float64(v * v)
			t.values = append(t.values, v)
		}
		divide(t.values[from:], math.Sqrt(sum))
		t.indptr = append(t.indptr, len(t.indices))
	}
	return t
}

// text puts the words of a text into b.
func (l *reutersLanguage) text(b *bag, positive bool, rng *rand.Rand) {
	length := reutersLength.draw(rng)
	about, ofClass := 0.35+float64(0.45*rng.Float64()), 0.0
	k := l.shares.draw(rng)
	switch {
	case positive:
		length *= 1.4
		k = rng.IntN(reutersTopics)
		ofClass = 0.02 + float64(0.31*rng.Float64())
		about *= 0.3
	case k >= reutersTopics/4 && k < reutersTopics/4+reutersNear:
		ofClass = 0.4 * rng.Float64() * rng.Float64()
	}
	n := min(int(length+0.5), 380)
	for tries := 0; len(b.words) < n && tries < 20*n; tries++ {
		var rank int32
		switch u := rng.Float64(); {
		case u < ofClass:
			rank = l.class.draw(rng)
		case u < ofClass+about:
			rank = l.topics[k].draw(rng)
		default:
			rank = int32(l.words.draw(rng))
		}
		b.add(l.feature[rank])
	}
}

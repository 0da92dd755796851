package datasets

import (
	"fmt"
	"math/rand/v2"
)

const (
	webFeatures = 300
	webTopics   = 25 // topics of the other pages
	webKinds    = 8  // topics of the pages of the class
	webWords    = 12 // words of a topic
)

var (
	webPositives = map[string]int{"train": 1479, "test": 454}

	// webLength is the number of words of a page; one in twelve has none.
	webLength = quantiles{{0, 0}, {.08, 0.5}, {.1, 1}, {.25, 4}, {.5, 8}, {.75, 15}, {.9, 23}, {.95, 31}, {.99, 50}, {1, 100}}
)

// webStandIn draws pages as sets of words: some of a topic, the rest of the
// language at large. The pages of the class are of several kinds, each a topic
// of its own; short ones, and those with no word at all, cannot be told.
func webStandIn(_ string, parts []Part) (*Table, error) {
	rng := rand.New(rand.NewPCG(standInSeed, 4<<32))
	words := newLot(zipf(webFeatures, 12, 60))
	feature := rng.Perm(webFeatures)
	var kinds, topics []topic
	for range webKinds {
		kinds = append(kinds, newTopic(webWords, 20, webFeatures, 5, rng))
	}
	for range webTopics {
		topics = append(topics, newTopic(3*webWords, 0, 250, 5, rng))
	}
	var tables []*Table
	for _, p := range parts {
		positives, ok := webPositives[p.Name]
		if !ok {
			return nil, fmt.Errorf("no part %s", p.Name)
		}
		rng := rand.New(rand.NewPCG(standInSeed, 4<<32+uint64(len(p.Name))))
		t := &Table{N: p.Rows, D: webFeatures, indptr: []int{0}, Labels: make([]float64, 0, p.Rows)}
		b := newBag(webFeatures)
		for _, label := range shuffledClasses([]int{p.Rows - positives, positives}, rng) {
			about, share := topics[rng.IntN(webTopics)], 0.35
			if label == 1 {
				about, share = kinds[rng.IntN(webKinds)], 0.85
			}
			n := int(webLength.draw(rng) + 0.5)
			for tries := 0; len(b.words) < n && tries < 20*n; tries++ {
				rank := int32(words.draw(rng))
				if rng.Float64() < share {
					rank = about.draw(rng)
				}
				b.add(int32(feature[rank]))
			}
			for _, f := range b.empty() {
				t.indices = append(t.indices, f)
				t.values = append(t.values, 1)
			}
			t.indptr = append(t.indptr, len(t.indices))
			t.Labels = append(t.Labels, float64(2*label-1))
		}
		tables = append(tables, t)
	}
	return stack(tables), nil
}

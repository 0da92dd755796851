package datasets

import (
	"math/rand/v2"
)

// attributes draws rows of attributes, each coded as one 1 among as many binary
// features as it has values: all of them by the label alone, and then some anew by
// another attribute, so that given the label they form a forest.
//
// For Adult the sex, age and marital state depend on the relationship, the
// occupation on the years of education, which follow from the education. Work class
// and occupation miss together.
type attributes struct {
	// All is in the order of the features.
	All []struct {
		Name   string
		Counts [2][]int // of the values, for either label
	}
	Then []attributeRule
}

// attributeRule sets an attribute, by what another one is if it names one.
type attributeRule struct {
	Set, By string
	To      []int      // the value, for each value of By
	Counts  [2][][]int // how often each value occurs, for either label and each value of By
	// OrNone says that the first count is of the rows without a value.
	OrNone bool `yaml:"or_none"`
	// NoneWithout names an attribute without which there is no value of this one.
	NoneWithout string `yaml:"none_without"`
	Share       int    // of 10,000 rows that have a value; 0 is all
}

func (a *attributes) add(t *Table, r standInRun, _ *rand.Rand) {
	rng := newStream(r.Stream)
	value := make([]int, len(a.All)) // of each attribute, -1 for none
	for _, label := range shuffledClasses(r.Classes, rng) {
		for k, attr := range a.All {
			value[k] = pick(attr.Counts[label], rng)
		}
		for i := range a.Then {
			a.apply(&a.Then[i], value, label, rng)
		}
		from := 0
		for k, v := range value {
			if v >= 0 {
				t.addEntry(from+v, 1)
			}
			from += len(a.All[k].Counts[0])
		}
		t.endRow(sign(label))
	}
}

func (a *attributes) apply(r *attributeRule, value []int, label int, rng *rand.Rand) {
	set := &value[a.index(r.Set)]
	switch {
	case r.To != nil:
		*set = r.To[value[a.index(r.By)]]
	case r.Counts[label] != nil:
		*set = pick(r.Counts[label][value[a.index(r.By)]], rng)
		if r.OrNone {
			*set--
		}
	case r.NoneWithout != "" && value[a.index(r.NoneWithout)] < 0, r.Share > 0 && rng.IntN(10000) >= r.Share:
		*set = -1
	}
}

func (a *attributes) index(name string) int {
	for k := range a.All {
		if a.All[k].Name == name {
			return k
		}
	}
	panic("datasets: stand-in without the attribute " + name)
}

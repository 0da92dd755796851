package svm

import "math"

// topList keeps the indices of the greatest of a sequence of keys, in decreasing
// order; of equal keys the first come first.
type topList struct {
	index []int
	key   []float64
}

func newTopList(size int) topList {
	return topList{make([]int, 0, size), make([]float64, 0, size)}
}

// bar returns the key that another must exceed to be added.
func (t *topList) bar() float64 {
	if !t.full() {
		return math.Inf(-1)
	}
	return t.key[len(t.key)-1]
}

// full reports whether no key can be added without removing one.
func (t *topList) full() bool { return len(t.key) == cap(t.key) }

func (t *topList) reset() { t.index, t.key = t.index[:0], t.key[:0] }

// add offers an index with its key. It costs O(1) for a key that is not among the
// greatest.
func (t *topList) add(i int, key float64) {
	m := len(t.key)
	if t.full() {
		if !(key > t.key[m-1]) {
			return
		}
		m--
	}
	t.index, t.key = t.index[:m+1], t.key[:m+1]
	for m > 0 && key > t.key[m-1] {
		t.index[m], t.key[m] = t.index[m-1], t.key[m-1]
		m--
	}
	t.index[m], t.key[m] = i, key
}

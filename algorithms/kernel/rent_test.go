package kernel

import "testing"

// A slab is taken once rows computed again have taken as long as writing to it will.
func TestRent(t *testing.T) {
	r := rent{again: 99, writing: 20, rows: 2}
	if r.pays(10) {
		t.Error("a slab of 100 s for 99")
	}
	r.again++
	if !r.pays(10) || r.pays(10) {
		t.Error("a slab of 100 s is not taken once for as much")
	}
	if !(&rent{}).pays(10) {
		t.Error("a slab is not taken before it is known what it costs")
	}
	row := make([]float32, 5*page+1)
	now := 0.0
	r.probe(row, func() float64 { now += 5; return now })
	if r.rows != 3 || r.writing != 25 {
		t.Errorf("%d rows took %v s", r.rows, r.writing)
	}
}

// A cache whose rows are not asked for twice stays small, one whose rows are asked for
// again grows, and in the end all rows stay.
func TestCacheGrowsAsItPays(t *testing.T) {
	const n = 400
	p := testPoints(t, n)
	c := newCache(t, Gaussian{1}, p, n, NewPool(rowsOfMemory(2*n, n)))
	defer c.Close()
	// As if all of its memory were beyond what is free.
	c.stride, c.per = 1<<20, 20
	c.slabs = make([]slab, n/c.per)
	c.share.need = 0
	r := c.Reader()
	defer r.Close()
	c.pool.bytes = int64(n) * c.rowBytes()
	c.rent = rent{writing: 3600, rows: 1}
	for i := range n {
		r.Row(i)
	}
	free := (rentFree / int(c.rowBytes()) / c.per) * c.per
	if got := c.Stats().Resident; got != free {
		t.Errorf("%d rows are there, want the %d that are free", got, free)
	}
	if c.rent.again != 0 {
		t.Error("rows were computed again")
	}
	for range 3 {
		c.rent.again = 1e6
		r.Row(0)
	}
	if got := c.Stats().Resident; got > free+1 {
		t.Errorf("%d rows are there", got)
	}
	for i := range n {
		c.rent.again = 1e6
		c.rent.writing, c.rent.rows = 3600, 1
		r.Row(i)
	}
	if got := c.Stats().Resident; got != n || !c.fixed.Load() {
		t.Errorf("%d rows of %d are there, and stay: %v", got, n, c.fixed.Load())
	}
}

package kernel

import (
	"slices"
	"testing"
)

// What goes through free is garbage if it is on the Go heap, and only then.
func TestSlab(t *testing.T) {
	if (slab{}).free() {
		t.Error("no slab at all is garbage")
	}
	if s := heapSlab(48); len(s.rows) != 48 || !s.free() {
		t.Errorf("a slab of %d entries on the heap", len(s.rows))
	}
	s := newSlab(5000)
	if len(s.rows) != 5000 {
		t.Fatalf("%d entries, want 5000", len(s.rows))
	}
	for i := range s.rows {
		if s.rows[i] != 0 {
			t.Fatalf("entry %d is %v, want 0", i, s.rows[i])
		}
		s.rows[i] = float32(i)
	}
	if onHeap := s.mapping == nil; s.free() != onHeap {
		t.Errorf("on the heap %v, garbage %v", onHeap, !onHeap)
	}
}

// A cache gives up slabs of several rows; those with a row that a reader has
// remain until it has gone.
func TestRowsOutliveSurrender(t *testing.T) {
	const n, capacity = 300, 256
	p := testPoints(t, n)
	pool := NewPool(rowsOfMemory(capacity, n))
	c := newCache(t, Gaussian{1}, p, n, pool)
	holder, other := c.Reader(), c.Reader()
	if c.per < 2 {
		t.Fatalf("%d rows in a slab", c.per)
	}
	a, b := holder.Row(17), holder.Row(40)
	was := [2][]float32{slices.Clone(a), slices.Clone(b)}
	for i := range capacity {
		other.Row(i)
	}
	for range len(c.slabs) {
		c.surrender()
	}
	if got, most := c.Stats().Resident, 4*c.per; got > most || got < 2 {
		t.Errorf("%d rows remain, want those of the slabs in use, at most %d", got, most)
	}
	if used, want := pool.Used(), c.Stats().Bytes; used != want {
		t.Errorf("%d bytes in use, the cache says %d", used, want)
	}
	if !slices.Equal(a, was[0]) || !slices.Equal(b, was[1]) {
		t.Error("the rows of the reader have changed")
	}
	other.Close()
	holder.Close()
	for range len(c.slabs) {
		c.surrender()
	}
	if s := c.Stats(); s.Resident != 0 || s.Bytes != 0 || pool.Used() != 0 {
		t.Errorf("stats %+v, %d bytes in use", s, pool.Used())
	}
	c.surrender()
	r := c.Reader()
	check(t, p, Gaussian{1}, 17, r.Row(17))
	r.Close()
	c.Close()
	c.surrender()
}

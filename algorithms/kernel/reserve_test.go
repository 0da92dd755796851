package kernel

import "testing"

// A cache that nobody reads takes nothing from one that is read.
func TestUnreadCacheReservesNothing(t *testing.T) {
	const n = 40
	p := testPoints(t, n)
	pool := NewPool(rowsOfMemory(n, n))
	unread := newCache(t, Gaussian{1}, p, n, pool)
	idle := unread.Reader()
	if !unread.Fits() {
		t.Fatal("the first does not fit")
	}
	c := newCache(t, Gaussian{2}, p, n, pool)
	if !c.Fits() {
		t.Fatal("the second does not fit, though nobody reads the first")
	}
	r := c.Reader()
	r.Row(0)
	if unread.Fits() || !c.Fits() {
		t.Fatal("the second is read, and fits no longer")
	}
	check(t, p, Gaussian{1}, 3, idle.Row(3))
	for range 2 {
		for i := range n {
			check(t, p, Gaussian{2}, i, r.Row(i))
		}
	}
	if s := c.Stats(); s.Computed != n || s.Evicted != 0 || s.Resident != n {
		t.Errorf("stats of the second %+v", s)
	}
	if s := unread.Stats(); s.Bytes != 0 {
		t.Errorf("stats of the first %+v", s)
	}
	r.Close()
	c.Close()
	if !unread.Fits() {
		t.Error("the first does not fit though the second has gone")
	}
	idle.Close()
	unread.Close()
	if unread.Fits() {
		t.Error("a closed cache fits")
	}
	if len(pool.open) != 0 {
		t.Errorf("%d caches left", len(pool.open))
	}
}

// Nor does it count among those who share.
func TestUnreadCacheHasNoPart(t *testing.T) {
	const n = 60
	p := testPoints(t, n)
	pool := NewPool(rowsOfMemory(24, n))
	unread := newCache(t, Gaussian{3}, p, n, pool)
	var caches [2]*Cache
	for k := range caches {
		caches[k] = newCache(t, Gaussian{float64(1 + k)}, p, n, pool)
		r := caches[k].Reader()
		defer r.Close()
		for i := range n {
			r.Row(i)
		}
	}
	if x, y := caches[0].Stats().Resident, caches[1].Stats().Resident; x != 12 || y != 12 {
		t.Errorf("%d and %d rows, want 12 each", x, y)
	}
	late := unread.Reader()
	defer late.Close()
	for i := range n {
		check(t, p, Gaussian{3}, i, late.Row(i))
	}
	if got := unread.Stats().Resident; got != 8 {
		t.Errorf("%d rows of 24 for the third of three, want 8", got)
	}
}

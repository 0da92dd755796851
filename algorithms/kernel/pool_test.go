package kernel

import (
	"sync"
	"testing"
)

// TestPoolEvictsAcrossCaches checks that a new cache can use the memory of a previous one, except rows kept
// by a reader, and all of it once the reader is closed.
func TestPoolEvictsAcrossCaches(t *testing.T) {
	const n = 40
	p := testPoints(t, n)
	pool := NewPool(rowsOfMemory(n, n))
	first := newCache(t, Gaussian{1}, p, n, pool)
	old := first.Reader()
	for i := range n {
		old.Row(i)
	}
	second := newCache(t, Gaussian{2}, p, n, pool)
	r := second.Reader()
	for range 2 {
		for i := range n {
			check(t, p, Gaussian{2}, i, r.Row(i))
		}
	}
	before := old.Computed()
	check(t, p, Gaussian{1}, n-1, old.Row(n-1))
	check(t, p, Gaussian{1}, n-2, old.Row(n-2))
	if old.Computed() != before {
		t.Error("rows kept by a reader were evicted")
	}
	first.Close()
	check(t, p, Gaussian{1}, 3, old.Row(3))
	old.Close()
	for i := range n {
		r.Row(i)
	}
	before = r.Computed()
	for i := range n {
		check(t, p, Gaussian{2}, i, r.Row(i))
	}
	if r.Computed() != before || pool.used != pool.bytes {
		t.Errorf("%d bytes used of %d, %d values recomputed", pool.used, pool.bytes, r.Computed()-before)
	}
}

// TestManyCachesOfOnePool opens and closes many readers of many caches. It checks rows and the memory bound, and
// that there is no race and no deadlock.
func TestManyCachesOfOnePool(t *testing.T) {
	const n = 48
	p := testPoints(t, n)
	for _, capacity := range []int{2, 60} {
		pool := NewPool(rowsOfMemory(capacity, n))
		var wg sync.WaitGroup
		for g := range 3 {
			wg.Go(func() {
				for round := range 4 {
					k := Gaussian{float64(1+g) + float64(round)/8}
					c := newCache(t, k, p, n, pool)
					var inner sync.WaitGroup
					for h := range 3 {
						r := c.Reader()
						inner.Go(func() {
							defer r.Close()
							rng := random(uint64(100*g + h))
							prev, prevRow := 0, r.Row(0)
							for range 30 {
								i := rng.IntN(n)
								row := r.Row(i)
								check(t, p, k, prev, prevRow)
								check(t, p, k, i, row)
								prev, prevRow = i, row
							}
						})
					}
					if used := pool.Used(); used > pool.bytes {
						t.Errorf("%d bytes used of %d", used, pool.bytes)
					}
					if round%2 == 1 {
						inner.Wait()
					}
					c.Close()
					inner.Wait()
				}
			})
		}
		wg.Wait()
		if pool.used != 0 {
			t.Errorf("%d bytes left", pool.used)
		}
	}
}

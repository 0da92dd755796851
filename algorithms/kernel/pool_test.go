package kernel

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
)

// The next cache works while the one before still has all the memory, and
// grows when it has gone.
func TestPoolIsHandedOn(t *testing.T) {
	const n = 40
	p := testPoints(t, n)
	pool := NewPool(rowsOfMemory(n, n))
	first := newCache(t, Gaussian{1}, p, n, pool)
	old := first.Reader()
	if !first.Fits() {
		t.Fatal("the first does not fit")
	}
	if err := first.Fill(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	second := newCache(t, Gaussian{2}, p, n, pool)
	r := second.Reader()
	row := r.Row(3)
	check(t, p, Gaussian{2}, 5, r.Row(5))
	check(t, p, Gaussian{2}, 3, row)
	if second.Fits() || second.Stats().Bytes != 0 {
		t.Fatal("the second has memory that the first has")
	}
	first.Close()
	if second.Fits() {
		t.Fatal("the first still has a reader")
	}
	check(t, p, Gaussian{1}, 39, old.Row(39))
	old.Close()
	if !second.Fits() {
		t.Fatal("the second does not fit though the first has gone")
	}
	if err := second.Fill(context.Background(), 2); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		check(t, p, Gaussian{2}, i, r.Row(i))
	}
	if second.Stats().Resident != n || second.Stats().Evicted != 0 {
		t.Errorf("stats %+v", second.Stats())
	}
}

// Caches that do not fit share the pool evenly.
func TestPoolIsShared(t *testing.T) {
	const n = 60
	p := testPoints(t, n)
	pool := NewPool(rowsOfMemory(25, n))
	first := newCache(t, Gaussian{1}, p, n, pool)
	a, other := first.Reader(), first.Reader()
	a.Row(58)
	a.Row(59) // pinned, though not used for longest
	for i := range 58 {
		other.Row(i)
	}
	other.Close()
	if got := first.Stats().Resident; got != 25 {
		t.Fatalf("the first has %d rows, want 25", got)
	}
	second := newCache(t, Gaussian{2}, p, n, pool)
	b := second.Reader()
	for i := range n {
		check(t, p, Gaussian{2}, i, b.Row(i))
	}
	if x, y := first.Stats().Resident, second.Stats().Resident; x != 13 || y != 12 {
		t.Errorf("%d and %d rows, want 13 and 12", x, y)
	}
	before := a.Computed()
	check(t, p, Gaussian{1}, 58, a.Row(58))
	check(t, p, Gaussian{1}, 59, a.Row(59))
	if a.Computed() != before {
		t.Error("pinned rows were given up")
	}
	for i := range 20 { // nobody takes from one who has an equal part
		b.Row(i)
		a.Row(i)
		if x, y := first.Stats().Resident, second.Stats().Resident; x != 13 || y != 12 {
			t.Fatalf("%d and %d rows after %d more, want 13 and 12", x, y, i+1)
		}
	}
	first.Close()
	a.Close()
	for i := range n {
		b.Row(i)
	}
	if got := second.Stats().Resident; got != 25 {
		t.Errorf("the second has %d rows after the first has gone, want 25", got)
	}
}

// Many caches, readers and fills that come and go: no race, no deadlock, no
// wrong row, no memory beyond the bound.
func TestManyCachesOfOnePool(t *testing.T) {
	const n = 48
	p := testPoints(t, n)
	for _, capacity := range []int{2, 11, 60, 130} {
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
							for range 60 {
								i := rng.IntN(n)
								row := r.Row(i)
								check(t, p, k, prev, prevRow)
								check(t, p, k, i, row)
								prev, prevRow = i, row
							}
						})
					}
					if round%2 == 0 {
						if err := c.Fill(context.Background(), 2); err != nil {
							t.Error(err)
						}
					}
					if used := pool.Used(); used > pool.Bytes() {
						t.Errorf("%d bytes used of %d", used, pool.Bytes())
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
		if pool.Used() != 0 || len(pool.open) != 0 {
			t.Errorf("%d bytes of %d caches left", pool.Used(), len(pool.open))
		}
	}
}

// What closed caches leave behind is collected before the next grows: the heap
// stays near the bound.
func TestClosedCachesAreCollected(t *testing.T) {
	const bound = 32 << 20
	pool := NewPool(bound)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // none but the pool's
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for round := range 6 {
		n := 1500 + 100*round
		c := newCache(t, Linear{}, testPoints(t, n), n, pool)
		if err := c.Fill(context.Background(), 2); err != nil {
			t.Fatal(err)
		}
		if !c.Fits() || c.Stats().Bytes < 8<<20 {
			t.Fatalf("%d rows fit %v, %d bytes", n, c.Fits(), c.Stats().Bytes)
		}
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > c.Stats().Bytes+4<<20 {
			t.Errorf("round %d: the heap has grown by %d bytes for a cache of %d", round, grown, c.Stats().Bytes)
		}
		c.Close()
	}
}

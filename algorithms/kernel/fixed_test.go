package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// grown returns a cache of all n rows of p that does not fit, for another has
// reserved all but spare rows of the pool, and that other cache. Its rows are
// different ones.
func grown(t *testing.T, p *Points, k Kernel, spare int) (c, other *Cache) {
	t.Helper()
	n := p.Len()
	pool := NewPool(rowsOfMemory(n+spare, n))
	other = newCache(t, Gaussian{9}, p, n, pool)
	r := other.Reader()
	r.Row(0)
	r.Close()
	c = newCache(t, k, p, n, pool)
	if c.Fits() {
		t.Fatal("both fit")
	}
	return c, other
}

// A reader saw where a row was; before it reads it there, the row is dropped,
// another takes its place, and from then on rows stay.
func TestRowIsDroppedBeforeAllStay(t *testing.T) {
	const n, spare, row = 64, 4, 5
	p := testPoints(t, n)
	k := Gaussian{0.3}
	c, other := grown(t, p, k, spare)
	late, r := c.Reader(), c.Reader()
	for _, i := range []int{row, 6, 7} { // the last two are pinned
		late.Row(i)
	}
	s, fixed := c.look(row)
	if s == none || fixed {
		t.Fatalf("row %d is in slot %d, and stays: %v", row, s, fixed)
	}
	for i := 10; c.slots[s].row == row; i++ {
		r.Row(i)
	}
	other.Close()
	for i := 30; !c.fixed.Load(); i++ {
		r.Row(i % n)
	}
	taken := c.slots[s].row
	if taken == row || taken == none {
		t.Fatalf("row %d is in the slot", taken)
	}
	if late.have(row, s, fixed) {
		t.Errorf("row %d is taken from the slot that row %d has now", row, taken)
	}
	check(t, p, k, row, late.Row(row))
	if s, fixed := c.look(row); !fixed || s == none || !late.have(row, s, fixed) {
		t.Errorf("row %d is not there, though all stay", row)
	}
	for _, r := range []*Reader{late, r} {
		r.Close()
	}
	c.Close()
}

// What look says of a row that is dropped and of a cache whose rows stay from
// then on: never that the row is there and stays.
func TestLookWhenAllBeginToStay(t *testing.T) {
	const rounds = 20000
	c := &Cache{ready: make([]atomic.Int32, 1)}
	var begun, ended atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for round := int64(1); round <= rounds; round++ {
			for begun.Load() != round {
				runtime.Gosched()
			}
			c.ready[0].Store(0)
			c.fixed.Store(true)
			for ended.Load() != round {
				runtime.Gosched()
			}
		}
	}()
	wrong := 0
	for round := int64(1); round <= rounds; round++ {
		c.fixed.Store(false)
		c.ready[0].Store(1)
		begun.Store(round)
		s, fixed := c.look(0)
		for spin := 1; !fixed; spin++ {
			if s, fixed = c.look(0); spin%64 == 0 {
				runtime.Gosched()
			}
		}
		if s != none { // with fixed
			wrong++
		}
		ended.Store(round)
	}
	<-done
	if wrong > 0 {
		t.Errorf("the row was there and stayed %d times", wrong)
	}
}

// Readers of a cache in the midst of evictions when the other cache goes and
// leaves it all the memory: there is one moment a round, and many rounds.
func TestRowsWhenAllBeginToStay(t *testing.T) {
	const n, spare, readers = 64, 20, 8
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(readers))
	p := testPoints(t, n)
	k := Gaussian{0.3}
	whole := newCache(t, k, p, n, NewPool(1<<20))
	r := whole.Reader()
	var first [n]float32
	for i := range n {
		first[i] = r.Row(i)[0]
	}
	r.Close()
	whole.Close()
	for end, round := time.Now().Add(300*time.Millisecond), 0; time.Now().Before(end) && !t.Failed(); round++ {
		c, other := grown(t, p, k, spare)
		var wg sync.WaitGroup
		for w := range readers {
			r, rng := c.Reader(), random(uint64(readers*round+w))
			wg.Go(func() {
				defer r.Close()
				for range 400 {
					i := rng.IntN(n)
					if row := r.Row(i); row[i] != 1 || row[0] != first[i] {
						t.Errorf("round %d: row %d is wrong", round, i)
						return
					}
				}
			})
		}
		time.Sleep(time.Duration(round%16*10) * time.Microsecond)
		other.Close()
		wg.Wait()
		c.Close()
	}
}

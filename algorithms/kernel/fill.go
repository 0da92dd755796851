package kernel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Fill computes all rows that are missing, several at a time for each pass over
// the points, by the given number of workers (0 means one per CPU). That pays
// where most rows will be wanted and the layout is read from memory at every
// row ("bytes" and "dense"); a row of the others costs much the same when it is
// asked for. Fill does nothing if the whole matrix does not fit in the pool.
// Readers may be used meanwhile. It returns the context's error if that ends
// first; the rows computed so far stay.
func (c *Cache) Fill(ctx context.Context, workers int) error {
	c.enter()
	defer c.leave(nil)
	if !c.reserve() {
		return nil
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	batch := c.points.layout.batch()
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make([]any, workers)
	for w := range workers {
		wg.Go(func() {
			defer func() { failed[w] = recover() }()
			f := filler{cache: c, eval: c.evaluator()}
			for ctx.Err() == nil {
				lo := int(next.Add(int64(batch))) - batch
				if lo >= c.n {
					return
				}
				f.fill(lo, min(lo+batch, c.n))
			}
		})
	}
	wg.Wait()
	for _, p := range failed {
		if p != nil {
			panic(p)
		}
	}
	return ctx.Err()
}

// filler is a worker of Fill.
type filler struct {
	cache *Cache
	eval  *evaluator
	rows  []int
	slots []int32
	dst   [][]float32
}

// fill computes the rows lo <= i < hi that nobody has computed or is computing.
func (f *filler) fill(lo, hi int) {
	c := f.cache
	f.rows, f.slots, f.dst = f.rows[:0], f.slots[:0], f.dst[:0]
	c.mu.Lock()
	for i := lo; i < hi; i++ {
		if c.slotOf[i] != none {
			continue
		}
		s := c.take()
		c.assign(s, i)
		f.rows = append(f.rows, i)
		f.slots = append(f.slots, s)
		f.dst = append(f.dst, c.data(s))
	}
	c.mu.Unlock()
	if len(f.rows) == 0 {
		return
	}
	ok := false
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range f.slots {
			if !ok {
				c.abandon(s)
				continue
			}
			c.publish(s)
			c.pins[s].Add(-1)
		}
		c.done.Broadcast()
	}()
	f.eval.rows(f.dst, f.rows)
	ok = true
}

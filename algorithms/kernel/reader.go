package kernel

// Reader reads rows through a cache, for one run. It is not for concurrent
// use; any number of readers of a cache may be used concurrently.
type Reader struct {
	cache *Cache
	// pins holds the slots of the rows returned last, or none; the next row
	// replaces pins[turn].
	pins [pinned]int32
	turn int
	// uses holds the last hits that the order of use does not know yet.
	uses  [32]use
	noted int
	// private holds rows that found no place in the cache.
	private  [pinned][]float32
	eval     *evaluator
	dst      [1][]float32
	row      [1]int
	hits     int64
	computed int64
}

// use says that row row, in slot slot, was read.
type use struct{ row, slot int32 }

// Reader returns a new reader. It panics if the cache is closed.
func (c *Cache) Reader() *Reader {
	c.enter()
	return &Reader{cache: c, pins: [pinned]int32{none, none}}
}

// Train returns the number of training points, n.
func (r *Reader) Train() int { return r.cache.n }

// Len returns the number of points that a row spans: all N, if the cache does not
// say otherwise.
func (r *Reader) Len() int { return r.cache.width() }

// Diag returns K(x_j, x_j) for all j that a row spans. It must not be changed.
func (r *Reader) Diag() []float64 { return r.cache.diag }

// Computed returns the number of kernel values that were computed because this
// reader was the first to want them: Len for each row.
func (r *Reader) Computed() int64 { return r.computed }

// Row returns K(x_i, x_j) for all j that it spans, 0 <= i < n. It must not be changed;
// the two rows returned last are valid, until the reader is closed. A row that
// is in the cache costs a look-up, another as many inner products as there are
// points.
func (r *Reader) Row(i int) []float32 {
	c := r.cache
	if c == nil {
		panic(readerClosed)
	}
	if uint(i) >= uint(c.n) {
		panic(badRow)
	}
	if s, fixed := c.look(i); s != none && r.have(int32(i), s, fixed) {
		if fixed {
			return c.data(s)
		}
		return r.keep(s)
	}
	return r.find(i)
}

// look returns the slot of row i, or none, without the lock. If fixed, the row
// is there and stays there; otherwise it may be gone already.
//
// The order of the two loads matters. Rows are dropped in critical sections of
// mu that have seen fixed false, and fixed is set in a critical section of mu,
// once while the cache has users: so every drop happens before fixed is set,
// that before it is loaded true here, and that before ready[i] is loaded. No
// drop can then come between, or after; and what ready[i] holds was stored by
// publish after the row and its slab were. With the loads exchanged, row i
// could be dropped, its slot given to another row and fixed set in between, and
// the slot taken for that of a row that stays.
func (c *Cache) look(i int) (s int32, fixed bool) {
	fixed = c.fixed.Load()
	return c.ready[i].Load() - 1, fixed
}

// have makes sure of row i in slot s, as look returned them, and counts the
// hit; if it returns false, the row must be found with the lock.
func (r *Reader) have(i, s int32, fixed bool) bool {
	if fixed {
		r.hits++
		return true
	}
	return r.noted < len(r.uses) && r.hit(i, s)
}

// hit pins the row in slot s without the lock and says whether that is still
// row i: a slot is given to another row only when nobody pins it.
func (r *Reader) hit(i, s int32) bool {
	c := r.cache
	p := c.pins[s].Load()
	if p < 0 || !c.pins[s].CompareAndSwap(p, p+1) {
		return false
	}
	if c.ready[i].Load() != s+1 {
		c.pins[s].Add(-1)
		return false
	}
	r.unpin()
	r.hits++
	r.uses[r.noted] = use{row: i, slot: s}
	r.noted++
	return true
}

// unpin gives up the older of the rows returned last.
func (r *Reader) unpin() {
	if s := r.pins[r.turn]; s != none {
		r.cache.pins[s].Add(-1)
		r.pins[r.turn] = none
	}
}

// note tells the cache what was read since the last call; the cache's lock is
// held.
func (r *Reader) note() {
	c := r.cache
	for _, u := range r.uses[:r.noted] {
		if slot := c.slots[u.slot]; slot.row == u.row && slot.ready {
			c.touch(u.slot)
		}
	}
	r.noted = 0
	c.stats.Hits += r.hits
	r.hits = 0
}

func (r *Reader) find(i int) []float32 {
	c := r.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	r.note()
	r.unpin()
	asked := false
	for {
		s := c.slotOf[i]
		if s != none && !c.slots[s].ready {
			c.done.Wait()
			continue
		}
		if s != none {
			c.touch(s)
			c.pins[s].Add(1)
			c.stats.Hits++
			return r.keep(s)
		}
		s = c.take()
		if s == none && !asked {
			asked = true
			if other := c.pool.richer(c, int64(c.per)*c.rowBytes()); other != nil {
				c.mu.Unlock()
				other.surrender()
				c.mu.Lock()
				continue
			}
		}
		if s == none {
			s = c.evict()
		}
		c.stats.Misses++
		if s == none {
			return r.alone(i)
		}
		c.assign(s, i)
		r.compute(i, s)
		return r.keep(s)
	}
}

// keep records that the row in slot s, which is pinned, is the one returned
// last.
func (r *Reader) keep(s int32) []float32 {
	r.pins[r.turn] = s
	r.turn = (r.turn + 1) % pinned
	return r.cache.data(s)
}

// compute computes row i into slot s, without the lock.
func (r *Reader) compute(i int, s int32) {
	c := r.cache
	dst, again := c.data(s), c.known[i]
	c.mu.Unlock()
	ok, start := false, c.clock()
	defer func() {
		took := c.clock() - start
		c.mu.Lock()
		if again {
			c.rent.again += took
		}
		if ok {
			c.publish(s)
		} else {
			c.abandon(s)
		}
		c.done.Broadcast()
	}()
	r.evaluate(dst, i)
	ok = true
}

// alone computes row i for this reader only: all slots are pinned.
func (r *Reader) alone(i int) []float32 {
	c := r.cache
	if r.private[r.turn] == nil {
		r.private[r.turn] = make([]float32, c.width())
	}
	dst := r.private[r.turn]
	r.turn = (r.turn + 1) % pinned
	c.stats.Computed++
	c.mu.Unlock()
	defer c.mu.Lock()
	r.evaluate(dst, i)
	return dst
}

func (r *Reader) evaluate(dst []float32, i int) {
	c := r.cache
	if r.eval == nil {
		r.eval = c.evaluator()
	}
	r.dst[0], r.row[0] = dst, i
	r.eval.rows(r.dst[:], r.row[:])
	r.computed += int64(len(dst))
}

// Close ends the reader's use of the cache: the rows it returned are no longer
// valid. Closing twice does nothing.
func (r *Reader) Close() {
	c := r.cache
	if c == nil {
		return
	}
	for range pinned {
		r.unpin()
		r.turn = (r.turn + 1) % pinned
	}
	c.leave(r)
	*r = Reader{computed: r.computed, pins: [pinned]int32{none, none}}
}

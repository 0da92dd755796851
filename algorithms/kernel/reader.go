package kernel

// Reader reads rows through a cache, for one run. It is not for concurrent
// use; any number of readers of a cache may be used concurrently.
type Reader struct {
	cache *Cache
	// kept holds the rows returned last; the next one replaces kept[turn].
	kept     [Kept]*row
	turn     int
	eval     *evaluator
	computed int64
}

// Reader returns a new reader. It panics if the cache is closed.
func (c *Cache) Reader() *Reader {
	c.Pool.mu.Lock()
	defer c.Pool.mu.Unlock()
	if c.closed {
		panic(cacheClosed)
	}
	c.readers++
	return &Reader{cache: c}
}

// Train returns the number of training points, n.
func (r *Reader) Train() int { return r.cache.Train }

// Len returns the number of points that a row spans: all N, if the cache does not
// say otherwise.
func (r *Reader) Len() int { return r.cache.Len() }

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
	if uint(i) >= uint(c.Train) {
		panic(badRow)
	}
	p := c.Pool
	p.mu.Lock()
	defer p.mu.Unlock()
	r.giveUp()
	x := c.rows[i]
	for x != nil && !x.ready {
		p.done.Wait()
		x = c.rows[i]
	}
	if x == nil {
		x = p.add(c, i)
		r.compute(x)
	} else {
		x.keepers++
		p.recent.MoveToFront(x.place)
	}
	r.kept[r.turn] = x
	r.turn = (r.turn + 1) % Kept
	return x.values
}

// giveUp no longer keeps the older of the rows returned last.
func (r *Reader) giveUp() {
	if x := r.kept[r.turn]; x != nil {
		x.keepers--
		r.kept[r.turn] = nil
	}
}

// compute computes a new row, without the pool's lock.
func (r *Reader) compute(x *row) {
	p := r.cache.Pool
	p.mu.Unlock()
	done := false
	defer func() {
		p.mu.Lock()
		if x.ready = done; done {
			x.cache.computed++
		} else { // the kernel panicked
			p.remove(x)
		}
		p.done.Broadcast()
	}()
	if r.eval == nil {
		r.eval = newEvaluator(r.cache.Kernel, r.cache.Points, r.cache.From, r.cache.To)
	}
	r.eval.row(x.values, x.i)
	r.computed += int64(len(x.values))
	done = true
}

// Close ends the reader's use of the cache: the rows it returned are no longer
// valid. Closing twice does nothing.
func (r *Reader) Close() {
	c := r.cache
	if c == nil {
		return
	}
	c.Pool.mu.Lock()
	defer c.Pool.mu.Unlock()
	for r.turn = range Kept {
		r.giveUp()
	}
	c.readers--
	c.release()
	*r = Reader{computed: r.computed}
}

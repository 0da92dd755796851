package kernel

// Reader reads the rows of a cache for one run. A Reader is not safe for concurrent use, but several
// readers of a cache are.
type Reader struct {
	cache *Cache
	// kept holds the last returned rows. The next row replaces kept[oldest].
	kept     [RowsPerReader]*row
	oldest   int
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

// Len returns the number of points that a row spans, all N by default.
func (r *Reader) Len() int { return r.cache.Len() }

// Diag returns K(x_j, x_j) for all j that a row spans. The caller must not modify it.
func (r *Reader) Diag() []float64 { return r.cache.diag }

// Computed returns the number of kernel values computed by this reader: Len for each row that was not
// cached.
func (r *Reader) Computed() int64 { return r.computed }

// Row returns row i, 0 <= i < n. The caller must not modify it. The last two returned rows are valid
// until the reader is closed. A cached row costs a look-up, another row an inner product for each point.
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
	r.releaseOldest()
	x := c.rows[i]
	for x != nil && !x.ready {
		p.done.Wait()
		x = c.rows[i]
	}
	if x == nil {
		x = p.add(c, i)
		r.compute(x)
	} else {
		x.users++
		p.recent.MoveToFront(x.element)
	}
	r.kept[r.oldest] = x
	r.oldest = (r.oldest + 1) % RowsPerReader
	return x.values
}

// releaseOldest releases the older of the kept rows.
func (r *Reader) releaseOldest() {
	if x := r.kept[r.oldest]; x != nil {
		x.users--
		r.kept[r.oldest] = nil
	}
}

// compute computes a new row. It releases the lock of the pool during the computation.
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

// Close closes the reader. Its rows are then no longer valid. Closing a reader twice has no effect.
func (r *Reader) Close() {
	c := r.cache
	if c == nil {
		return
	}
	c.Pool.mu.Lock()
	defer c.Pool.mu.Unlock()
	for r.oldest = range RowsPerReader {
		r.releaseOldest()
	}
	c.readers--
	c.release()
	*r = Reader{computed: r.computed}
}

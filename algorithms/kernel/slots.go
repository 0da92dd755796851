package kernel

import "slices"

// The methods of this file are called with the cache's lock held.

// take returns a free slot, in a new slab if need be, or none if the pool has
// no memory left.
func (c *Cache) take() int32 {
	if len(c.vacant) == 0 && !c.grow() {
		return none
	}
	s := c.vacant[len(c.vacant)-1]
	c.vacant = c.vacant[:len(c.vacant)-1]
	return s
}

// grow allocates a slab if there is one to be had.
func (c *Cache) grow() bool {
	k := 0
	for k < len(c.slabs) && c.slabs[k].rows != nil {
		k++
	}
	if k == len(c.slabs) {
		return false
	}
	lo, hi := c.slotsOf(k)
	if !c.fixed.Load() && int64(hi)*c.rowBytes() > rentFree && !c.rent.pays(hi-lo) {
		return false
	}
	ok, fits := c.pool.grab(c, int64(hi-lo)*c.rowBytes())
	if !ok {
		return false
	}
	c.slabs[k] = newSlab((hi - lo) * c.stride)
	c.rent.probe(c.slabs[k].rows[:c.stride], c.clock)
	if fits && !slices.ContainsFunc(c.slabs[k:], func(s slab) bool { return s.rows == nil }) {
		c.fixed.Store(true)
	}
	for s := hi - 1; s >= lo; s-- {
		c.vacant = append(c.vacant, int32(s))
	}
	return true
}

// assign gives slot s to row i, whose computation begins.
func (c *Cache) assign(s int32, i int) {
	c.slots[s] = slot{row: int32(i), prev: none, next: none}
	c.slotOf[i] = s
	c.pins[s].Add(1 - free)
}

// publish makes the row in slot s known.
func (c *Cache) publish(s int32) {
	c.known[c.slots[s].row] = true
	c.slots[s].ready = true
	c.push(s)
	c.ready[c.slots[s].row].Store(s + 1)
	c.stats.Computed++
}

// abandon frees slot s, whose row could not be computed.
func (c *Cache) abandon(s int32) {
	c.slotOf[c.slots[s].row] = none
	c.slots[s] = slot{row: none, prev: none, next: none}
	c.pins[s].Add(free - 1)
	c.vacant = append(c.vacant, s)
}

// evict frees the slot of the row that was not used for longest and is not
// pinned, and returns it, or none.
func (c *Cache) evict() int32 {
	if c.fixed.Load() {
		return none
	}
	for s := c.last; s != none; s = c.slots[s].prev {
		if c.claim(s) {
			c.drop(s)
			return s
		}
	}
	return none
}

// claim keeps readers off slot s unless its row is pinned.
func (c *Cache) claim(s int32) bool { return c.pins[s].CompareAndSwap(0, free) }

// drop removes the row in slot s, which is claimed.
func (c *Cache) drop(s int32) {
	i := c.slots[s].row
	c.ready[i].Store(0)
	c.slotOf[i] = none
	c.unlink(s)
	c.slots[s] = slot{row: none, prev: none, next: none}
	c.stats.Evicted++
}

// surrender gives a slab back to the pool: of those without a row that is
// pinned or being computed, the one that holds the row not used for longest.
func (c *Cache) surrender() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fixed.Load() || c.slabs == nil {
		return
	}
	k := none
	for s := c.last; s != none && k == none; s = c.slots[s].prev {
		if c.claimSlab(int(s) / c.per) {
			k = int(s) / c.per
		}
	}
	if k == none {
		return
	}
	lo, hi := c.slotsOf(k)
	for s := lo; s < hi; s++ {
		if c.slots[s].ready {
			c.drop(int32(s))
		}
	}
	kept := c.vacant[:0]
	for _, s := range c.vacant {
		if int(s)/c.per != k {
			kept = append(kept, s)
		}
	}
	c.vacant = kept
	garbage := c.slabs[k].free() // no row of it is pinned
	c.slabs[k] = slab{}
	c.pool.put(c, int64(hi-lo)*c.rowBytes(), garbage)
}

// claimSlab claims all rows of slab k unless one is pinned or being computed.
func (c *Cache) claimSlab(k int) bool {
	lo, hi := c.slotsOf(k)
	for s := lo; s < hi; s++ {
		if c.slots[s].row == none || c.claim(int32(s)) {
			continue
		}
		for s--; s >= lo; s-- {
			if c.slots[s].row != none {
				c.pins[s].Add(-free)
			}
		}
		return false
	}
	return true
}

// push puts slot s in front of the list.
func (c *Cache) push(s int32) {
	c.slots[s].prev, c.slots[s].next = none, c.first
	if c.first != none {
		c.slots[c.first].prev = s
	} else {
		c.last = s
	}
	c.first = s
}

func (c *Cache) unlink(s int32) {
	prev, next := c.slots[s].prev, c.slots[s].next
	if prev != none {
		c.slots[prev].next = next
	} else {
		c.first = next
	}
	if next != none {
		c.slots[next].prev = prev
	} else {
		c.last = prev
	}
}

// touch notes that the row in slot s is used.
func (c *Cache) touch(s int32) {
	if c.first != s {
		c.unlink(s)
		c.push(s)
	}
}

package kernel

import (
	"runtime"
	"sync"
)

// Pool bounds the memory of all caches of a process together. Caches draw
// slabs of rows from it as they need them and give them back when they are
// closed. A cache that nobody has asked for a row has no part in it.
//
// A cache whose whole matrix fits in what the others leave has that memory
// reserved, though it is only allocated as rows are computed. The caches that
// do not fit share the rest: one that has less than an equal part takes slabs
// from one that has more. A reader that finds no room at all, because every
// row is in use or another cache has all the memory, still works: its two rows
// are then its own, outside the pool.
type Pool struct {
	mu    sync.Mutex
	bytes int64
	// open lists the caches that asked for memory and are not closed.
	open []*Cache
	// garbage says that slabs on the Go heap were dropped since the last
	// collection: Go's collector knows nothing of the bound and would let the
	// heap double.
	garbage bool
}

// share is what a cache has of its pool; the pool's lock guards it.
type share struct {
	held     int64 // bytes of its slabs
	need     int64 // bytes of the whole matrix
	reserved bool
	open     bool // the pool lists the cache
}

// NewPool returns a pool of the given number of bytes.
func NewPool(bytes int64) *Pool { return &Pool{bytes: bytes} }

// Bytes returns the bound.
func (p *Pool) Bytes() int64 { return p.bytes }

// Used returns the bytes of the slabs that are allocated.
func (p *Pool) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	used := int64(0)
	for _, c := range p.open {
		used += c.share.held
	}
	return used
}

// join lists c.
func (p *Pool) join(c *Cache) {
	if !c.share.open {
		c.share.open = true
		p.open = append(p.open, c)
	}
}

// leave takes back all that c has, whose slabs are free; garbage says that some
// of them still are on the Go heap.
func (p *Pool) leave(c *Cache, garbage bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.open {
		if other == c {
			p.open = append(p.open[:i], p.open[i+1:]...)
			break
		}
	}
	p.garbage = p.garbage || garbage
	c.share = share{need: c.share.need}
}

// free returns the bytes that the caches other than c leave.
func (p *Pool) free(c *Cache) int64 {
	free := p.bytes
	for _, other := range p.open {
		switch {
		case other == c:
		case other.share.reserved:
			free -= other.share.need
		default:
			free -= other.share.held
		}
	}
	return free
}

// reserve reserves the whole matrix of c if it fits and says whether it does.
func (p *Pool) reserve(c *Cache) bool {
	if !c.share.reserved && c.share.need <= p.free(c) {
		p.join(c)
		c.share.reserved = true
	}
	return c.share.reserved
}

// tryReserve is reserve for callers that do not hold the lock.
func (p *Pool) tryReserve(c *Cache) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reserve(c)
}

// grab lets c allocate a slab if there is memory for it.
func (p *Pool) grab(c *Cache, bytes int64) (ok, reserved bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.join(c)
	reserved = p.reserve(c)
	if !reserved && c.share.held+bytes > p.free(c) {
		return false, false
	}
	c.share.held += bytes
	if p.garbage {
		p.garbage = false
		runtime.GC()
	}
	return true, reserved
}

// put takes a slab back, which is free; garbage says that it still is on the Go
// heap.
func (p *Pool) put(c *Cache, bytes int64, garbage bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.share.held -= bytes
	p.garbage = p.garbage || garbage
}

// richer returns a cache that should give up a slab for c to have one of the
// given bytes, or nil: of the caches that have more than their equal part of
// what is not reserved, the one that has most, provided that c has less.
func (p *Pool) richer(c *Cache, bytes int64) *Cache {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest, sharing := p.bytes, int64(0)
	for _, other := range p.open {
		if other.share.reserved {
			rest -= other.share.need
		} else {
			sharing++
		}
	}
	if sharing < 2 || c.share.reserved {
		return nil
	}
	part := rest / sharing
	if c.share.held+bytes > part {
		return nil
	}
	var most *Cache
	for _, other := range p.open {
		if other == c || other.share.reserved || other.share.held <= part {
			continue
		}
		if most == nil || other.share.held > most.share.held {
			most = other
		}
	}
	return most
}

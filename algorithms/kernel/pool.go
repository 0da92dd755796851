package kernel

import (
	"container/list"
	"sync"

	"stochopt/algorithms/internal/hugepage"
)

// Pool bounds the total memory of the rows of all caches. It evicts the least recently used rows that no
// reader holds.
type Pool struct {
	bytes int64

	mu     sync.Mutex
	done   sync.Cond // signals that a row is ready, or that its computation failed
	used   int64
	recent list.List // of *row, the most recently used in front
}

// row is a row of a cache. The lock of the pool guards it.
type row struct {
	cache   *Cache
	i       int
	values  []float32
	ready   bool
	users   int           // number of readers that hold or compute the row
	element *list.Element // nil if the row is not in the pool
}

// NewPool returns a pool of the given number of bytes.
func NewPool(bytes int64) *Pool {
	p := &Pool{bytes: bytes}
	p.done.L = &p.mu
	return p
}

// Bytes returns the bound in bytes.
func (p *Pool) Bytes() int64 { return p.bytes }

// Used returns the memory of the rows in the pool in bytes.
func (p *Pool) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// add returns a new row i of c, which the caller must compute. If readers use all rows of the pool, the
// new row is not in the pool.
func (p *Pool) add(c *Cache, i int) *row {
	x := &row{cache: c, i: i, users: 1}
	for e := p.recent.Back(); e != nil && p.used+c.rowBytes() > p.bytes; {
		old := e.Value.(*row)
		e = e.Prev()
		if old.users > 0 {
			continue
		}
		p.remove(old)
		if len(old.values) == c.Len() {
			x.values = old.values
		}
	}
	if x.values == nil {
		x.values = make([]float32, c.Len())
		hugepage.Advise(x.values)
	}
	if p.used+c.rowBytes() <= p.bytes {
		p.used += c.rowBytes()
		x.element = p.recent.PushFront(x)
		c.rows[i] = x
	}
	return x
}

// remove removes a row from the pool.
func (p *Pool) remove(x *row) {
	if x.element != nil {
		p.recent.Remove(x.element)
		p.used -= x.cache.rowBytes()
		x.element, x.cache.rows[x.i] = nil, nil
	}
}

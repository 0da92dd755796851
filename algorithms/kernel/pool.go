package kernel

import (
	"container/list"
	"sync"
)

// Pool bounds the memory of the rows of all caches of a process together. It
// is full of rows in the order of their use: where a row finds no room, those
// not used for longest make it, except for the ones that readers keep.
type Pool struct {
	bytes int64

	mu     sync.Mutex
	done   sync.Cond // a row has become ready, or its computation failed
	used   int64
	recent list.List // of *row, the one used last in front
}

// row is a row of a cache in a pool, whose lock guards it.
type row struct {
	cache  *Cache
	i      int
	values []float32
	ready  bool
	// keepers is the number of readers that keep the row, or compute it.
	keepers int
	place   *list.Element
}

// NewPool returns a pool of the given number of bytes.
func NewPool(bytes int64) *Pool {
	p := &Pool{bytes: bytes}
	p.done.L = &p.mu
	return p
}

// Bytes returns the bound.
func (p *Pool) Bytes() int64 { return p.bytes }

// Used returns the number of bytes of the rows in the pool.
func (p *Pool) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// add returns a new row i of c, which its caller keeps and has to compute. Where
// there is no room for it, because readers keep all rows, it is not in the pool.
func (p *Pool) add(c *Cache, i int) *row {
	x := &row{cache: c, i: i, keepers: 1}
	for e := p.recent.Back(); e != nil && p.used+c.rowBytes() > p.bytes; {
		old := e.Value.(*row)
		e = e.Prev()
		if old.keepers > 0 {
			continue
		}
		p.remove(old)
		if len(old.values) == c.Len() {
			x.values = old.values
		}
	}
	if x.values == nil {
		x.values = make([]float32, c.Len())
	}
	if p.used+c.rowBytes() <= p.bytes {
		p.used += c.rowBytes()
		x.place = p.recent.PushFront(x)
		c.rows[i] = x
	}
	return x
}

// remove takes a row out of the pool.
func (p *Pool) remove(x *row) {
	if x.place != nil {
		p.recent.Remove(x.place)
		p.used -= x.cache.rowBytes()
		x.place, x.cache.rows[x.i] = nil, nil
	}
}

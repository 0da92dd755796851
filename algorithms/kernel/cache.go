package kernel

import (
	"fmt"
	"math"
)

// Kept is the number of rows that a reader keeps valid, those returned last.
const Kept = 2

// CacheConfig describes the rows of a kernel matrix.
type CacheConfig struct {
	Kernel Kernel
	// Points holds the N points, the training points first.
	Points *Points
	// Train is the number n of training points.
	Train int
	// Pool bounds the memory of the rows.
	Pool *Pool
	// From and To say which points a row spans: From <= j < To. If both are 0
	// it spans all of them.
	From, To int
}

// Cache holds rows of a kernel matrix, K(x_i, x_j) for a training point i and
// all points j that its rows span, for any number of concurrent readers. A row
// is computed when it is first asked for, by who asks; others who want it
// meanwhile wait for it. It stays until the pool needs its room. A cache must
// be closed for its memory to be freed.
type Cache struct {
	CacheConfig
	diag []float64

	// The pool's lock guards what follows.
	rows     []*row // of each training point, nil if it is not there
	computed int64  // rows
	readers  int
	closed   bool
}

// NewCache returns an empty cache. It returns an error if the configuration is
// invalid, if the kernel's value of some point with itself is not a finite
// 32-bit number, or if the pool is smaller than the rows that one reader keeps.
func NewCache(cfg CacheConfig) (*Cache, error) {
	switch {
	case cfg.Kernel == nil || cfg.Points == nil || cfg.Pool == nil:
		return nil, fmt.Errorf("kernel cache: the kernel, the points and the pool must be given")
	case cfg.Train < 1 || cfg.Train > cfg.Points.Len():
		return nil, fmt.Errorf("kernel cache: %d training points of %d points; there must be at least one and no more than there are points",
			cfg.Train, cfg.Points.Len())
	}
	if cfg.From == 0 && cfg.To == 0 {
		cfg.To = cfg.Points.Len()
	}
	if cfg.From < 0 || cfg.To > cfg.Points.Len() || cfg.From >= cfg.To {
		return nil, fmt.Errorf("kernel cache: rows from point %d to point %d of %d; they must span at least one point, and no others than there are",
			cfg.From, cfg.To, cfg.Points.Len())
	}
	if k, ok := cfg.Kernel.(interface{ Check() error }); ok {
		if err := k.Check(); err != nil {
			return nil, err
		}
	}
	c := &Cache{CacheConfig: cfg, diag: make([]float64, cfg.To-cfg.From), rows: make([]*row, cfg.Train)}
	for j, xx := range c.Points.norms[c.From:c.To] {
		value := float32(c.Kernel.Eval(xx, xx, xx))
		c.diag[j] = float64(value)
		if math.IsNaN(c.diag[j]) || math.IsInf(c.diag[j], 0) {
			return nil, fmt.Errorf("kernel cache: %s of point %d with itself is %v in single precision; scale the features or the kernel",
				c.Kernel, c.From+j+1, value)
		}
	}
	if least := Kept * c.rowBytes(); c.Pool.bytes < least {
		return nil, fmt.Errorf("kernel cache: %d bytes of memory are too few: a row of the kernel matrix over %d points takes %d bytes, and two are needed; give --memory at least %d bytes",
			max(c.Pool.bytes, 0), c.Len(), c.rowBytes(), least)
	}
	return c, nil
}

// Len returns the number of points that a row spans.
func (c *Cache) Len() int { return len(c.diag) }

// rowBytes is the memory of a row.
func (c *Cache) rowBytes() int64 { return RowBytes(c.Len()) }

// RowBytes returns what a row of n entries takes on the heap at most: in whole pages of
// 8 KiB if it is longer than 32 KiB.
func RowBytes(n int) int64 {
	const small, page = 8192, 2048 // entries
	if n <= small {
		return 4 * int64(roundUp(n, 16))
	}
	return 4 * int64(roundUp(n, page))
}

// Computed returns the number of rows computed so far, those that the pool dropped
// and were computed again included.
func (c *Cache) Computed() int64 {
	c.Pool.mu.Lock()
	defer c.Pool.mu.Unlock()
	return c.computed
}

// Close gives the memory back to the pool once all readers are closed. No
// reader can be opened any more. Closing twice does nothing.
func (c *Cache) Close() {
	c.Pool.mu.Lock()
	defer c.Pool.mu.Unlock()
	c.closed = true
	c.release()
}

// release drops all rows if the cache is closed and nobody reads it.
func (c *Cache) release() {
	if !c.closed || c.readers > 0 {
		return
	}
	for _, x := range c.rows {
		if x != nil {
			c.Pool.remove(x)
		}
	}
}

package kernel

import (
	"fmt"
	"math"
)

// RowsPerReader is the number of rows that a reader keeps valid: the last ones returned.
const RowsPerReader = 2

// CacheConfig describes the rows of a kernel matrix.
type CacheConfig struct {
	Kernel Kernel
	// Points holds the N points, the training points first.
	Points *Points
	// Train is the number n of training points.
	Train int
	// Pool bounds the memory of the rows.
	Pool *Pool
	// From and To restrict a row to the points From <= j < To. If both are 0, a row spans all points.
	From, To int
}

// Cache holds rows of a kernel matrix for any number of concurrent readers. Row i holds K(x_i, x_j) for
// a training point i and all points From <= j < To. The first reader that needs a row computes it, and
// concurrent readers of the row wait. A row remains in the cache until the pool evicts it. A cache must
// be closed to free its memory.
type Cache struct {
	CacheConfig
	diag []float64

	// The lock of the pool guards the following fields.
	rows     []*row // row of each training point, nil if it is not cached
	computed int64  // number of computed rows
	readers  int
	closed   bool
}

// NewCache returns an empty cache. It returns an error if the configuration is invalid, if a K(x_j, x_j)
// is not a finite 32-bit number, or if the pool is too small for one reader.
func NewCache(cfg CacheConfig) (*Cache, error) {
	switch {
	case cfg.Kernel == nil || cfg.Points == nil || cfg.Pool == nil:
		return nil, fmt.Errorf("kernel cache: the kernel, the points or the pool are nil")
	case cfg.Train < 1 || cfg.Train > cfg.Points.Len():
		return nil, fmt.Errorf("kernel cache: %d training points; there must be between 1 and %d, the number of points",
			cfg.Train, cfg.Points.Len())
	}
	if cfg.From == 0 && cfg.To == 0 {
		cfg.To = cfg.Points.Len()
	}
	if cfg.From < 0 || cfg.To > cfg.Points.Len() || cfg.From >= cfg.To {
		return nil, fmt.Errorf("kernel cache: rows span the points [%d, %d); this must be a nonempty part of [0, %d)",
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
	if least := RowsPerReader * c.rowBytes(); c.Pool.bytes < least {
		return nil, fmt.Errorf("kernel cache: %d bytes of memory are not enough for two rows of %d points, "+
			"of %d bytes each; set --memory to at least %d bytes", max(c.Pool.bytes, 0), c.Len(), c.rowBytes(), least)
	}
	return c, nil
}

// Len returns the number of points that a row spans.
func (c *Cache) Len() int { return len(c.diag) }

// rowBytes returns the memory of a row in bytes.
func (c *Cache) rowBytes() int64 { return RowBytes(c.Len()) }

// RowBytes returns a bound on the heap memory of a row of n entries, in bytes. A row of more than 32 KiB
// takes whole pages of 8 KiB.
func RowBytes(n int) int64 {
	const small, page = 8192, 2048 // entries
	if n <= small {
		return 4 * int64(roundUp(n, 16))
	}
	return 4 * int64(roundUp(n, page))
}

// Computed returns the number of rows computed so far. Rows that were evicted and recomputed count
// again.
func (c *Cache) Computed() int64 {
	c.Pool.mu.Lock()
	defer c.Pool.mu.Unlock()
	return c.computed
}

// Close returns the memory to the pool as soon as all readers are closed. No further reader can be
// opened. Closing a cache twice has no effect.
func (c *Cache) Close() {
	c.Pool.mu.Lock()
	defer c.Pool.mu.Unlock()
	c.closed = true
	c.release()
}

// release removes all rows if the cache and its readers are closed.
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

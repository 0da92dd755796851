package kernel

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

const (
	// rowGrain is the multiple of entries that rows are padded to: a cache
	// line.
	rowGrain = 16
	// slabShare is the part of the pool that a slab aims at, slabBytes its
	// greatest size unless a row is longer.
	slabShare = 64
	slabBytes = 32 << 20
	pinned    = Kept
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
	// Clock tells the seconds since some moment, by which a cache grows as it pays. If it is
	// nil, the cache takes the memory that there is.
	Clock func() float64
	// From and To say which points a row spans: From <= j < To. If both are 0
	// it spans all of them.
	From, To int
}

// Cache holds rows of a kernel matrix, K(x_i, x_j) for a training point i and
// all points j that its rows span, for any number of concurrent readers. A row is computed when
// it is first asked for, by who asks; others who want it meanwhile wait for it.
// If the whole matrix fits in the pool when the first row is asked for, or
// later, every row stays once there are slabs for all, which are taken as they pay;
// otherwise the row not used for longest makes room, except for the two that each
// reader returned last. A cache must be closed for
// its memory to be freed.
type Cache struct {
	kernel Kernel
	points *Points
	pool   *Pool
	n      int
	from   int // the first point of a row
	diag   []float64
	table  []float32

	rent  rent
	clock func() float64
	// known says of each training point whether its row has been computed.
	known []bool

	stride int // entries of a row in a slab, its padding included
	per    int // rows of a slab
	share  share

	// fixed says that the memory of the whole matrix is reserved, and taken or to be
	// taken as it is filled: a row that is there remains there. It is written under mu.
	fixed atomic.Bool
	// ready holds, for each training point, 1 more than the slot of its row
	// once that can be read, else 0. It is written under mu.
	ready []atomic.Int32
	// pins holds, for each slot, how many readers keep its row valid. Who
	// computes a row pins it. A slot without a row has free instead; only where
	// the computation of a row failed can a reader that came too late for the
	// slot's row before still have added 1, which it takes away: see
	// Reader.hit.
	pins []atomic.Int32

	mu     sync.Mutex
	done   sync.Cond // a row has become ready, or its computation failed
	slotOf []int32   // of each training point, none if it has none
	slots  []slot    // slot s is row s%per of slab s/per
	slabs  []slab
	vacant []int32 // slots of slabs that hold no row
	first  int32   // ready slots, most recently used first
	last   int32

	users  int // open readers and fills
	closed bool
	stats  Stats
}

// slot is a place for a row.
type slot struct {
	row        int32 // none if the slot is free
	ready      bool
	prev, next int32
}

const (
	none = -1
	free = math.MinInt32 / 2
)

// Stats says what a cache did.
type Stats struct {
	// Rows is the number of rows of the matrix, n, and Resident how many of
	// them are there.
	Rows, Resident int
	// Bytes is the memory that the cache has of the pool.
	Bytes int64
	// Hits and Misses count the calls of Row that found the row there, or
	// being computed, and that did not. Readers add their hits now and then,
	// and when they are closed.
	Hits, Misses int64
	// Computed is the number of rows computed, by readers and by Fill.
	Computed int64
	// Evicted is the number of rows that made room for others.
	Evicted int64
}

// NewCache returns an empty cache, which takes and reserves no memory of the
// pool before a row is asked for. It returns an error if the configuration is
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
	from, to := cfg.From, cfg.To
	if from == 0 && to == 0 {
		to = cfg.Points.Len()
	}
	if from < 0 || to > cfg.Points.Len() || from >= to {
		return nil, fmt.Errorf("kernel cache: rows from point %d to point %d of %d; they must span at least one point, and no others than there are", from, to, cfg.Points.Len())
	}
	if k, ok := cfg.Kernel.(interface{ Check() error }); ok {
		if err := k.Check(); err != nil {
			return nil, err
		}
	}
	n := cfg.Train
	c := &Cache{
		kernel: cfg.Kernel,
		points: cfg.Points,
		pool:   cfg.Pool,
		n:      n,
		from:   from,
		diag:   make([]float64, to-from),
		table:  gaussTable(cfg.Kernel, cfg.Points),
		stride: roundUp(to-from, rowGrain),
		ready:  make([]atomic.Int32, n),
		slotOf: make([]int32, n),
		pins:   make([]atomic.Int32, n),
		slots:  make([]slot, n),
		known:  make([]bool, n),
		first:  none,
		last:   none,
		stats:  Stats{Rows: n},
	}
	if c.clock = cfg.Clock; c.clock == nil {
		c.clock = func() float64 { return 0 }
	}
	c.done.L = &c.mu
	for i, xx := range c.points.norms[from:to] {
		value := float32(c.kernel.Eval(xx, xx, xx))
		c.diag[i] = float64(value)
		if math.IsNaN(c.diag[i]) || math.IsInf(c.diag[i], 0) {
			return nil, fmt.Errorf("kernel cache: %s of point %d with itself is %v in single precision; scale the features or the kernel", c.kernel, from+i+1, value)
		}
	}
	if least := pinned * c.rowBytes(); c.pool.bytes < least {
		return nil, fmt.Errorf("kernel cache: %d bytes of memory are too few: a row of the kernel matrix over %d points takes %d bytes, and two are needed; give --memory at least %d bytes",
			max(c.pool.bytes, 0), c.width(), c.rowBytes(), least)
	}
	for i := range c.slotOf {
		c.slotOf[i] = none
		c.slots[i] = slot{row: none, prev: none, next: none}
		c.pins[i].Store(free)
	}
	target := min(c.pool.bytes/slabShare, slabBytes)
	c.per = int(min(max(target/c.rowBytes(), 1), int64(n)))
	c.slabs = make([]slab, (n+c.per-1)/c.per)
	c.share.need = int64(n) * c.rowBytes()
	return c, nil
}

func (c *Cache) rowBytes() int64 { return 4 * int64(c.stride) }

// width returns the number of points that a row spans.
func (c *Cache) width() int { return len(c.diag) }

// evaluator returns the working memory of one goroutine.
func (c *Cache) evaluator() *evaluator {
	return newEvaluator(c.kernel, c.points, c.table, c.from, c.from+c.width())
}

// reserve reserves the memory of the whole matrix and says whether it could.
func (c *Cache) reserve() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.fixed.Load() && c.pool.tryReserve(c) {
		c.fixed.Store(true)
	}
	return c.fixed.Load()
}

// Stats returns what the cache did so far.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	for k, slab := range c.slabs {
		s.Bytes += 4 * int64(len(slab.rows))
		lo, hi := c.slotsOf(k)
		for _, slot := range c.slots[lo:hi] {
			if slot.ready {
				s.Resident++
			}
		}
	}
	return s
}

// Close gives the memory back to the pool once all readers are closed. No
// reader can be opened any more. Closing twice does nothing.
func (c *Cache) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		c.release()
	}
}

// enter adds a user, a reader or a fill; leave takes one away.
func (c *Cache) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		panic(cacheClosed)
	}
	c.users++
}

func (c *Cache) leave(r *Reader) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r != nil {
		r.note()
	}
	c.users--
	c.release()
}

// release drops all rows if the cache is closed and nobody uses it.
func (c *Cache) release() {
	if !c.closed || c.users > 0 {
		return
	}
	c.fixed.Store(false)
	garbage := false
	for _, s := range c.slabs {
		garbage = s.free() || garbage
	}
	c.slabs, c.slots, c.vacant = nil, nil, nil
	c.pool.leave(c, garbage)
}

// slotsOf returns the slots of slab k.
func (c *Cache) slotsOf(k int) (lo, hi int) { return k * c.per, min((k+1)*c.per, c.n) }

// data returns the row in slot s.
func (c *Cache) data(s int32) []float32 {
	at, n := int(s)%c.per*c.stride, c.width()
	return c.slabs[int(s)/c.per].rows[at : at+n : at+n]
}

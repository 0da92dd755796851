package kernel

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// counting is a kernel that counts its evaluations.
type counting struct {
	evals *atomic.Int64
	enter func()
}

func (k counting) Eval(dot, xx, yy float64) float64 {
	k.evals.Add(1)
	if k.enter != nil {
		k.enter()
	}
	return dot + 1
}

func (k counting) String() string { return "counting" }

func testPoints(t testing.TB, n int) *Points {
	t.Helper()
	p, err := NewPoints(makeDense(random(11), n, 6), all(n))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newCache(t testing.TB, k Kernel, p *Points, train int, pool *Pool) *Cache {
	t.Helper()
	c, err := NewCache(CacheConfig{Kernel: k, Points: p, Train: train, Pool: pool})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// rowsOfMemory returns the memory of the given number of rows over n points.
func rowsOfMemory(rows, n int) int64 { return int64(rows) * RowBytes(n) }

// check checks that row is row i of the kernel matrix.
func check(t testing.TB, p *Points, k Kernel, i int, row []float32) {
	t.Helper()
	if len(row) != p.Len() {
		t.Fatalf("row %d has %d entries for %d points", i, len(row), p.Len())
	}
	for j, got := range row {
		if want := float32(k.Eval(p.Dot(i, j), p.NormSq(i), p.NormSq(j))); got != want {
			t.Fatalf("row %d, entry %d is %v, want %v", i, j, got, want)
		}
	}
}

func TestCacheErrors(t *testing.T) {
	p := testPoints(t, 40)
	pool := NewPool(1 << 20)
	huge, err := NewPoints(&data{d: 1, dense: [][]float64{{1.5}, {1e30}}}, all(2))
	if err != nil {
		t.Fatal(err)
	}
	good := CacheConfig{Kernel: Linear{}, Points: p, Train: 1, Pool: pool}
	if c, err := NewCache(good); err != nil {
		t.Fatal(err)
	} else {
		c.Close()
	}
	for name, change := range map[string]func(c *CacheConfig){
		"no kernel":            func(c *CacheConfig) { c.Kernel = nil },
		"no pool":              func(c *CacheConfig) { c.Pool = nil },
		"no training points":   func(c *CacheConfig) { c.Train = 0 },
		"too many":             func(c *CacheConfig) { c.Train = 41 },
		"gamma 0":              func(c *CacheConfig) { c.Kernel = Gaussian{0} },
		"gamma NaN":            func(c *CacheConfig) { c.Kernel = Gaussian{math.NaN()} },
		"gamma infinite":       func(c *CacheConfig) { c.Kernel = Gaussian{math.Inf(1)} },
		"degree 0":             func(c *CacheConfig) { c.Kernel = Polynomial{1, 1, 0} },
		"polynomial gamma":     func(c *CacheConfig) { c.Kernel = Polynomial{-1, 1, 2} },
		"coef0":                func(c *CacheConfig) { c.Kernel = Polynomial{1, -1, 2} },
		"from":                 func(c *CacheConfig) { c.From, c.To = -1, 40 },
		"to":                   func(c *CacheConfig) { c.From, c.To = 1, 41 },
		"no span":              func(c *CacheConfig) { c.From, c.To = 7, 7 },
		"overflow in the span": func(c *CacheConfig) { c.Points, c.From, c.To = huge, 1, 2 },
		"overflow":             func(c *CacheConfig) { c.Points = huge },
		"memory":               func(c *CacheConfig) { c.Pool = NewPool(rowsOfMemory(2, 40) - 1) },
		"no memory":            func(c *CacheConfig) { c.Pool = NewPool(-5) },
	} {
		cfg := good
		change(&cfg)
		if _, err := NewCache(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if pool.used != 0 {
		t.Errorf("the pool contains rows of failed caches")
	}
}

func TestKernelNames(t *testing.T) {
	for want, k := range map[string]Kernel{
		"gaussian(gamma=0.05)": Gaussian{0.05},
		"linear":               Linear{},
		"polynomial(degree=3, gamma=0.5, coef0=1)": Polynomial{0.5, 1, 3},
	} {
		if k.String() != want {
			t.Errorf("%T is named %q, want %q", k, k.String(), want)
		}
	}
}

func TestReader(t *testing.T) {
	p := testPoints(t, 50)
	k := Gaussian{0.2}
	c := newCache(t, k, p, 30, NewPool(1<<20))
	r := c.Reader()
	if r.Train() != 30 || r.Len() != 50 || len(r.Diag()) != 50 {
		t.Fatalf("Train %d, Len %d, %d of Diag", r.Train(), r.Len(), len(r.Diag()))
	}
	for _, i := range []int{0, 29, 3, 0, 3, 29} {
		row := r.Row(i)
		check(t, p, k, i, row)
		if float64(row[i]) != r.Diag()[i] {
			t.Errorf("diagonal %v, row %v", r.Diag()[i], row[i])
		}
	}
	if r.Computed() != 3*50 {
		t.Errorf("%d evaluations computed, want 150", r.Computed())
	}
	for _, i := range []int{-1, 30} {
		func() {
			defer func() {
				if recover() != badRow {
					t.Errorf("Row(%d) did not panic", i)
				}
			}()
			r.Row(i)
		}()
	}
	r.Close()
	r.Close()
	if r.Computed() != 150 {
		t.Errorf("Close reset the count of computed values")
	}
	if got := c.Pool.used; got != rowsOfMemory(3, 50) {
		t.Errorf("%d bytes used by three rows", got)
	}
	c.Close()
	c.Close()
	defer func() {
		if recover() != cacheClosed {
			t.Error("Reader of a closed cache did not panic")
		}
	}()
	c.Reader()
}

// TestLeastRecentlyUsed compares the evictions with a list of least recent use.
func TestLeastRecentlyUsed(t *testing.T) {
	const n, capacity = 40, 7
	p := testPoints(t, n)
	var evals atomic.Int64
	c := newCache(t, counting{evals: &evals}, p, n, NewPool(rowsOfMemory(capacity, n)))
	evals.Store(0)
	r := c.Reader()
	rng := random(6)
	var order []int // most recent last
	misses := 0
	for range 3000 {
		i := rng.IntN(n)
		if rng.IntN(2) == 0 {
			i = rng.IntN(capacity)
		}
		k := slices.Index(order, i)
		if k >= 0 {
			order = slices.Delete(order, k, k+1)
		} else {
			misses++
			if len(order) == capacity {
				order = order[1:]
			}
		}
		order = append(order, i)
		row := r.Row(i)
		if row[i] != float32(p.NormSq(i)+1) {
			t.Fatalf("row %d is wrong", i)
		}
		if got := evals.Load(); got != int64(misses*n) {
			t.Fatalf("%d evaluations after %d misses", got, misses)
		}
	}
	if got := c.Pool.used; got != rowsOfMemory(capacity, n) {
		t.Errorf("%d bytes used of the memory of %d rows", got, capacity)
	}
}

func TestRowIsComputedOnce(t *testing.T) {
	const n, readers = 60, 8
	p := testPoints(t, n)
	var evals, computed atomic.Int64
	c := newCache(t, counting{evals: &evals, enter: runtime.Gosched}, p, n, NewPool(1<<20))
	evals.Store(0)
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			r := c.Reader()
			defer r.Close()
			for i := range n {
				if r.Row(i)[i] != float32(p.NormSq(i)+1) {
					t.Errorf("row %d is wrong", i)
				}
			}
			computed.Add(r.Computed())
		})
	}
	wg.Wait()
	if evals.Load() != n*n || computed.Load() != n*n {
		t.Errorf("%d evaluations, readers report %d, want %d", evals.Load(), computed.Load(), n*n)
	}
}

// TestPanicInKernel checks that a panic of the kernel only affects the reader that computes the row.
func TestPanicInKernel(t *testing.T) {
	const n = 20
	p := testPoints(t, n)
	var evals atomic.Int64
	var fail atomic.Bool
	k := counting{evals: &evals, enter: func() {
		if fail.Load() {
			panic("user's mistake")
		}
	}}
	c := newCache(t, k, p, n, NewPool(1<<20))
	fail.Store(true)
	r := c.Reader()
	for range 3 {
		func() {
			defer func() {
				if recover() != "user's mistake" {
					t.Error("no panic")
				}
			}()
			r.Row(4)
		}()
	}
	fail.Store(false)
	if r.Row(4)[4] != float32(p.NormSq(4)+1) {
		t.Error("row 4 is wrong")
	}
	r.Close()
	c.Close()
}

func TestHitsDoNotAllocate(t *testing.T) {
	const n = 64
	p := testPoints(t, n)
	for _, capacity := range []int{n, 16} {
		c := newCache(t, Gaussian{1}, p, n, NewPool(rowsOfMemory(capacity, n)))
		r := c.Reader()
		for i := range 16 {
			r.Row(i)
		}
		i := 0
		if got := testing.AllocsPerRun(1000, func() {
			r.Row(i % 16)
			i++
		}); got != 0 {
			t.Errorf("%v allocations for a row in the cache", got)
		}
	}
}

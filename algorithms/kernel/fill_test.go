package kernel

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestFill(t *testing.T) {
	eachShape(t, 400, func(t *testing.T, m *data, rows []int, p *Points) {
		k := Gaussian{0.1}
		train := p.Len() - 13
		single := newCache(t, k, p, train, NewPool(1<<30))
		filled := newCache(t, k, p, train, NewPool(int64(train)*rowsOfMemory(1, p.Len())))
		if !filled.Fits() {
			t.Fatal("the matrix does not fit in memory of just its size")
		}
		a, b := single.Reader(), filled.Reader()
		b.Row(7) // Fill leaves it alone
		if err := filled.Fill(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		if s := filled.Stats(); s.Resident != train || s.Computed != int64(train) || s.Bytes != filled.pool.Bytes() {
			t.Fatalf("stats %+v for %d rows", s, train)
		}
		before := b.Computed()
		for i := range train {
			if !slices.Equal(a.Row(i), b.Row(i)) {
				t.Fatalf("row %d differs", i)
			}
		}
		if b.Computed() != before {
			t.Errorf("rows were computed after Fill")
		}
	})
}

func TestFillStops(t *testing.T) {
	p := testPoints(t, 50)
	c := newCache(t, Linear{}, p, 50, NewPool(1<<20))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Fill(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	small := newCache(t, Linear{}, p, 50, NewPool(rowsOfMemory(49, 50)))
	if err := small.Fill(context.Background(), 2); err != nil || small.Stats().Resident != 0 {
		t.Errorf("Fill of what does not fit: error %v, %d rows", err, small.Stats().Resident)
	}
}

// Fill and readers at work on the same rows.
func TestFillWithReaders(t *testing.T) {
	const n = 150
	p := testPoints(t, n)
	k := Gaussian{0.2}
	c := newCache(t, k, p, n, NewPool(1<<30))
	var wg sync.WaitGroup
	for g := range 3 {
		wg.Go(func() {
			r := c.Reader()
			defer r.Close()
			rng := random(uint64(g))
			for range 400 {
				i := rng.IntN(n)
				check(t, p, k, i, r.Row(i))
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			if err := c.Fill(context.Background(), 2); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if s := c.Stats(); s.Computed != n {
		t.Errorf("%d rows were computed, want %d", s.Computed, n)
	}
}

// A reader waits for a row that Fill computes, and is told.
func TestReaderWaitsForFill(t *testing.T) {
	const n = 40
	p := testPoints(t, n)
	var evals atomic.Int64
	var block atomic.Bool
	begun, release := make(chan struct{}, n*n), make(chan struct{})
	c := newCache(t, counting{evals: &evals, enter: func() {
		if block.Load() {
			begun <- struct{}{}
			<-release
		}
	}}, p, n, NewPool(1<<20))
	evals.Store(0)
	block.Store(true)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := c.Fill(context.Background(), 1); err != nil {
			t.Error(err)
		}
	})
	<-begun // with row 0 among the first
	wg.Go(func() {
		r := c.Reader()
		defer r.Close()
		if r.Row(0)[0] != float32(p.SqNorm(0)+1) || r.Computed() != 0 {
			t.Errorf("row 0 is wrong, or was computed again")
		}
	})
	time.Sleep(5 * time.Millisecond)
	block.Store(false)
	close(release)
	wg.Wait()
	if evals.Load() != n*n {
		t.Errorf("%d evaluations, want %d", evals.Load(), n*n)
	}
}

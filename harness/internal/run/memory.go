package run

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
	"sync"

	"stochopt/harness/internal/plan"
	"stochopt/internal/record"

	"golang.org/x/sync/semaphore"
)

// ProgramMemory is the memory of the program itself, in bytes: code, input and output, figures, and
// garbage not collected yet.
const ProgramMemory = 256 << 20

// LimitHeap sets the memory limit of the garbage collector to bytes plus ProgramMemory, unless
// GOMEMLIMIT is lower.
func LimitHeap(bytes int64) {
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, bytes+min(ProgramMemory, math.MaxInt64-bytes)))
}

// memory allots memory to runs, apart from data and kernel rows. A run acquires all that it needs
// before it allocates anything.
type memory struct {
	// total is the memory limit, in bytes. data of it are for the datasets, rows for kernel rows, and
	// bytes for the runs.
	total, data, rows, bytes int64
	free                     *semaphore.Weighted
	acquired                 sync.Map // bytes by *plan.Item
}

// newMemory divides the memory between kernel rows and runs. Without kernel rows the runs get all of
// it. Otherwise they get what concurrent runs need, at most a quarter, but enough for the largest run.
func newMemory(pending []*plan.Item, s settings) *memory {
	var largest, rows int64
	for _, it := range pending {
		if n := it.Need(); it.Fits(s.Memory, s.Data) == nil {
			largest, rows = max(largest, n.Own()), max(rows, n.Kernel)
		}
	}
	left := max(s.Memory-s.Data, 0)
	m := &memory{total: s.Memory, data: s.Data, bytes: left}
	if rows > 0 {
		m.bytes = max(largest, min(left/4, largest*int64(s.Workers)))
		m.bytes = min(m.bytes, left-rows)
	}
	m.rows, m.free = left-m.bytes, semaphore.NewWeighted(m.bytes)
	return m
}

// acquire waits for the memory of a run and reserves it. A run that does not fit is skipped rather
// than failed, because a larger machine can perform it.
func (m *memory) acquire(ctx context.Context, it *plan.Item) error {
	if err := it.Fits(m.total, m.data); err != nil {
		return &statusError{record.StatusSkipped, errors.Unwrap(err)}
	}
	bytes := min(it.Need().Own(), m.bytes)
	err := m.free.Acquire(ctx, bytes)
	if err == nil {
		m.acquired.Store(it, bytes)
	}
	return err
}

// release returns the memory of a run, if it holds any.
func (m *memory) release(it *plan.Item) {
	if bytes, ok := m.acquired.LoadAndDelete(it); ok {
		m.free.Release(bytes.(int64))
	}
}

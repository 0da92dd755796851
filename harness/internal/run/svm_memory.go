package run

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/registry"

	"golang.org/x/sync/semaphore"
)

// featureMemory is the part of the memory that the runs may take by themselves,
// such as for random Fourier features; the kernel rows have the rest. A run takes all
// that it will need just before its learner is constructed, when it waits for
// nothing else any more, so that those that wait for memory get it in the end.
type featureMemory struct {
	bytes int64
	free  *semaphore.Weighted

	mu   sync.Mutex
	held map[*plan.Item]int64
	// garbage says that memory was given back since it was last collected.
	garbage bool
}

// newFeatureMemory divides the memory for the pending runs. The features get
// what the largest run needs, and if more run side by side what they need
// together, but then at most a quarter of the memory where others read kernel
// rows.
func newFeatureMemory(pending []*plan.Item, s settings) *featureMemory {
	var needs []int64
	most := s.Memory
	for _, it := range pending {
		if need := it.Memory(); need > 0 {
			needs = append(needs, need)
		}
		if it.ReadsKernel(s.plan.Spec.Record.UsesReference()) {
			most = s.Memory / 4
		}
	}
	slices.SortFunc(needs, func(a, b int64) int { return cmp.Compare(b, a) })
	f := &featureMemory{held: make(map[*plan.Item]int64)}
	for i, need := range needs[:min(len(needs), s.Workers)] {
		if i == 0 {
			f.bytes = min(need, s.Memory)
			continue
		}
		f.bytes += min(need, max(most-f.bytes, 0))
	}
	f.free = semaphore.NewWeighted(f.bytes)
	return f
}

// acquire waits until there is memory for a run's features.
func (f *featureMemory) acquire(ctx context.Context, it *plan.Item) error {
	need := it.Memory()
	switch {
	case need == 0:
		return nil
	case need > f.bytes && it.Algorithm.Task == registry.TaskSparse:
		return fmt.Errorf("the run takes %d bytes by itself, and --memory has room for %d; use fewer rows or other parameters, or give --memory more", need, f.bytes)
	case need > f.bytes:
		return fmt.Errorf("the features take %d bytes, and --memory has room for %d; lower pairs, or give --memory more", need, f.bytes)
	}
	if err := f.free.Acquire(ctx, need); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held[it] = need
	if f.garbage {
		// The collector knows nothing of the bound and would let the heap double.
		f.garbage = false
		debug.FreeOSMemory()
	}
	return nil
}

// release gives back what a run has.
func (f *featureMemory) release(it *plan.Item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	held, ok := f.held[it]
	if !ok {
		return
	}
	delete(f.held, it)
	f.garbage = true
	f.free.Release(held)
}

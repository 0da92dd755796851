package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync"

	"stochopt/harness/internal/plan"
	"stochopt/internal/record"
	"stochopt/internal/words"

	"github.com/dustin/go-humanize"
)

// ProgramMemory is what the program takes by itself: its code, what it reads and writes, figures,
// and what the collector has not collected yet.
const ProgramMemory = 256 << 20

// memory is what the runs may take beside the data and the kernel rows. A run takes all that it
// will need at once, before anything of it is allocated, so that those that wait for memory get it
// in the end; only iterates whose rank grows ask for more.
type memory struct {
	plan   *plan.Plan
	budget plan.Budget
	// bytes is the part of the runs; the kernel rows have the rest.
	bytes int64

	mu   sync.Mutex
	used int64
	held map[*plan.Item]int64
	// shared is what the runs of a share key have in common, until the last of them, which left
	// counts, is over.
	shared map[any]int64
	left   map[any]int
	// growing counts the runs that hold memory and wait for more.
	growing int
	// freed is closed, and made anew, when memory is given back.
	freed chan struct{}
	// garbage says that memory was given back since it was last collected.
	garbage bool
}

// newMemory divides the memory for the pending runs. Without kernel rows they have all of it.
// Otherwise they have what the largest of them needs that fits, and if more run side by side what
// they need together, but then at most a quarter of it.
func newMemory(pending []*plan.Item, s settings) *memory {
	m := &memory{
		plan: s.plan, budget: s.plan.Budget(s.Memory, s.Data), held: make(map[*plan.Item]int64),
		shared: make(map[any]int64), left: make(map[any]int), freed: make(chan struct{}),
	}
	var needs []int64
	most := m.budget.Left()
	if m.budget.Rows > 0 {
		most /= 4
	}
	for _, it := range pending {
		m.left[shareKey(it)]++
		if need := s.plan.Need(it).All(); need > 0 && need <= m.budget.Room() && withinLimit(it) {
			needs = append(needs, need)
		}
	}
	slices.Sort(needs)
	slices.Reverse(needs)
	for i, need := range needs[:min(len(needs), s.Workers)] {
		if i > 0 {
			need = min(need, max(most-m.bytes, 0))
		}
		m.bytes += need
	}
	if m.budget.Rows == 0 {
		m.bytes = m.budget.Left()
	}
	return m
}

// rows is the memory for rows of kernel matrices.
func (m *memory) rows() int64 { return max(m.budget.Left()-m.bytes, 0) }

// LimitHeap sets the memory limit of the garbage collector to so many bytes plus ProgramMemory,
// unless GOMEMLIMIT is lower.
func LimitHeap(bytes int64) {
	bytes = max(bytes, 0)
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, bytes+min(ProgramMemory, math.MaxInt64-bytes)))
}

// acquire waits until there is memory for a run and what it shares, and takes it. A run for which
// there never will be is skipped, as it may be made on another machine.
func (m *memory) acquire(ctx context.Context, it *plan.Item) error {
	if err := m.plan.Fits(it, m.budget); err != nil {
		return &statusError{record.StatusSkipped, errors.Unwrap(err)}
	}
	need, key := m.plan.Need(it), shareKey(it)
	return m.wait(ctx, func() (done bool, err error) {
		bytes := need.Own()
		_, there := m.shared[key]
		if !there {
			bytes += need.Shared + need.Making
		}
		if m.used+bytes > m.bytes {
			return false, nil
		}
		if !there {
			m.shared[key] = need.Shared + need.Making
		}
		m.used += bytes
		m.held[it] = need.Own()
		return true, nil
	})
}

// shrink gives back what making the shared part of a run took.
func (m *memory) shrink(it *plan.Item) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, shared := shareKey(it), m.plan.Need(it).Shared
	if held := m.shared[key]; held > shared {
		m.shared[key] = shared
		m.giveBack(held - shared)
	}
}

// grow takes what more a run needs once its iterate has a rank. It waits while there are others
// that may give theirs back.
func (m *memory) grow(ctx context.Context, it *plan.Item, rank int) error {
	own := m.plan.NeedAt(it, rank).Own()
	waiting := 0
	err := m.wait(ctx, func() (done bool, err error) {
		more := own - m.held[it]
		m.growing -= waiting
		waiting = 0
		if more > m.bytes-m.used {
			if m.growing+1 < len(m.held) {
				waiting = 1
				m.growing++
				return false, nil
			}
			beside := ""
			if len(m.held) > 1 {
				beside = fmt.Sprintf(" beside %s; take fewer workers (-j)", words.Count(len(m.held)-1, "other run"))
			}
			return false, fmt.Errorf("at rank %d a run takes %s (%d B), more than --memory %s has room for%s, or give it more",
				rank, humanize.IBytes(uint64(own)), own, humanize.IBytes(uint64(m.budget.Bytes)), beside)
		}
		if more > 0 {
			m.used += more
			m.held[it] = own
		}
		return true, nil
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.growing -= waiting // the context has ended
	return err
}

// wait calls take, with the lock, until it is done, again whenever memory is freed.
func (m *memory) wait(ctx context.Context, take func() (done bool, err error)) error {
	for {
		m.mu.Lock()
		done, err := take()
		freed, collect := m.freed, done && m.garbage
		if collect {
			m.garbage = false
		}
		m.mu.Unlock()
		switch {
		case collect:
			// The collector knows nothing of the bound and would let the heap double.
			debug.FreeOSMemory()
			return nil
		case done || err != nil:
			return err
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// giveBack frees memory; the lock is held.
func (m *memory) giveBack(bytes int64) {
	if bytes > 0 {
		m.used -= bytes
		m.garbage = true
		m.wake()
	}
}

// wake has those that wait look again; the lock is held.
func (m *memory) wake() {
	close(m.freed)
	m.freed = make(chan struct{})
}

// release gives back what a run has, and what it was the last to share. It is called once for each
// pending run.
func (m *memory) release(it *plan.Item) {
	m.mu.Lock()
	defer m.mu.Unlock()
	bytes, key := m.held[it], shareKey(it)
	if _, ok := m.held[it]; ok {
		delete(m.held, it)
		m.wake() // those that grow may be the only ones left
	}
	if m.left[key]--; m.left[key] == 0 {
		bytes += m.shared[key]
		delete(m.shared, key)
	}
	m.giveBack(bytes)
}

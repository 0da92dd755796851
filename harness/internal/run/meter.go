package run

import (
	"slices"
	"sync"
	"time"
)

// meter shares out what the program takes of the processors among the runs in flight,
// equally.
type meter struct {
	// now is what the program has taken so far, processTime where it is nil.
	now func() time.Duration

	mu      sync.Mutex
	seen    time.Duration
	flights []*metered
}

// metered is what a run has been given of that so far.
type metered struct{ taken time.Duration }

// share gives those in flight what was taken since the last time.
func (m *meter) share() {
	clock := m.now
	if clock == nil {
		clock = processTime
	}
	now := clock()
	if n := len(m.flights); n > 0 {
		each := max(now-m.seen, 0) / time.Duration(n)
		for _, f := range m.flights {
			f.taken += each
		}
	}
	m.seen = now
}

// begin adds a run to those in flight.
func (m *meter) begin() *metered {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.share()
	f := &metered{}
	m.flights = append(m.flights, f)
	return f
}

// split returns the seconds that a run has taken since it began or was split.
func (m *meter) split(f *metered) (seconds float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.share()
	seconds = f.taken.Seconds()
	f.taken = 0
	return seconds
}

// end takes a run from those in flight.
func (m *meter) end(f *metered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.share()
	m.flights = slices.DeleteFunc(m.flights, func(g *metered) bool { return g == f })
}

package run

import (
	"errors"
	"sync"
	"time"
)

var errUnprepared = errors.New("the data could not be prepared; see the reason of the first run on this dataset")

// memo builds the value of each key once.
type memo[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]*memoEntry[V]
}

// memoEntry is a value that is built once, or the error of building it.
type memoEntry[V any] struct {
	once  sync.Once
	value V
	err   error
	// seconds is the time it took to build.
	seconds float64
}

// get returns the value of a key and the seconds it took to build. The first caller builds it; other
// callers wait.
func (m *memo[K, V]) get(key K, build func() (V, error)) (V, float64, error) {
	m.mu.Lock()
	if m.entries == nil {
		m.entries = make(map[K]*memoEntry[V])
	}
	v := m.entries[key]
	if v == nil {
		v = new(memoEntry[V])
		m.entries[key] = v
	}
	m.mu.Unlock()
	v.once.Do(func() {
		v.err = errUnprepared // stays if build panics
		start := time.Now()
		v.value, v.err = build()
		v.seconds = time.Since(start).Seconds()
	})
	return v.value, v.seconds, v.err
}

// shares is a memo that counts the users of each value and drops the value after the last. Only the
// values of runs in progress are then in memory.
type shares[K comparable, V any] struct {
	memo[K, V]
	// drop, if set, is called with each dropped value.
	drop func(V)
	left map[K]int
}

// expect registers a user of a value. Each user must call unshare.
func (s *shares[K, V]) expect(key K) {
	if s.left == nil {
		s.left = make(map[K]int)
	}
	s.left[key]++
}

// unshare unregisters a user of a value, and drops the value if there is no other.
func (s *shares[K, V]) unshare(key K) {
	s.mu.Lock()
	var v *memoEntry[V]
	if s.left[key]--; s.left[key] == 0 {
		v = s.entries[key]
		delete(s.entries, key)
	}
	s.mu.Unlock()
	if v != nil && v.err == nil && s.drop != nil {
		s.drop(v.value)
	}
}

package run

import (
	"errors"
	"sync"
	"time"
)

var errUnprepared = errors.New("the data could not be prepared; the first run on them says why")

// memo holds values by key. The first that asks for a value makes it.
type memo[K comparable, V any] struct {
	mu   sync.Mutex
	made map[K]*made[V]
}

// made is a value that is made once.
type made[V any] struct {
	once  sync.Once
	value V
	err   error
	// seconds is the time that making it took.
	seconds float64
}

// get returns the value of a key, which build makes if this is the first call, and the seconds that
// making it took. Other callers wait meanwhile.
func (m *memo[K, V]) get(key K, build func() (V, error)) (V, float64, error) {
	m.mu.Lock()
	if m.made == nil {
		m.made = make(map[K]*made[V])
	}
	v := m.made[key]
	if v == nil {
		v = new(made[V])
		m.made[key] = v
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

// shares is a memo of values that several runs share. The last run drops the value, so that at most
// the values of the runs in flight are in memory.
type shares[K comparable, V any] struct {
	memo[K, V]
	// drop, if set, is called with each value that is dropped.
	drop func(V)
	left map[K]int
}

// expect announces a run that will get and release the value of a key.
func (s *shares[K, V]) expect(key K) {
	if s.left == nil {
		s.left = make(map[K]int)
	}
	s.left[key]++
}

// unshare gives up a run's claim on the value of a key.
func (s *shares[K, V]) unshare(key K) {
	s.mu.Lock()
	var v *made[V]
	if s.left[key]--; s.left[key] == 0 {
		v = s.made[key]
		delete(s.made, key)
	}
	s.mu.Unlock()
	if v != nil && v.err == nil && s.drop != nil {
		s.drop(v.value)
	}
}

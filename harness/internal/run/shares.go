package run

import (
	"errors"
	"sync"
	"time"
)

var errUnprepared = errors.New("the data could not be prepared; the first run on them says why")

// memo holds values that are made once each, by the first that asks for them.
type memo[K comparable, V any] struct {
	mu   sync.Mutex
	made map[K]*once[V]
}

// get returns the value of a key, which build makes if this is the first to ask,
// and the seconds that making it took. The others wait meanwhile.
func (m *memo[K, V]) get(key K, build func() (V, error)) (V, float64, error) {
	m.mu.Lock()
	if m.made == nil {
		m.made = make(map[K]*once[V])
	}
	o := m.made[key]
	if o == nil {
		o = new(once[V])
		m.made[key] = o
	}
	m.mu.Unlock()
	value, err := o.get(build)
	return value, o.seconds, err
}

// shares hands out what several runs have in common, by key. A value is built
// by the first run that needs it and given up by the last, so that at most
// those of the runs in flight are in memory.
type shares[K comparable, V any] struct {
	memo[K, V]
	// drop, if set, is called with each value that is given up.
	drop func(V)
	left map[K]int
}

// expect announces a run that will acquire and release the value of a key.
func (s *shares[K, V]) expect(key K) {
	if s.left == nil {
		s.left = make(map[K]int)
	}
	s.left[key]++
}

// share returns the value of a key, as get does. It adds the time that building it
// took, be it by another run, to the seconds of setup.
func (s *shares[K, V]) share(key K, setup *float64, build func() (V, error)) (V, error) {
	value, seconds, err := s.get(key, build)
	*setup += seconds
	return value, err
}

// unshare gives up a run's claim on the value of a key.
func (s *shares[K, V]) unshare(key K) {
	s.mu.Lock()
	s.left[key]--
	var v *once[V]
	if s.left[key] == 0 {
		v = s.made[key]
		delete(s.made, key)
	}
	s.mu.Unlock()
	if v != nil && v.err == nil && s.drop != nil {
		s.drop(v.value)
	}
}

// once is a value that is made once, by the first that asks for it.
type once[V any] struct {
	once  sync.Once
	value V
	err   error
	// seconds is the time that making it took.
	seconds float64
}

func (o *once[V]) get(build func() (V, error)) (V, error) {
	o.once.Do(func() {
		// In force if build panics: the others must not use what it left.
		o.err = errUnprepared
		start := time.Now()
		o.value, o.err = build()
		o.seconds = time.Since(start).Seconds()
	})
	return o.value, o.err
}

package run

import (
	"errors"
	"sync"
	"time"
)

var errUnprepared = errors.New("the data could not be prepared; the first run on them says why")

// shares hands out what several runs have in common, by key. A value is built
// by the first run that needs it and given up by the last, so that at most
// those of the runs in flight are in memory.
type shares[K comparable, V any] struct {
	// drop, if set, is called with each value that is given up.
	drop func(V)

	mu   sync.Mutex
	left map[K]int
	live map[K]*once[V]
}

func newShares[K comparable, V any]() shares[K, V] {
	return shares[K, V]{left: make(map[K]int), live: make(map[K]*once[V])}
}

// expect announces a run that will acquire and release the value of a key.
func (s *shares[K, V]) expect(key K) { s.left[key]++ }

// share returns the value of a key, which build makes if this is the first run
// to ask. The others wait meanwhile. It adds the time that building it took, be
// it by another run, to the seconds of setup.
func (s *shares[K, V]) share(key K, setup *float64, build func() (V, error)) (V, error) {
	s.mu.Lock()
	v := s.live[key]
	if v == nil {
		v = new(once[V])
		s.live[key] = v
	}
	s.mu.Unlock()
	value, err := v.get(build)
	*setup += v.seconds
	return value, err
}

// unshare gives up a run's claim on the value of a key.
func (s *shares[K, V]) unshare(key K) {
	s.mu.Lock()
	s.left[key]--
	var v *once[V]
	if s.left[key] == 0 {
		v = s.live[key]
		delete(s.live, key)
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

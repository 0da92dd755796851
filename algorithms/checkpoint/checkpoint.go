// Package checkpoint saves the mutable state of an algorithm as plain values, and
// restores it: an algorithm visits them once, in a fixed order, and what is visited is
// written or overwritten, whichever way the State goes.
package checkpoint

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"stochopt/algorithms"
)

// Saver is what can be saved between two steps and restored.
type Saver interface {
	// Checkpoint visits all that Step changes and that it, or what is asked of the
	// algorithm afterwards, depends on: counters, coefficients, responses, a status. It
	// leaves out what is made anew from these to the same bits (kernel rows, features)
	// or written before it is read (scratch).
	//
	// To restore is to construct an algorithm as the one that was saved, and to visit it
	// with a State that loads: it goes on to the same bits. After an error of the State it
	// is of no use. What an algorithm is given (random generators, orders of points,
	// sources of samples) is restored by who gives it, after that.
	Checkpoint(s *State)
}

// Saves reports whether something is a Saver.
func Saves(x any) bool {
	_, ok := x.(Saver)
	return ok
}

// State saves or loads values. The first error ends it: what is visited after that is
// left alone.
type State struct {
	w *bufio.Writer
	r *bufio.Reader
	// left is the number of bytes that there are to load.
	left int64
	// visited counts what was visited, for messages.
	visited int
	err     error
	buf     [8 * 512]byte
}

// ErrNone is the error of what cannot be saved.
var ErrNone = errors.New("it keeps no state that could be saved")

// NewSaver returns a State that writes to w. Flush it when all is visited.
func NewSaver(w io.Writer) *State { return &State{w: bufio.NewWriterSize(w, 1<<16)} }

// NewLoader returns a State that reads r, which has so many bytes. It never asks for more
// memory than a small multiple of that.
func NewLoader(r io.Reader, bytes int64) *State {
	return &State{r: bufio.NewReaderSize(r, 1<<16), left: bytes}
}

// Flush writes what is pending. It returns the first error.
func (s *State) Flush() error {
	if s.err == nil && s.w != nil {
		s.err = s.w.Flush()
	}
	return s.err
}

// End returns the first error, or of a State that loads, that not all has been read.
func (s *State) End() error {
	if s.err == nil && s.r != nil && s.left > 0 {
		s.Fail("%d bytes are left over", s.left)
	}
	return s.err
}

// Err returns the first error.
func (s *State) Err() error { return s.err }

// Loads reports whether values are loaded and not saved.
func (s *State) Loads() bool { return s.r != nil }

// Fail ends the visit with an error.
func (s *State) Fail(format string, args ...any) { s.fail(fmt.Errorf(format, args...)) }

func (s *State) fail(err error) {
	if s.err == nil {
		s.err = fmt.Errorf("value %d of the state: %w", s.visited, err)
	}
}

// Part visits something that may be a Saver; it fails with ErrNone if it is none.
func (s *State) Part(x any) {
	if saver, ok := x.(Saver); ok {
		saver.Checkpoint(s)
		return
	}
	s.fail(fmt.Errorf("%T: %w", x, ErrNone))
}

// The kinds of values, each of which is preceded by its own: a state that is not laid out
// as it is visited is found out.
const (
	kindNumber = 'n'
	kindFloat  = 'f'
	kindLength = 'l'
)

// word visits a kind and 8 bytes.
func (s *State) word(kind byte, v *uint64) bool {
	s.visited++
	if s.err != nil {
		return false
	}
	b := s.buf[:9]
	if s.w != nil {
		b[0] = kind
		binary.LittleEndian.PutUint64(b[1:], *v)
		_, s.err = s.w.Write(b)
		return s.err == nil
	}
	if !s.read(b) {
		return false
	}
	if b[0] != kind {
		s.Fail("it is of the kind %q, want %q", b[0], kind)
		return false
	}
	*v = binary.LittleEndian.Uint64(b[1:])
	return true
}

func (s *State) read(b []byte) bool {
	if int64(len(b)) > s.left {
		s.Fail("the state ends in the middle")
		return false
	}
	s.left -= int64(len(b))
	if _, err := io.ReadFull(s.r, b); err != nil {
		s.fail(err)
	}
	return s.err == nil
}

// Int64 visits a number.
func (s *State) Int64(v *int64) {
	w := uint64(*v)
	if s.word(kindNumber, &w) {
		*v = int64(w)
	}
}

// Int visits a number of any size.
func (s *State) Int(v *int) { s.Index(v, math.MinInt, math.MaxInt) }

// Index visits a number from low to high; another is refused.
func (s *State) Index(v *int, low, high int) {
	n := int64(*v)
	s.Int64(&n)
	if s.err != nil || !s.Loads() {
		return
	}
	if n < int64(low) || n > int64(high) {
		s.Fail("it is %d, want %d to %d", n, low, high)
		return
	}
	*v = int(n)
}

// Float visits a number, whose bits are kept.
func (s *State) Float(v *float64) {
	w := math.Float64bits(*v)
	if s.word(kindFloat, &w) {
		*v = math.Float64frombits(w)
	}
}

// Bool visits a truth value.
func (s *State) Bool(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	s.Index(&n, 0, 1)
	if s.err == nil {
		*v = n == 1
	}
}

// Text visits a text of at most 64 KiB.
func (s *State) Text(v *string) {
	b := []byte(*v)
	List(s, &b, 1<<16)
	if s.err == nil {
		*v = string(b)
	}
}

// Cost visits the counters of an algorithm.
func (s *State) Cost(c *algorithms.Cost) {
	for _, v := range []*int64{&c.Iterations, &c.SumKT2, &c.SumKT, &c.KernelEvals, &c.KernelEvalsMoved, &c.InnerProducts} {
		s.Int64(v)
	}
}

// Status visits the status of an algorithm.
func (s *State) Status(v *algorithms.Status) {
	state := int(v.State)
	s.Index(&state, int(algorithms.Running), int(algorithms.Failed))
	v.State = algorithms.State(state)
	s.Text(&v.Reason)
}

// Len visits a length, from 0 to most, of what has at least so many bytes an element, and
// returns it: n when saving. Of a State that has failed it is 0, and it is no more than the
// bytes that are left to load.
func (s *State) Len(n, most, size int) int {
	w := uint64(n)
	if !s.word(kindLength, &w) {
		return 0
	}
	switch {
	case !s.Loads():
		return n
	case w > uint64(max(most, 0)):
		s.Fail("its length is %d, want %d at most", w, most)
	case w > uint64(s.left)/uint64(max(size, 1)):
		s.Fail("its length is %d, but %d bytes are left", w, s.left)
	default:
		return int(w)
	}
	return 0
}

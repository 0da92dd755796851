package checkpoint

import (
	"encoding/binary"
	"math"
)

// Element is what slices are made of.
type Element interface {
	bool | int8 | uint8 | int32 | uint64 | int | int64 | float32 | float64
}

// Slice visits the elements of a slice whose length is known; a state of another length
// is refused.
func Slice[T Element](s *State, v []T) {
	if n := s.Len(len(v), math.MaxInt, size[T]()); s.err == nil && n != len(v) {
		s.Fail("its length is %d, want %d", n, len(v))
	}
	elements(s, v)
}

// List visits a slice of at most so many elements. When loading it is made anew, unless it
// has room.
func List[T Element](s *State, v *[]T, most int) {
	n := s.Len(len(*v), most, size[T]())
	if s.err != nil {
		return
	}
	if s.Loads() {
		if cap(*v) < n {
			*v = make([]T, n)
		}
		*v = (*v)[:n]
	}
	elements(s, *v)
}

// Indices is List of numbers from low to high; others are refused. A list that could not be
// loaded is empty, so that no index is out of range.
func Indices[T int | int32](s *State, v *[]T, most, low, high int) {
	List(s, v, most)
	if !s.Loads() {
		return
	}
	for _, i := range *v {
		if int(i) < low || int(i) > high {
			s.Fail("an entry is %d, want %d to %d", i, low, high)
			break
		}
	}
	if s.err != nil {
		*v = nil
	}
}

// Lists visits a list of at most so many lists of at most so many elements.
func Lists[T Element](s *State, v *[][]T, most, longest int) {
	n := s.Len(len(*v), most, 9)
	if s.err != nil {
		return
	}
	if s.Loads() {
		*v = make([][]T, n)
	}
	for k := range *v {
		List(s, &(*v)[k], longest)
	}
}

// size returns the number of bytes of an element in a state.
func size[T Element]() int {
	var v T
	switch any(v).(type) {
	case bool, int8, uint8:
		return 1
	case int32, float32:
		return 4
	}
	return 8
}

// elements visits the elements, of which a State that loads is known to have enough.
func elements[T Element](s *State, v []T) {
	width := size[T]()
	for len(v) > 0 && s.err == nil {
		n := min(len(v), len(s.buf)/width)
		b := s.buf[:n*width]
		if s.w != nil {
			put(b, v[:n])
			_, s.err = s.w.Write(b)
		} else if s.read(b) {
			get(v[:n], b)
		}
		v = v[n:]
	}
}

func put[T Element](b []byte, v []T) {
	switch v := any(v).(type) {
	case []bool:
		for k, x := range v {
			b[k] = 0
			if x {
				b[k] = 1
			}
		}
	case []int8:
		for k, x := range v {
			b[k] = byte(x)
		}
	case []uint8:
		copy(b, v)
	case []int32:
		for k, x := range v {
			binary.LittleEndian.PutUint32(b[4*k:], uint32(x))
		}
	case []float32:
		for k, x := range v {
			binary.LittleEndian.PutUint32(b[4*k:], math.Float32bits(x))
		}
	case []uint64:
		for k, x := range v {
			binary.LittleEndian.PutUint64(b[8*k:], x)
		}
	case []int:
		for k, x := range v {
			binary.LittleEndian.PutUint64(b[8*k:], uint64(x))
		}
	case []int64:
		for k, x := range v {
			binary.LittleEndian.PutUint64(b[8*k:], uint64(x))
		}
	case []float64:
		for k, x := range v {
			binary.LittleEndian.PutUint64(b[8*k:], math.Float64bits(x))
		}
	}
}

func get[T Element](v []T, b []byte) {
	switch v := any(v).(type) {
	case []bool:
		for k := range v {
			v[k] = b[k] != 0
		}
	case []int8:
		for k := range v {
			v[k] = int8(b[k])
		}
	case []uint8:
		copy(v, b)
	case []int32:
		for k := range v {
			v[k] = int32(binary.LittleEndian.Uint32(b[4*k:]))
		}
	case []float32:
		for k := range v {
			v[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
		}
	case []uint64:
		for k := range v {
			v[k] = binary.LittleEndian.Uint64(b[8*k:])
		}
	case []int:
		for k := range v {
			v[k] = int(binary.LittleEndian.Uint64(b[8*k:]))
		}
	case []int64:
		for k := range v {
			v[k] = int64(binary.LittleEndian.Uint64(b[8*k:]))
		}
	case []float64:
		for k := range v {
			v[k] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:]))
		}
	}
}

package datasets

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// IDXType is the element type of an IDX file, the third byte of its header.
type IDXType byte

// The element types of IDX.
const (
	IDXUint8   IDXType = 0x08
	IDXInt8    IDXType = 0x09
	IDXInt16   IDXType = 0x0b
	IDXInt32   IDXType = 0x0c
	IDXFloat32 IDXType = 0x0d
	IDXFloat64 IDXType = 0x0e
)

// size returns the bytes of an element, 0 for an unknown type.
func (t IDXType) size() int {
	switch t {
	case IDXUint8, IDXInt8:
		return 1
	case IDXInt16:
		return 2
	case IDXInt32, IDXFloat32:
		return 4
	case IDXFloat64:
		return 8
	}
	return 0
}

// IDX is an array of the IDX format, as MNIST uses it.
type IDX struct {
	// Type is the type of the elements in the file.
	Type IDXType
	// Dims holds the size of each dimension, the slowest first; all positive.
	Dims []int

	raw []byte // big endian
}

// ReadIDX reads an IDX file: two zero bytes, the element type, the number of
// dimensions, each dimension as a big-endian 32-bit number, then the elements,
// big endian. What ends early, goes on after the last element, or holds NaN or
// an infinity is an error, a *SyntaxError with the given name. r must be
// decompressed already.
func ReadIDX(r io.Reader, name string) (*IDX, error) {
	fail := func(err error, format string, args ...any) (*IDX, error) {
		return nil, &SyntaxError{File: name, Msg: fmt.Sprintf(format, args...), Err: err}
	}
	var head [4]byte
	if n, err := io.ReadFull(r, head[:]); err != nil {
		if n == len(head) || err != io.EOF && err != io.ErrUnexpectedEOF {
			return fail(err, "%v", err)
		}
		return fail(nil, "not an IDX file: it has only %d bytes", n)
	}
	t := IDXType(head[2])
	if head[0] != 0 || head[1] != 0 || t.size() == 0 || head[3] == 0 {
		return fail(nil, "not an IDX file: it begins with bytes % x, want 00 00, a type 08..0e and a number of dimensions", head)
	}
	x := &IDX{Type: t, Dims: make([]int, head[3])}
	size := int64(t.size())
	for i := range x.Dims {
		var b [4]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			if err != io.EOF && err != io.ErrUnexpectedEOF {
				return fail(err, "%v", err)
			}
			return fail(nil, "truncated IDX file: the header ends in dimension %d of %d", i+1, len(x.Dims))
		}
		d := int64(binary.BigEndian.Uint32(b[:]))
		if d == 0 {
			return fail(nil, "IDX file without elements: dimension %d is 0", i+1)
		}
		if d > math.MaxInt64/size || size*d > math.MaxInt-1 {
			return fail(nil, "IDX file with impossible dimensions")
		}
		size *= d
		x.Dims[i] = int(d)
	}
	raw, err := readUpTo(r, int(size))
	if err != nil {
		return fail(err, "%v", err)
	}
	if len(raw) < int(size) {
		return fail(nil, "truncated IDX file: the header promises %d bytes of data, there are %d", size, len(raw))
	}
	var one [1]byte
	if n, err := io.ReadFull(r, one[:]); n > 0 {
		return fail(nil, "bytes after the end of the data: the header promises %d bytes", size)
	} else if err != io.EOF {
		return fail(err, "%v", err)
	}
	x.raw = raw
	if t == IDXFloat32 || t == IDXFloat64 {
		for i := range x.Len() {
			if v := x.at(i); !finite(v) {
				return fail(nil, "element %d is %v, not a finite number", i+1, v)
			}
		}
	}
	return x, nil
}

// readUpTo reads at most size bytes. The buffer grows as data arrive, so that
// a header that lies costs no memory.
func readUpTo(r io.Reader, size int) ([]byte, error) {
	buf := make([]byte, 0, min(size, 1<<20))
	for len(buf) < size {
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), min(size, 2*cap(buf)))
			copy(grown, buf)
			buf = grown
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return buf, nil
}

// Len returns the number of elements.
func (x *IDX) Len() int { return len(x.raw) / x.Type.size() }

// at returns element i.
func (x *IDX) at(i int) float64 {
	switch b := x.raw; x.Type {
	case IDXUint8:
		return float64(b[i])
	case IDXInt8:
		return float64(int8(b[i]))
	case IDXInt16:
		return float64(int16(binary.BigEndian.Uint16(b[2*i:])))
	case IDXInt32:
		return float64(int32(binary.BigEndian.Uint32(b[4*i:])))
	case IDXFloat32:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b[4*i:])))
	default:
		return math.Float64frombits(binary.BigEndian.Uint64(b[8*i:]))
	}
}

// Float64sTo writes all elements, in the order of the file, to dst, which must
// have length Len.
func (x *IDX) Float64sTo(dst []float64) {
	if len(dst) != x.Len() {
		panic(badLength)
	}
	if x.Type == IDXUint8 {
		for i, b := range x.raw {
			dst[i] = float64(b)
		}
		return
	}
	for i := range dst {
		dst[i] = x.at(i)
	}
}

// labels returns the elements of a one-dimensional array of n labels.
func (x *IDX) labels(name string, n int) ([]float64, error) {
	if len(x.Dims) != 1 {
		return nil, &SyntaxError{File: name, Msg: fmt.Sprintf("an IDX label file has one dimension, this has %d", len(x.Dims))}
	}
	if x.Dims[0] != n {
		return nil, &SyntaxError{File: name, Msg: fmt.Sprintf("%d labels for %d rows", x.Dims[0], n)}
	}
	out := make([]float64, n)
	x.Float64sTo(out)
	return out, nil
}

// shape returns the array as rows and features: the first dimension counts the
// rows, the others together the features.
func (x *IDX) shape() (n, d int) {
	n = x.Dims[0]
	return n, x.Len() / n
}

package datasets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"stochopt/internal/finite"
)

// idxType is a type of elements: its number of bytes and how to read them, big
// endian.
type idxType struct {
	size int
	read func(b []byte) float64
	// real numbers may be infinite or none.
	real bool
}

// idxTypes holds the types by the third byte of the header.
var idxTypes = map[byte]idxType{
	0x08: {1, func(b []byte) float64 { return float64(b[0]) }, false},
	0x09: {1, func(b []byte) float64 { return float64(int8(b[0])) }, false},
	0x0b: {2, func(b []byte) float64 { return float64(int16(binary.BigEndian.Uint16(b))) }, false},
	0x0c: {4, func(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) }, false},
	0x0d: {4, func(b []byte) float64 { return float64(math.Float32frombits(binary.BigEndian.Uint32(b))) }, true},
	0x0e: {8, func(b []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(b)) }, true},
}

// idxArray is an array of the IDX format, as MNIST uses it.
type idxArray struct {
	// Dims holds the size of each dimension, the slowest first; all positive.
	Dims []int

	elements idxType
	raw      []byte
}

// readIDX reads an IDX file: two zero bytes, the element type, the number of
// dimensions, each dimension as a big-endian 32-bit number, then the elements,
// big endian. What ends early, goes on after the last element, or holds NaN or
// an infinity is an error, a *SyntaxError with the given name. r must be
// decompressed already. m bounds the memory of the file and, unless they are bytes, of its
// elements as numbers; nil means no bound.
func readIDX(r io.Reader, name string, m *room) (*idxArray, error) {
	fail := func(err error, format string, args ...any) (*idxArray, error) {
		return nil, &SyntaxError{File: name, Msg: fmt.Errorf(format, args...).Error(), Err: err}
	}
	short := func(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }
	var head [4]byte
	if n, err := io.ReadFull(r, head[:]); short(err) {
		return fail(nil, "not an IDX file: it has only %d bytes", n)
	} else if err != nil {
		return fail(err, "%v", err)
	}
	elements, ok := idxTypes[head[2]]
	if head[0] != 0 || head[1] != 0 || !ok || head[3] == 0 {
		return fail(nil, "not an IDX file: it begins with bytes % x, want 00 00, a type 08..0e and a number of dimensions", head)
	}
	x := &idxArray{Dims: make([]int, head[3]), elements: elements}
	size := int64(elements.size)
	for i := range x.Dims {
		var b [4]byte
		if _, err := io.ReadFull(r, b[:]); short(err) {
			return fail(nil, "truncated IDX file: the header ends in dimension %d of %d", i+1, len(x.Dims))
		} else if err != nil {
			return fail(err, "%v", err)
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
	numbers := size / int64(elements.size)
	if elements.size == 1 {
		numbers = 0
	}
	if m != nil && (numbers > m.most/8 || m.take(size+8*numbers) != nil) {
		return fail(nil, "the header promises %v elements: %w", x.Dims, m.take(math.MaxInt64))
	}
	// Memory beyond a beginning is taken as data arrive, so that a header that lies costs little.
	data := bytes.NewBuffer(make([]byte, 0, min(size+bytes.MinRead, 1<<26)))
	n, err := data.ReadFrom(io.LimitReader(r, size+1))
	switch {
	case n > size:
		return fail(nil, "bytes after the end of the data: the header promises %d bytes", size)
	case err != nil:
		return fail(err, "%v", err)
	case n < size:
		return fail(nil, "truncated IDX file: the header promises %d bytes of data, there are %d", size, n)
	}
	x.raw = data.Bytes()
	if !elements.real {
		return x, nil
	}
	for i := range x.Len() {
		if v := x.at(i); !finite.Is(v) {
			return fail(nil, "element %d is %v, not a finite number", i+1, v)
		}
	}
	return x, nil
}

// Len returns the number of elements.
func (x *idxArray) Len() int { return len(x.raw) / x.elements.size }

func (x *idxArray) at(i int) float64 { return x.elements.read(x.raw[i*x.elements.size:]) }

// Float64sTo writes all elements, in the order of the file, to dst, which must
// have length Len.
func (x *idxArray) Float64sTo(dst []float64) {
	if len(dst) != x.Len() {
		panic(badLength)
	}
	for i := range dst {
		dst[i] = x.at(i)
	}
}

// readIDXLabels reads a one-dimensional array of n labels.
func readIDXLabels(r io.Reader, name string, n int, m *room) ([]float64, error) {
	if err := m.take(8 * int64(n)); err != nil {
		return nil, &SyntaxError{File: name, Msg: err.Error(), Err: err}
	}
	x, err := readIDX(r, name, m)
	if err != nil {
		return nil, err
	}
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
func (x *idxArray) shape() (n, d int) {
	n = x.Dims[0]
	return n, x.Len() / n
}

// table returns the array as a table of the given shape, without labels. It keeps the bytes
// if the elements are bytes.
func (x *idxArray) table() *Table {
	n, d := x.shape()
	if x.elements.size > 1 {
		data := make([]float64, n*d)
		x.Float64sTo(data)
		return NewDense(n, d, data, nil)
	}
	levels := byteLevels()
	for c := range levels {
		levels[c] = x.elements.read([]byte{byte(c)})
	}
	return newCoded(n, d, x.raw, levels)
}

func readIDXTable(r io.Reader, path string, features int, m *room) (*Table, error) {
	x, err := readIDX(r, path, m)
	if err != nil {
		return nil, err
	}
	if _, d := x.shape(); features > 0 && d != features {
		return nil, &SyntaxError{File: path, Msg: fmt.Sprintf("%d features, want %d", d, features)}
	}
	return x.table(), nil
}

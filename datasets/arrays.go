package datasets

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"stochopt/internal/finite"
)

// array is the content of an IDX or NumPy file. Its elements are in C order: the last index varies
// fastest.
type array struct {
	dims   []int     // the size of each dimension, the slowest first; all are positive
	bytes  []byte    // the elements of an IDX file
	values []float64 // the elements of a NumPy file
}

// readArray reads an IDX or a NumPy file, as its content tells. Errors are *SyntaxError with the
// given name. r must be decompressed already. m bounds the memory of the array; nil means no bound.
func readArray(r io.Reader, name string, m *room) (*array, error) {
	br := bufio.NewReader(r)
	magic, _ := br.Peek(len(npyMagic)) // reading reports the error
	a, read := &array{}, (*array).readIDX
	if string(magic) == npyMagic {
		read = (*array).readNPY
	}
	if err := read(a, br, m); err != nil {
		return nil, syntaxError(name, 0, "%w", err)
	}
	if _, err := br.ReadByte(); err == nil {
		return nil, syntaxError(name, 0, "bytes after the end of the data: the header promises an array of %v", a.dims)
	} else if err != io.EOF {
		return nil, syntaxError(name, 0, "%w", err)
	}
	return a, nil
}

// truncated says what the end of a file within the elements means.
func (a *array) truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("truncated file: the header promises an array of %v; get the file again", a.dims)
	}
	return err
}

// elements returns the number of elements of an array with the given dimensions.
func elements[T uint32 | int](dims []T) (int64, error) {
	size := int64(1)
	for i, d := range dims {
		switch {
		case d <= 0:
			return 0, fmt.Errorf("array without elements: dimension %d is %d", i+1, d)
		case int64(d) > math.MaxInt64/8/size:
			return 0, fmt.Errorf("array with impossible dimensions: %v", dims)
		}
		size *= int64(d)
	}
	return size, nil
}

// idxBytes is the type of the elements of the IDX files that are read, unsigned bytes, in the third
// byte of the header.
const idxBytes = 0x08

// isIDX reports whether a file begins like an IDX file: two zero bytes, the type of the elements,
// and the number of dimensions.
func isIDX(head []byte) bool {
	return len(head) >= 4 && head[0] == 0 && head[1] == 0 && head[2] >= idxBytes && head[2] <= 0x0e && head[3] > 0
}

// readIDX reads an IDX file of unsigned bytes: its header, each dimension as a big-endian 32-bit
// number, then the elements.
func (a *array) readIDX(r *bufio.Reader, m *room) error {
	var head [4]byte
	switch _, err := io.ReadFull(r, head[:]); {
	case err != nil:
		return fmt.Errorf("not an IDX file: its header ends early (%w)", err)
	case !isIDX(head[:]):
		return fmt.Errorf("not an IDX file: it begins with bytes % x, want 00 00, a type 08..0e and a number of dimensions", head)
	case head[2] != idxBytes:
		return fmt.Errorf("IDX file with elements of the type %02x: only unsigned bytes, 08, are read; write a CSV or .npy file", head[2])
	}
	sizes := make([]uint32, head[3])
	if err := binary.Read(r, binary.BigEndian, sizes); err != nil {
		return fmt.Errorf("truncated IDX file: the header ends early (%w)", err)
	}
	size, err := elements(sizes)
	if err != nil {
		return err
	}
	for _, d := range sizes {
		a.dims = append(a.dims, int(d))
	}
	if err := m.take(size); err != nil {
		return fmt.Errorf("the header promises %v elements: %w", a.dims, err)
	}
	// The buffer grows with the data, so that a header with false dimensions costs little memory.
	content := bytes.NewBuffer(make([]byte, 0, min(size, 1<<26)+bytes.MinRead))
	if _, err := io.CopyN(content, r, size); err != nil {
		return a.truncated(err)
	}
	a.bytes = content.Bytes()
	return nil
}

const npyMagic = "\x93NUMPY"

// npyHeader is the header of a NumPy file, which is a literal of a Python dictionary.
type npyHeader struct {
	Type    string `yaml:"descr"` // byte order, kind and size, such as "<f8"
	Fortran bool   `yaml:"fortran_order"`
	Shape   []int  `yaml:"shape"`
}

// readNPYHeader reads the magic bytes, the version, the length of the header and the header.
func readNPYHeader(r io.Reader) (h npyHeader, err error) {
	var start struct {
		Magic        [len(npyMagic)]byte
		Major, Minor uint8
		Length       uint16
	}
	err = binary.Read(r, binary.LittleEndian, &start)
	if string(start.Magic[:]) != npyMagic {
		return h, errors.New("neither an IDX nor a NumPy file, as its beginning shows: get it again, or rename it")
	}
	length := int(start.Length)
	if err == nil && start.Major > 1 { // a length of 32 bits, whose upper half no array of numbers needs
		var upper uint16
		err = binary.Read(r, binary.LittleEndian, &upper)
		length |= int(upper) << 16
	}
	text := make([]byte, min(length, 1<<16))
	if err == nil {
		_, err = io.ReadFull(r, text)
	}
	if err != nil {
		return h, fmt.Errorf("truncated NumPy file: the header ends early (%w)", err)
	}
	// With brackets for the tuple of the shape the dictionary is YAML.
	if decodeYAML([]byte(strings.NewReplacer("(", "[", ")", "]").Replace(string(text))), &h) != nil {
		return h, errors.New("a NumPy file, but not one array of numbers: save such an array by np.save")
	}
	return h, nil
}

// npyTypes decodes one element, by its kind and size.
var npyTypes = map[string]func(o binary.ByteOrder, b []byte) float64{
	"b1": func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) },
	"i1": func(_ binary.ByteOrder, b []byte) float64 { return float64(int8(b[0])) },
	"i2": func(o binary.ByteOrder, b []byte) float64 { return float64(int16(o.Uint16(b))) },
	"i4": func(o binary.ByteOrder, b []byte) float64 { return float64(int32(o.Uint32(b))) },
	"i8": func(o binary.ByteOrder, b []byte) float64 { return float64(int64(o.Uint64(b))) },
	"u1": func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) },
	"u2": func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint16(b)) },
	"u4": func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint32(b)) },
	"u8": func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint64(b)) },
	"f4": func(o binary.ByteOrder, b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) },
	"f8": func(o binary.ByteOrder, b []byte) float64 { return math.Float64frombits(o.Uint64(b)) },
}

// readNPY reads a NumPy file, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html,
// of finite numbers. An array in Fortran order must have at most two dimensions.
func (a *array) readNPY(r *bufio.Reader, m *room) error {
	h, err := readNPYHeader(r)
	if err != nil {
		return err
	}
	a.dims = h.Shape
	number := npyTypes[strings.TrimLeft(h.Type, "<>|=")]
	count, err := elements(h.Shape)
	switch {
	case err != nil:
		return err
	case number == nil:
		return fmt.Errorf("a NumPy array of type %q is not read here: convert it by a.astype('float64')", h.Type)
	case len(h.Shape) == 0 || h.Fortran && len(h.Shape) > 2:
		return fmt.Errorf("a NumPy array of %d dimensions, in this order, is not read here: save a.reshape(len(a), -1)", len(h.Shape))
	}
	if err := m.take(8 * count); err != nil {
		return fmt.Errorf("the header promises an array of %v: %w", a.dims, err)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if h.Type[0] == '>' {
		order = binary.BigEndian
	}
	size := int(h.Type[len(h.Type)-1] - '0')
	buf := make([]byte, 1024*size)
	for left := count; left > 0; left = count - int64(len(a.values)) {
		chunk := buf[:size*int(min(left, 1024))]
		if _, err := io.ReadFull(r, chunk); err != nil {
			return a.truncated(err)
		}
		for element := range slices.Chunk(chunk, size) {
			v := number(order, element)
			if !finite.Is(v) {
				return fmt.Errorf("element %d is %v: replace it, or leave its row out", len(a.values)+1, v)
			}
			a.values = append(a.values, v)
		}
	}
	if h.Fortran && len(a.dims) == 2 {
		a.values = transposed(a.values, a.dims[1], a.dims[0])
	}
	return nil
}

// transposed returns the transpose of an n x d matrix.
func transposed(x []float64, n, d int) []float64 {
	out := make([]float64, len(x))
	for i := range n {
		for j := range d {
			out[j*n+i] = x[i*d+j]
		}
	}
	return out
}

// readArrayTable reads an array as a table: the first dimension counts the rows, the others together
// the columns. A label of a NumPy file is the number of the column that holds the labels.
func readArrayTable(r io.Reader, name string, o csvOptions, m *room) (*Table, error) {
	a, err := readArray(r, name, m)
	if err != nil {
		return nil, err
	}
	n, d := a.dims[0], (len(a.bytes)+len(a.values))/a.dims[0]
	p := csvColumns{name: name}
	label, err := p.findLabel(o.Label, d)
	if err != nil {
		return nil, err
	}
	t := NewDense(n, d, a.values, nil)
	if a.bytes != nil {
		t = newCoded(n, d, a.bytes)
	}
	if label >= 0 {
		t = t.splitLabels(label)
	}
	if t.D == 0 || o.Features > 0 && t.D != o.Features {
		return nil, syntaxError(name, 0, "%d features, want %d", t.D, max(o.Features, 1))
	}
	return t, nil
}

// splitLabels returns a dense table with one of its columns as labels. It overwrites t.
func (t *Table) splitLabels(column int) *Table {
	features, labels := t.data[:0], make([]float64, t.N)
	for i, row := range t.stored() {
		labels[i] = row[column]
		features = append(append(features, row[:column]...), row[column+1:]...)
	}
	return NewDense(t.N, t.D-1, features, labels)
}

// readLabels reads a file of n labels: an IDX or NumPy file of one dimension, or of one column.
func readLabels(r io.Reader, name string, n int, m *room) ([]float64, error) {
	a, err := readArray(r, name, m)
	switch {
	case err != nil:
		return nil, err
	case len(a.bytes)+len(a.values) != a.dims[0]:
		return nil, syntaxError(name, 0, "a file of labels has one dimension, this has %d", len(a.dims))
	case a.dims[0] != n:
		return nil, syntaxError(name, 0, "%d labels for %d rows", a.dims[0], n)
	}
	if a.bytes == nil {
		return a.values, nil
	}
	if err := m.take(8 * int64(n)); err != nil {
		return nil, syntaxError(name, 0, "%w", err)
	}
	out := make([]float64, n)
	for i, y := range a.bytes {
		out[i] = float64(y)
	}
	return out, nil
}
